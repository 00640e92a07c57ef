"""Tests of `stages/shared`."""
