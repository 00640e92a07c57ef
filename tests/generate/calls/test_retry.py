from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from stages.generate.calls.faults import Fault
from stages.generate.calls.runner import backoff_s, reason_to_give_up, retry_wait_s
from tests.builders.cases import cases
from tests.generate.calls.examples import settings

PASSING = Fault(status="server_error", code="x", message="x")
LIMITED = Fault(status="rate_limited", code="x", message="x")


def asked(wait_s: float, fault: Fault = PASSING) -> Fault:
    return Fault(status=fault.status, code="x", message="x", wait_s=wait_s)


@given(st.integers(1, 1000), st.floats(0, 1, exclude_max=True), st.floats(0.1, 1000))
def test_backoff_is_between_zero_and_the_longest_wait(
    attempt: int, draw: float, most_s: float
) -> None:
    assert 0 <= backoff_s(attempt, draw, most_s=most_s) <= most_s


def test_the_bound_of_the_backoff_doubles_with_every_attempt() -> None:
    assert [backoff_s(n, 1.0, most_s=3.0) for n in (1, 2, 3, 4, 5)] == [0.5, 1.0, 2.0, 3.0, 3.0]


@cases(
    "fault, attempt, expected",
    {
        "half of the first bound": (PASSING, 1, 0.25),
        "half of the third bound": (PASSING, 3, 1.0),
        "the server asks for longer": (asked(7.0), 1, 7.0),
        "the server asks for less than the back-off": (asked(0.0), 3, 1.0),
        "the server's wait is capped": (asked(3600.0), 1, 120.0),
        "a rate limit": (asked(2.0, LIMITED), 0, 2.0),
    },
)
def test_a_fault_that_passes_is_waited_for(fault: Fault, attempt: int, expected: float) -> None:
    assert retry_wait_s(fault, attempt, 0.5, most_s=120.0) == expected


def test_refusals_by_a_rate_limit_do_not_use_up_attempts() -> None:
    assert (
        reason_to_give_up(LIMITED, attempt=99, elapsed_s=0, wait_s=1, settings=settings()) is None
    )


@cases(
    "fault, attempt, elapsed_s, reason",
    {
        "attempts used up": (PASSING, 8, 0.0, "max_attempts"),
        "time used up": (PASSING, 1, 3600.0, "cell_timeout_s"),
        "the wait would outlast the cell": (PASSING, 1, 3550.0, "cell_timeout_s"),
        "limits are bounded by time": (LIMITED, 0, 3550.0, "cell_timeout_s"),
        "cell": (replace(PASSING, scope="cell"), 1, 0.0, "cannot help"),
        "key": (replace(PASSING, scope="key"), 1, 0.0, "cannot help"),
    },
)
def test_what_cannot_succeed_is_given_up(
    fault: Fault, attempt: int, elapsed_s: float, reason: str
) -> None:
    given_up = reason_to_give_up(
        fault, attempt=attempt, elapsed_s=elapsed_s, wait_s=60.0, settings=settings()
    )
    assert reason in (given_up or "")
