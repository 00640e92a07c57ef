"""The templates of all charts, of `dvc plots` and of the pages, and what draws them."""
