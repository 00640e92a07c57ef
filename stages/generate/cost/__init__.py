"""Prices, forecasts and token counts."""
