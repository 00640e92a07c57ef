"""When which call goes out: concurrency, rate limits, retries, the budget, and how it is shown."""
