"""Intervals, estimates and tests: numbers in, estimates out. Pure."""
