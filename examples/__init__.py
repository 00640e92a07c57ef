"""How the stages are used as a library."""
