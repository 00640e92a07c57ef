"""Tests of `stages/shared/simulate`."""
