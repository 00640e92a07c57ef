"""Tests of `stages/generate/prices.py`."""
