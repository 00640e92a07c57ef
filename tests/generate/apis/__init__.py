"""Tests of the kinds of API."""
