"""Tests of `stages/generate/plan`."""
