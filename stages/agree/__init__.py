"""How often people's preferences and the score's order are the same, from the reviews that people
committed.
"""
