"""Tests of `stages/generate/forecast.py`."""
