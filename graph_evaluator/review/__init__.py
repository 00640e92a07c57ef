"""Blind pairs: a page that asks people which of two graphs they would rather work with, and the key
to what they were shown.
"""
