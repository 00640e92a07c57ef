"""The simulated models, with which the whole pipeline runs offline: answers as a function."""

SIMULATION_VERSION = 4
"""Part of the fingerprints of simulated models: another version gives other answers."""
