"""The only general code that touches the outside: files, params, environment, exit codes and signal
handling.
"""
