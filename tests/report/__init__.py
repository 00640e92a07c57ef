"""Tests of `stages/report`."""
