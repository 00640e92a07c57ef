"""Tests of `stages/generate/answers`."""
