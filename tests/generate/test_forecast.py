"""The forecast comes from history where there is any, and what may surprise is noted."""

import json

from graph_evaluator.generate.forecast import (
    SIMULATED,
    Forecast,
    forecast,
    forecast_line,
    output_tokens,
)
from graph_evaluator.generate.ledger.rows import row_of
from graph_evaluator.generate.ledger.store import Ledger
from tests.builders.cases import cases
from tests.generate.asking import cell, cells, config
from tests.generate.entries import entry, paid
from tests.generate.workspace import model


def test_history_counts_by_its_percentiles():
    assert output_tokens(list(range(101)), 128_000) == (50, 90)
    assert output_tokens([9] * 4, 8_000) == (4_000, 8_000)


def test_only_answers_at_the_same_settings_are_history(tmp_path):
    plain = [planned.calls[0] for planned in cells(config(params={"top_p": 0.5}), samples=5)]
    warm = cell(config("warm", model="m", params={"temperature": 1.0})).calls[0]
    with Ledger(tmp_path) as ledger:
        ledger.add([row_of(paid(call), "m", call.canonical) for call in plain])
        ledger.add([entry("a")])
        assert ledger.output_tokens(plain[0]) == [5] * 5
        assert forecast(ledger.output_tokens, plain[:1]).output_tokens == 5
        both = forecast(ledger.output_tokens, [plain[0], warm])
    assert (both.output_tokens, both.assumed, both.assumed_high) == (4_005, 1, 16_000)


def total(calls=2, *, unpriced=0, assumed=0, simulated=0):
    return Forecast(
        calls=calls,
        assumed=assumed,
        assumed_high=8_000,
        unpriced=unpriced,
        simulated=simulated,
        input_tokens=4_000,
        output_tokens=2_000,
        usd=1,
        high_usd=2,
    )


@cases(
    "given, sentence",
    {
        "all known": (
            total(),
            "3 answers: 1 stored; 2 calls, $1.00 expected, up to $2.00; about 4,000 input tokens "
            "(estimated), 2,000 output tokens (from earlier answers)",
        ),
        "a prior": (
            total(assumed=2),
            "output tokens (assumed, for 2 with too few earlier answers: up to 8,000 a call)",
        ),
        "no price": (total(unpriced=2), "2 calls, no price is known; about"),
        "some prices": (
            total(unpriced=1),
            "$1.00 expected, up to $2.00, no price is known for 1 call; about",
        ),
        "some simulated": (total(simulated=1), "2 calls, $1.00 expected, up to $2.00; about"),
        "all simulated": (
            total(simulated=2),
            "2 calls, $1.00 expected, up to $2.00 (simulated: nothing is charged); about",
        ),
        "nothing to call": (total(0), "3 answers: 3 stored; nothing to call"),
    },
)
def test_the_forecast_says_what_is_known_and_what_is_not(given, sentence):
    assert sentence in forecast_line(given, 3)


@cases(
    "changed, note",
    {
        "a setting that is not sent": (
            {"params": {"reasoning_effort": "low", "temperature": 0.0}},
            "models/m.json: temperature is not sent: models called with reasoning_effort reject it",
        ),
        "a simulated model": (
            {"provider": "simulated", "model": "sim-careful", "base_url": None},
            SIMULATED,
        ),
    },
)
def test_what_may_surprise_is_noted(workspace, changed, note):
    assert "note: " not in workspace.run("--dry-run").stdout
    workspace.write("models/m.json", json.dumps(model(url="http://127.0.0.1:9/v1") | changed))
    assert f"note: {note}" in workspace.run("--dry-run").stdout
