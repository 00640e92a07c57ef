"""How results are shown: one table and one page frame, for the terminal, Markdown and
HTML.
"""
