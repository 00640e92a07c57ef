"""Tests of `stages/shared/shell`."""
