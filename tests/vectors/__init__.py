"""Inputs with the results that the scorer and the extractor must agree with, and a runner for any file of that form."""
