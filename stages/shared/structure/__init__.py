"""The structural rules that every decision graph must keep: `score` judges by them."""
