"""Tests of `stages/shared/records`."""
