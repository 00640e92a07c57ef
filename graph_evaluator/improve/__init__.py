"""Proposes a better prompt, and proves it on briefs that nobody has looked at."""
