"""Tests of `stages/simulate`."""
