"""Tests of `stages/generate/batch`."""
