"""Which cells there are, what is asked for each, what is missing and why."""
