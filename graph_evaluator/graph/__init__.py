"""What a draft graph says: how its nodes are connected, and which option its numbers favour."""
