"""The structural rules that every decision graph must keep: `score` judges by them, and `generate`
knows by them which answers a repair turn is for.
"""
