import math
from typing import Any

import pytest

from stages.contracts.model_config import ModelConfig
from stages.contracts.scorecard import CheckResult, SubScore
from stages.report.cells import sub_scores
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


@pytest.mark.parametrize(
    "subs",
    [
        (),
        (sub_score("default_takeover", 0.5),),
        (sub_score("default_takeover", 1.0, defaults=0, causal_edges=0),),
    ],
    ids=["no sub-score", "not counted", "no causal edges"],
)
def test_a_default_share_that_was_not_counted_is_nan(subs: tuple[SubScore, ...]) -> None:
    assert frame(card(sub_scores={"param_quality": subs}))["default_share"].isna().all()


def test_no_edge_at_the_defaults_is_a_share_of_zero() -> None:
    subs = (sub_score("default_takeover", 1.0, defaults=0, causal_edges=3),)
    assert frame(card(sub_scores={"param_quality": subs}))["default_share"].tolist() == [0.0]


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


def test_models_that_share_a_display_name_carry_their_ids() -> None:
    configs = [config(one, display_name="Twin") for one in ("a", "b")]
    assert frame(card("a"), card("b"), configs=configs)["name"].tolist() == ["Twin (a)", "Twin (b)"]


def test_a_name_has_no_invisible_characters() -> None:
    assert frame(card(), configs=[config("a", display_name="x\u202ey\u200b")])["name"].tolist() == [
        "xy"
    ]


@pytest.mark.parametrize(
    ("cards", "names"),
    [
        ((card("a", simulated=True), card("b")), ["A (simulated)", "B"]),
        ((card("a", simulated=True), card("b", simulated=True)), ["A", "B"]),
        ((card("a"), card("b")), ["A", "B"]),
    ],
    ids=["some", "all", "none"],
)
def test_simulated_models_are_marked_where_real_ones_took_part(
    cards: tuple[object, ...], names: list[str]
) -> None:
    assert frame(*cards, configs=[config("a"), config("b")])["name"].tolist() == names  # type: ignore[arg-type]


def test_a_name_that_says_simulated_is_not_marked_again() -> None:
    configs = [config("a", display_name="Simulated: a")]
    assert (
        frame(card("a", simulated=True), card("b"), configs=configs)["name"].tolist()[0]
        == "Simulated: a"
    )


PRICE = {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "published"}


@pytest.mark.parametrize(
    ("price", "tokens", "saved"),
    [
        ({"cached_input_per_1m": 0.5}, {"cached_tokens": 1_000_000}, 1.5),
        ({"cache_write_per_1m": 2.5}, {"cached_tokens": 0, "cache_write_tokens": 1_000_000}, -0.5),
        ({"cached_input_per_1m": 0.5}, {"cached_tokens": 0, "cache_write_tokens": 1_000_000}, 0.0),
        ({}, {"cached_tokens": 1_000_000}, 0.0),
    ],
    ids=["read", "written", "written at the full price", "read at the full price"],
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
