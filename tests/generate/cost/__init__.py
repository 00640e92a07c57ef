"""Tests of `stages/generate/cost`."""
