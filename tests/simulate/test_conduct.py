from collections import Counter

import pytest

from stages.simulate.answer import Asked
from stages.simulate.conduct import Conduct, conduct
from tests.simulate.requests import BRIEFS


def course(model: str, text: str, attempt: int, draw: str = "1/1/1") -> Conduct:
    return conduct(Asked(model=model, instructions="", input=text, draw=draw), attempt)


def test_the_flaky_model_recovers_by_the_third_attempt() -> None:
    assert all(course("sim-flaky", f"brief {number}", 3).ending == "answer" for number in range(200))


def test_the_flaky_model_never_goes_wrong_again_after_it_recovered() -> None:
    for number in range(200):
        endings = [course("sim-flaky", f"brief {number}", attempt).ending for attempt in (1, 2, 3, 4)]
        assert endings == sorted(endings, reverse=True)


def test_the_flaky_model_shows_every_kind_of_trouble() -> None:
    seen: Counter[str] = Counter()
    for number in range(200):
        made = course("sim-flaky", f"brief {number}", 1)
        if made.error is not None:
            seen.update([str(made.error.status), *(name for name, _ in made.error.headers)])
        elif made.delay_ms:
            seen["slow"] += 1
    assert set(seen) == {"429", "500", "503", "retry-after", "retry-after-ms", "slow"}


def test_the_flaky_model_s_waits_are_short() -> None:
    for number in range(200):
        made = course("sim-flaky", f"brief {number}", 1)
        for name, value in made.error.headers if made.error else ():
            assert float(value) <= (1 if name == "retry-after" else 150)


def test_the_shipped_briefs_show_every_way_a_call_can_fail() -> None:
    seen = {
        (made.ending, made.error.status if made.error else None)
        for made in (course("drill-calls", brief.body, 1) for brief in BRIEFS.values())
    }
    assert seen == {("error", 429), ("error", 500), ("error", 400), ("hang", None), ("drop", None)}


def test_a_drill_fails_a_brief_always_in_the_same_way() -> None:
    assert (
        len({course("drill-calls", "brief", attempt, draw) for attempt in (1, 9) for draw in ("1/1/1", "2/1/1")}) == 1
    )


@pytest.mark.parametrize(
    ("model", "status", "code"), [("drill-key", 401, "invalid_api_key"), ("drill-quota", 429, "insufficient_quota")]
)
def test_a_drill_of_a_key_fails_every_call(model: str, status: int, code: str) -> None:
    error = course(model, "any", 5).error
    assert error is not None
    assert (error.status, error.code) == (status, code)


def test_a_careful_model_s_calls_go_through() -> None:
    assert course("sim-careful", "any", 1) == Conduct()
