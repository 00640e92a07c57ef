"""Benchmarks: what is claimed in the docs, measured."""
