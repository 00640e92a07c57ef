"""Tests of `stages/generate/prices`."""
