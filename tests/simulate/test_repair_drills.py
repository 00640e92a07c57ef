"""The drills for answers that are sent back: one repairs, one breaks something else, one is stuck."""

import json

import pytest

from stages.simulate.characters import BREAKS, REPAIR_DRILLS, REPAIRS, STUCK
from tests.score.drafts import scored
from tests.simulate.requests import BRIEFS, ask

DRAWS = [f"1/{sample}/1" for sample in range(1, 9)]
BODIES = [brief.body for brief in BRIEFS.values()]


def codes(model: str, body: str, draw: str = DRAWS[0], *, further: str = "") -> tuple[str, ...]:
    """The violations of an answer; `further` is what follows the brief in the conversation."""
    answer = ask(model, body, draw=draw, further=further)
    return scored(json.loads(answer.text)).violation_codes


@pytest.mark.parametrize("model", REPAIR_DRILLS)
def test_about_half_of_the_first_graphs_are_invalid(model: str) -> None:
    invalid = [bool(codes(model, body, draw)) for body in BODIES for draw in DRAWS[:3]]
    assert 0.3 < sum(invalid) / len(invalid) < 0.8


def test_one_repairs_its_own_graph() -> None:
    for body in BODIES:
        first, repaired = (ask(REPAIRS, body, further=further) for further in ("", "Wrong."))
        assert codes(REPAIRS, body, further="Wrong.") == ()
        assert (first.text == repaired.text) == (codes(REPAIRS, body) == ())
        assert first.id != repaired.id


def test_one_breaks_something_else() -> None:
    for body in BODIES:
        first, repaired = (codes(BREAKS, body, further=further) for further in ("", "Wrong."))
        assert bool(first) == bool(repaired)
        if first:
            assert first != repaired


def test_one_fails_on_the_same_briefs_however_often_it_is_asked() -> None:
    for body in BODIES:
        answers = {codes(STUCK, body, draw) for draw in DRAWS}
        answers |= {codes(STUCK, body, draw, further="Wrong.") for draw in DRAWS}
        assert len({bool(codes) for codes in answers}) == 1
