"""How results are shown: one table, one page frame, one set of charts, for the terminal,
Markdown and HTML.
"""
