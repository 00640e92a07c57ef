"""Tests of `stages/shell`."""
