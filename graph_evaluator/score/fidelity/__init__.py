"""Fidelity: whether a graph belongs to its brief."""
