"""Fidelity checks: deterministic tests of whether a graph belongs to its brief.

No model judges another. `checker.py` lists the checks; a new one is a function in a file of its own
and a line there.
"""
