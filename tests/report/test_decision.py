"""The decisions of a run, from its scorecards to the record of results/decision.json."""

import json
from typing import Any

import pytest

from stages.shared.records.decision import Decision
from stages.shared.records.json_text import pretty
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.scorecard import Scorecard
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
)


def decided(cards: list[Scorecard], configs: list[ModelConfig], **params: Any) -> Decision:
    return findings(*cards, configs=configs, **params).decision


def many(
    model: str, score: float, briefs: int = 16, swing: float = 0.0, **fields: Any
) -> list[Scorecard]:
    """Scores that vary a little, and by `swing` up and down from brief to brief."""
    swings = [swing if index % 2 else -swing for index in range(briefs)]
    return [
        card(model, f"b{index:02}", score + 0.01 * (index % 3) + swings[index], **fields)
        for index in range(briefs)
    ]


def test_each_mode_decides_among_the_models_made_for_it() -> None:
    found = decided(
        [*many("a", 0.9), *many("b", 0.3), *many("c", 0.5)],
        [config("a"), config("b"), config("c", "fast")],
    )
    assert {mode: (each.verdict, each.model) for mode, each in found.modes.items()} == {
        "fast": ("only_candidate", "c"),
        "normal": ("leads", "a"),
    }


def test_for_a_mode_with_limits_every_model_is_a_candidate() -> None:
    cards = [*many("a", 0.9, latency_ms=90_000.0), *many("b", 0.3), *many("c", 0.6)]
    found = decided(
        cards,
        [config("a"), config("b"), config("c", "fast")],
        modes={"deep": {"max_p95_latency_s": 60}},
    )
    deep = found.modes["deep"]
    assert (deep.verdict, deep.model, deep.excluded) == ("leads", "c", ("a",))
    assert [(check.model, check.verdict) for check in deep.checks] == [
        ("a", "missed"),
        ("c", "cannot tell"),
        ("b", "cannot tell"),
    ]
    assert "Left out, as a limit was missed: A." in deep.reason


@cases(
    "limits",
    {
        "no limit": {},
        "of the latency": {"max_p95_latency_s": 60},
        "of the cost": {"max_usd_per_usable_graph": 1.0},
    },
)
def test_a_model_of_unknown_cost_and_latency_keeps_no_limit_on_them(
    limits: dict[str, float],
) -> None:
    cards = [
        *many("a", 0.9, latency_ms=None, est_cost_usd=None),
        *many("b", 0.3, latency_ms=1000.0),
    ]
    configs = [config("a"), config("b")]
    normal = decided(cards, configs, modes={"normal": limits} if limits else {}).modes["normal"]
    if limits:
        assert (normal.model, normal.excluded) == ("b", ("a",))
        assert "Left out, as a limit was not measured: A." in normal.reason
        assert normal.checks[0].verdict == "not measured"
    else:
        assert normal.model == "a"
        assert "Not measured: its cost and its latency." in normal.reason


def test_a_mode_in_which_every_candidate_misses_a_limit_names_nobody() -> None:
    found = decided(
        [*many("a", 0.9, briefs=2), *(invalid("a", f"c{index}", "CYCLE") for index in range(16))],
        [config("a")],
        modes={"fast": {"min_usable_rate": 0.5}},
    )
    fast = found.modes["fast"]
    assert (fast.verdict, fast.model, fast.excluded, fast.evidence) == ("none", None, ("a",), None)
    assert fast.reason.startswith("No candidate with a usable graph is left. Left out, as a limit")


def test_models_without_a_config_are_decided_among_themselves() -> None:
    found = decided([*many("a", 0.9), *many("old", 0.5)], [config("a")])
    assert {mode: each.model for mode, each in found.modes.items()} == {
        "normal": "a",
        "other": "old",
    }


def test_a_decision_names_what_it_rests_on() -> None:
    (found,) = decided(many("a", 0.8), [config("a", deprecated_on="2027-01-31")]).modes.values()
    assert (found.config_sha256, found.prompt.path) == ("1" * 64, "prompts/draft.txt")
    assert found.shutdown_date == "2027-01-31"
    assert found.evidence is not None
    assert found.evidence.usd_per_usable_graph == pytest.approx(0.01)
    assert found.evidence.latency_p50_s == 1.0
    assert (found.evidence.answers, found.evidence.usable_rate.value) == (16, 1.0)


def test_the_record_is_read_back_unchanged() -> None:
    cards = [*many("a", 0.83, est_cost_usd=0.05), *many("b", 0.80), *many("c", 0.2)]
    limits = {
        "fast": {"max_p95_latency_s": 60, "max_usd_per_usable_graph": 0.1, "min_usable_rate": 0.5}
    }
    found = decided(cards, [config("a"), config("b")], modes=limits)
    assert Decision.model_validate(json.loads(pretty(found.to_json()))) == found


def test_a_decision_says_that_a_model_is_simulated() -> None:
    real, simulated = many("a", 0.8), many("a", 0.8, simulated=True)
    found = [decided(cards, [config("a")]).modes["normal"].simulated for cards in (real, simulated)]
    assert found == [False, True]
