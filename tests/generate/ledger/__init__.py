"""Tests of `stages/generate/ledger`."""
