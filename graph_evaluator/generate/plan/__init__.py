"""Which cells there are, what is asked for each, under which fingerprints answers are kept, and
which draw is needed next.
"""
