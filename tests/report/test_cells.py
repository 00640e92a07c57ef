import math
from typing import Any

import pytest

from stages.report.cells import sub_scores
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.scorecard import CheckResult, Scorecard, SubScore
from tests.builders.cases import cases
from tests.builders.scorecards import (
    card,
    config,
    frame,
    invalid,
    row,
    sub_score,
    unanswered,
    unfaithful,
    unusable,
)


def test_cells_are_sorted_by_model_brief_and_sample() -> None:
    cells = frame(card("b"), card("a", "b2"), card("a", "b1", sample=2), card("a", "b1"))
    assert list(zip(cells["model_id"], cells["brief_id"], cells["sample"], strict=True)) == [
        ("a", "b1", 1),
        ("a", "b1", 2),
        ("a", "b2", 1),
        ("b", "b1", 1),
    ]


def test_what_was_not_measured_is_nan_or_none_and_never_zero() -> None:
    one = row(frame(unanswered()))
    assert all(
        math.isnan(getattr(one, name))
        for name in ("overall_score", "est_cost_usd", "latency_ms", "input_tokens")
    )
    assert (one.target_mode, one.failure_code) == (None, None)


def test_sub_scores_are_columns_by_dimension_and_name() -> None:
    subs = (
        sub_score("strength_diversity", 0.75),
        sub_score("default_takeover", 0.5, defaults=2, causal_edges=8),
    )
    cells = frame(card(sub_scores={"param_quality": subs}))
    assert sub_scores(cells) == [
        "param_quality.strength_diversity",
        "param_quality.default_takeover",
    ]
    assert cells["param_quality.strength_diversity"].tolist() == [0.75]
    assert cells["default_share"].tolist() == [0.25]


@cases(
    "subs, share",
    {
        "no sub-score": ((), math.nan),
        "not counted": ((sub_score("default_takeover", 0.5),), math.nan),
        "no causal edges": ((sub_score("default_takeover", 1.0, defaults=0, causal_edges=0),), math.nan),
        "none at the defaults": ((sub_score("default_takeover", 1.0, defaults=0, causal_edges=3),), 0.0),
    },
)  # fmt: skip
def test_the_share_of_edges_at_the_defaults_is_that_of_causal_edges(
    subs: tuple[SubScore, ...], share: float
) -> None:
    (found,) = frame(card(sub_scores={"param_quality": subs}))["default_share"]
    assert found == pytest.approx(share, nan_ok=True)


def test_the_codes_say_why_there_is_no_usable_graph() -> None:
    cells = frame(
        card(),
        invalid("a", "b2", "X", "Y", "X"),
        unusable("refused", brief="b3"),
        unanswered(brief="b4"),
    )
    assert cells["codes"].tolist() == [(), ("X", "Y", "X"), ("refused",), ("server_error",)]
    assert cells["usable"].tolist() == [True, False, False, False]
    assert cells["answered"].tolist() == [True, True, True, False]


def test_a_valid_graph_that_failed_a_fidelity_check_is_not_usable() -> None:
    cells = frame(unfaithful("a", "b1", "grounding", "target"), card(brief="b2"))
    assert cells["usable"].tolist() == [False, True]
    assert cells["codes"].tolist() == [("grounding", "target"), ()]
    assert cells["fidelity"].tolist() == ["fail", None]


def test_fidelity_codes_name_the_checks_that_failed_or_warned() -> None:
    checks = (
        CheckResult(name="grounding", outcome="fail", message="m"),
        CheckResult(name="target", outcome="warn", message="m"),
        CheckResult(name="prompt_copy", outcome="pass", message="m"),
    )
    cells = frame(card(fidelity=checks))
    assert (cells["fidelity_codes"].tolist(), cells["fidelity"].tolist()) == (
        [("grounding", "target")],
        ["fail"],
    )


def test_only_an_answer_has_an_unknown_cost() -> None:
    cells = frame(card(est_cost_usd=None), unanswered(brief="b2"), card(brief="b3"))
    assert cells["cost_unknown"].tolist() == [True, False, False]


def test_the_config_gives_name_and_mode_and_without_one_the_id_is_the_name() -> None:
    cells = frame(card("a"), card("b"), configs=[config("a", "deep", display_name="Model A")])
    assert list(zip(cells["name"], cells["target_mode"], strict=True)) == [
        ("Model A", "deep"),
        ("b", None),
    ]


def named(*cards: Scorecard, **names: str) -> list[str]:
    """The names of the models of cards, whose configs have these display names."""
    configs = [config(model, display_name=name) for model, name in names.items()]
    return frame(*cards, configs=configs)["name"].tolist()


REAL, SIMULATED = card("a"), card("a", simulated=True)


@cases(
    "cards, names, shown",
    {
        "invisible characters": ((REAL,), {"a": "x\u202ey\u200b"}, ["xy"]),
        "two of one name": ((REAL, card("b")), {"a": "Twin", "b": "Twin"}, ["Twin (a)", "Twin (b)"]),
        "some simulated": ((SIMULATED, card("b")), {"a": "A", "b": "B"}, ["A (simulated)", "B"]),
        "all simulated": ((SIMULATED, card("b", simulated=True)), {"a": "A", "b": "B"}, ["A", "B"]),
        "it says so": ((SIMULATED, card("b")), {"a": "Simulated: a", "b": "B"}, ["Simulated: a", "B"]),
    },
)  # fmt: skip
def test_models_have_visible_names_that_tell_them_apart(
    cards: tuple[Scorecard, ...], names: dict[str, str], shown: list[str]
) -> None:
    assert named(*cards, **names) == shown


PRICE = {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "published"}


@cases(
    "price, tokens, saved",
    {
        "read": ({"cached_input_per_1m": 0.5}, {"cached_tokens": 1_000_000}, 1.5),
        "written": (
            {"cache_write_per_1m": 2.5},
            {"cached_tokens": 0, "cache_write_tokens": 1_000_000},
            -0.5,
        ),
        "written at the full price": (
            {"cached_input_per_1m": 0.5},
            {"cached_tokens": 0, "cache_write_tokens": 1_000_000},
            0.0,
        ),
        "read at the full price": ({}, {"cached_tokens": 1_000_000}, 0.0),
    },
)
def test_the_cache_saves_on_reads_and_costs_on_writes(
    price: dict[str, float], tokens: dict[str, Any], saved: float
) -> None:
    configs: list[ModelConfig] = [config("a", pricing=PRICE | price)]
    assert frame(card(**tokens), configs=configs)["cache_saved_usd"].tolist() == [saved]


def test_what_the_cache_saved_is_unknown_without_a_price_or_a_count() -> None:
    assert (
        frame(card(), card("b", cached_tokens=None), configs=[config("b")])["cache_saved_usd"]
        .isna()
        .all()
    )
