"""Tests of `stages/generate/pace`."""
