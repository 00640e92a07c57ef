"""What an author sees of the concepts and effects that a brief states: a command that
people run.
"""
