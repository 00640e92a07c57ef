"""Settles whether a prompt or a model is better, in planned looks, within a budget."""
