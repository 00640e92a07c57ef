"""Whether a failed call is tried again, and after how long: pure verdicts."""

from stages.contracts.params import RuntimeParams
from stages.generate.calls.faults import Fault

FIRST_WAIT_S = 0.5
"""The bound of the first wait; it doubles with every further attempt."""
LIMITED_HINT = "raise it, set runtime.requests_per_minute or tokens_per_minute to what the account allows, or run again later"


def backoff_s(attempt: int, draw: float, *, most_s: float) -> float:
    """Exponential back-off with full jitter: uniform between 0 and min(most_s, FIRST_WAIT_S x 2^(attempt - 1)), seconds.

    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

    >>> backoff_s(1, 0.5, most_s=60), backoff_s(4, 0.5, most_s=60), backoff_s(2000, 0.5, most_s=60)
    (0.25, 2.0, 30.0)
    """
    return draw * min(most_s, FIRST_WAIT_S * 2.0 ** min(attempt - 1, 60))


def verdict(
    fault: Fault, *, attempt: int, elapsed_s: float, draw: float, settings: RuntimeParams
) -> float | str:
    """The seconds to wait before another try, or, in words, why there is none.

    The server's wait is honoured up to `max_wait_s`. A refusal by a rate limit is not counted in `attempt`: the limiter paces such
    calls, and only `cell_timeout_s` bounds them. `elapsed_s` is counted from the first try; `draw` is uniform in [0, 1).
    """
    if fault.scope != "call":
        return "trying again cannot help"
    limited = fault.status == "rate_limited"
    if not limited and attempt >= settings.max_attempts:
        return f"given up after {attempt} attempts (runtime.max_attempts)"
    wait_s = backoff_s(max(attempt, 1), draw, most_s=settings.max_wait_s)
    if fault.wait_s is not None:
        wait_s = min(max(fault.wait_s, wait_s if not limited else 0.0), settings.max_wait_s)
    return wait_s if elapsed_s + wait_s < settings.cell_timeout_s else out_of_time(fault, elapsed_s)


def out_of_time(fault: Fault, elapsed_s: float) -> str:
    """Why a cell whose time is over is given up; `fault` is its last one."""
    hint = f": {LIMITED_HINT}" if fault.status == "rate_limited" else ""
    return f"given up after {elapsed_s:.0f} s (runtime.cell_timeout_s){hint}"
