"""Intervals, estimates, tests and agreement: numbers in, estimates out. Pure."""
