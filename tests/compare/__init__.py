"""Tests of `stages/compare`."""
