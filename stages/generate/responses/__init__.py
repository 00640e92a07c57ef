"""From the answers of a cell to its response file, and the run manifest."""
