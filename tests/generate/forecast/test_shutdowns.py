"""Models that are switched off are named before money is spent on them."""

import datetime
from dataclasses import replace

import pytest

from stages.generate.forecast import shutdown_notes
from stages.generate.prices import published_prices
from tests.builders.cases import cases
from tests.generate.asking import config, planned_model

TODAY = datetime.date(2026, 11, 21)
DAY = datetime.date(2027, 1, 14)
GEMINI = "https://generativelanguage.googleapis.com/v1beta/openai"
HERE = planned_model(config()).endpoint
OUTDATED = published_prices("openai", GEMINI, "gemini-2.0-flash")


@cases(
    "stated, listed, outdated, said",
    {
        "nothing is known": (None, None, False, []),
        "the config says so": (DAY, None, False, ["switched off on 2027-01-14, in 54 days"]),
        "the endpoint says so": (None, DAY, False, ['"deprecated_on": "2027-01-14"']),
        "they differ": (TODAY, DAY, False, ["in 54 days", 'the config says "2026-11-21"']),
        "they agree": (DAY, DAY, True, ["choose another model before then"]),
        "it is over": (TODAY, None, False, ["was switched off", "no longer be reproduced"]),
        "tomorrow": (TODAY + datetime.timedelta(1), None, False, ["in 1 day;"]),
        "the prices say so": (None, None, True, ["deprecated by its provider"]),
    },
)
def test_what_is_reported_of_a_model(
    stated: datetime.date | None, listed: datetime.date | None, outdated: bool, said: list[str]
) -> None:
    listing = {(HERE, "gpt-x"): listed} if listed else {}
    model = planned_model(config(model="gpt-x", deprecated_on=stated))
    prices = replace(model.prices, published=OUTDATED if outdated else None)
    model = replace(model, prices=prices)
    notes = list(shutdown_notes([model], listing))
    assert len(notes) == min(len(said), 1)
    assert all(part in notes[0] for part in said)


@pytest.mark.parametrize(
    ("model", "deprecated"), [("gemini-2.0-flash", True), ("gpt-6.1-terra", False)]
)
def test_the_published_prices_say_which_models_are_deprecated(model: str, deprecated: bool) -> None:
    url = GEMINI if deprecated else None
    found = published_prices("openai", url, model)
    assert found is not None
    assert found.deprecated is deprecated
