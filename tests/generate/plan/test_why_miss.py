"""A cell that misses is told in what it differs from the nearest request that was ever answered."""

from typing import Any

import pytest

from stages.generate.plan.cell_plan import PlannedCell
from stages.generate.plan.why_miss import NOTHING_STORED, Nearest
from tests.generate.asking import cells, config

STORED = [text for planned in cells(config(), briefs=2) for text in planned.canonical]


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
    ids=["model", "endpoint", "a setting", "two settings", "round", "brief", "sample", "two fields"],
)
def test_the_fields_that_differ_are_named(planned: PlannedCell, why: str) -> None:
    assert Nearest(STORED).why(planned.canonical[0]) == why


def test_a_second_draw_is_told_as_one() -> None:
    assert Nearest(STORED).why(cells(config(), unparsed_draws=2)[0].canonical[1]) == "draw"


def test_an_empty_ledger_has_nothing_near() -> None:
    assert Nearest([]).why(STORED[0]) == NOTHING_STORED
