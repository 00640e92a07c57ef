"""Tests of `stages/generate/preview`."""
