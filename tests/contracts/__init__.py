"""Tests of `stages/contracts`."""
