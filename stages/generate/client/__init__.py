"""The adapters that speak to endpoints."""
