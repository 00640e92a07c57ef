from stages.generate.calls.faults import Fault
from stages.generate.calls.runner import backoff_s, retry_wait_s
from tests.builders.cases import cases
from tests.generate.calls.examples import limited


def passing(wait_s: float | None = None) -> Fault:
    return Fault(status="server_error", code="x", message="x", wait_s=wait_s)


def test_the_bound_of_the_backoff_doubles_with_every_attempt_to_the_longest_wait() -> None:
    assert [backoff_s(n, 1.0, most_s=3.0) for n in (1, 2, 3, 4, 1000)] == [0.5, 1.0, 2.0, 3.0, 3.0]
    assert backoff_s(3, 0.0, most_s=3.0) == 0


@cases(
    "fault, attempt, expected",
    {
        "half of the first bound": (passing(), 1, 0.25),
        "half of the third bound": (passing(), 3, 1.0),
        "the server asks for longer": (passing(7.0), 1, 7.0),
        "the server asks for less than the back-off": (passing(0.0), 3, 1.0),
        "the server's wait is capped": (passing(3600.0), 1, 120.0),
        "a rate limit": (limited(2.0), 0, 2.0),
    },
)
def test_a_fault_that_passes_is_waited_for(fault: Fault, attempt: int, expected: float) -> None:
    assert retry_wait_s(fault, attempt, 0.5, most_s=120.0) == expected
