"""The simulated models, with which the whole pipeline runs offline: answers as a function."""
