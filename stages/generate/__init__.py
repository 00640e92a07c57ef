"""Send every brief to every model, keep every answer, and write a response for each cell."""
