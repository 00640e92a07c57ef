"""The offline substitute for the OpenAI API: a drafter of graphs, characters, a loopback server."""

SIMULATION_VERSION = 3
"""Part of the fingerprints of simulated models: another version gives other answers."""
