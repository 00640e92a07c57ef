"""The tests; the tree mirrors `stages/`."""
