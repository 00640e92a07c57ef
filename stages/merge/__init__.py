"""Two branches that both ran are merged without a call: `python -m stages.merge`."""
