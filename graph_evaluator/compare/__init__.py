"""Compares two revisions: which prompt, model or setting is better, and whether the difference is
more than noise.
"""
