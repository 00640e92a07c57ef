"""Tests of the whole pipeline, driven by a real dvc."""
