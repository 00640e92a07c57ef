"""Tests of `stages/generate`."""
