"""Tests of `stages/generate/responses`."""
