"""Analysis of a draft graph: how its nodes are connected, and which option its numbers favour."""
