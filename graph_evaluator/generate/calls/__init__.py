"""Calls to the providers: workers, rate limits, retries, the budget, progress, and the client."""
