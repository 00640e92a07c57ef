"""Whether a failed call is tried again, and after how long: pure functions."""

from stages.contracts.params import RuntimeParams
from stages.generate.calls.faults import Fault

FIRST_WAIT_S = 0.5
"""The bound of the first wait; it doubles with every further attempt."""
LIMITED_HINT = (
    "raise it, set runtime.requests_per_minute or tokens_per_minute to what the account allows, "
    "or run again later"
)


def backoff_s(attempt: int, draw: float, *, most_s: float) -> float:
    """Exponential back-off with full jitter, seconds; `draw` is uniform in [0, 1).

    Uniform between 0 and min(most_s, FIRST_WAIT_S x 2^(attempt - 1)).
    Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

    >>> backoff_s(1, 0.5, most_s=60), backoff_s(4, 0.5, most_s=60), backoff_s(2000, 0.5, most_s=60)
    (0.25, 2.0, 30.0)
    """
    bound_s = FIRST_WAIT_S * 2.0 ** min(attempt - 1, 60)
    return draw * min(most_s, bound_s)


def retry_wait_s(fault: Fault, attempt: int, draw: float, *, most_s: float) -> float:
    """Seconds before another try: the back-off, or what the server asks for, at most `most_s`."""
    wait_s = backoff_s(max(attempt, 1), draw, most_s=most_s)
    return min(max(wait_s, fault.wait_s or 0.0), most_s)


def reason_to_give_up(
    fault: Fault, *, attempt: int, elapsed_s: float, wait_s: float, settings: RuntimeParams
) -> str | None:
    """Why a call is not tried again; None when it is, after `wait_s`.

    A refusal by a rate limit is not counted in `attempt`: only `cell_timeout_s` bounds those.
    `elapsed_s` is counted from the first try.
    """
    if fault.scope != "call":
        return "trying again cannot help"
    if fault.status != "rate_limited" and attempt >= settings.max_attempts:
        return f"given up after {attempt} attempts (runtime.max_attempts)"
    if elapsed_s + wait_s < settings.cell_timeout_s:
        return None
    return out_of_time(fault, elapsed_s)


def out_of_time(fault: Fault, elapsed_s: float) -> str:
    """Why a cell whose time is over is given up; `fault` is its last one."""
    hint = f": {LIMITED_HINT}" if fault.status == "rate_limited" else ""
    return f"given up after {elapsed_s:.0f} s (runtime.cell_timeout_s){hint}"
