"""The words of texts in any language: what briefs and labels of graphs are compared by."""
