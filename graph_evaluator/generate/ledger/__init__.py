"""The store of paid answers."""
