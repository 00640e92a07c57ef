"""Tests of `stages/score`."""
