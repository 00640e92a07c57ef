"""For a cell without an answer, the fields that differ from the most similar answered request are named."""

from typing import Any

import pytest

from stages.generate.dry_run import NOTHING_STORED, StoredRequests
from stages.generate.plan.cells import PlannedCell
from tests.generate.asking import cells, config

STORED = [planned.call(1).canonical for planned in cells(config(), briefs=2)]


def one(*, number: int = 0, **changed: Any) -> PlannedCell:
    generate = {key: changed.pop(key) for key in ("samples", "round") if key in changed}
    return cells(config(**changed), briefs=3, **generate)[number]


@pytest.mark.parametrize(
    ("planned", "why"),
    [
        (one(model="other"), "model"),
        (one(base_url="http://127.0.0.1:1/v1"), "endpoint"),
        (one(params={"temperature": 0.5}), "settings.temperature"),
        (
            one(params={"temperature": 0.5, "max_output_tokens": 100}),
            "settings.max_output_tokens and settings.temperature",
        ),
        (one(round=2), "round"),
        (one(number=2), "brief"),
        (cells(config(), samples=2)[1], "sample"),
        (one(model="other", round=2), "model and round"),
    ],
    ids=[
        "model",
        "endpoint",
        "a setting",
        "two settings",
        "round",
        "brief",
        "sample",
        "two fields",
    ],
)
def test_the_fields_that_differ_are_named(planned: PlannedCell, why: str) -> None:
    assert StoredRequests(STORED).difference(planned.call(1).canonical) == why


def test_a_second_draw_differs_in_the_draw() -> None:
    assert (
        StoredRequests(STORED).difference(cells(config(), unparsed_draws=2)[0].call(2).canonical)
        == "draw"
    )


def test_an_empty_ledger_has_nothing_near() -> None:
    assert StoredRequests([]).difference(STORED[0]) == NOTHING_STORED
