"""A small run in which nearly everything that a report can say is said."""

from typing import Any

from graph_evaluator.records.brief import parse_brief
from graph_evaluator.records.run_results import DAMAGES, BriefCard, CheckCard, CheckCards
from graph_evaluator.records.scorecard import DecidingNumber, EdgeRef, EffectResult
from tests.builders.graphs import DRAFT
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
    manifest,
    one_of_each,
    option,
    recommending,
    stored,
    sub_score,
    unanswered,
    unfaithful,
    unusable,
)

RIGHT, WRONG = (
    EffectResult(effect="rent raises cost", outcome="right", value=0.5),
    EffectResult(effect="cost lowers goal", outcome="wrong", value=0.25),
)
SUBS = {
    "param_quality": (sub_score("strength_diversity", 0.75), sub_score("range_discipline", 1.0)),
    "completeness": (sub_score("goal_threshold", 0.5),),
}
FOREIGN: dict[str, Any] = {"checks": {"grounding": "not_applicable"}, "content": None}
RENT = recommending(option("Rent", 0.4, 0.7, stated="rent"), option("Buy", 0.3, status_quo=True))
BUY = recommending("Buy", "Rent")
DECIDING = DecidingNumber(
    message="If Price weighed nothing, another would be best.",
    edge=EdgeRef(index=1, source="f", target="g"),
)
NONE = dict.fromkeys(DAMAGES, 0)
COPIES = dict(zip(DAMAGES, (4, 5, 6, 2, 0), strict=True))
CHECKS = CheckCards(
    copies=COPIES,
    checks=(
        CheckCard(name="target", question="Which?", own=False, caught=NONE),
        CheckCard(name="options_kept", question="All?", own=False, caught=NONE),
        CheckCard(name="has_tax", question="Tax?", own=True, caught=NONE | {"signs turned": 3}),
        CheckCard(name="depth", question="How deep?", own=True, caught=NONE),
    ),
    briefs=(
        BriefCard(brief_id="b1", copies=10, caught=9),
        BriefCard(brief_id="b2", copies=4, caught=1),
    ),
)


def careful(loss=0.0, other="gpt-y", **fields: Any):
    """A model with two answers to each of seven briefs, whose form and content have lost so much;
    `other` answered the first brief.
    """
    given: dict[str, Any] = {
        "sub_scores": SUBS, "effects": (RIGHT, WRONG), "effect_counts": {"right": 1, "wrong": 1}, "asked_model": "gpt-x",
        "deciding": (DECIDING,),
    }  # fmt: skip
    return [
        card(
            "careful", f"b{brief}", 0.7 + brief / 50 - sample / 40 - loss, sample, content=0.5 + sample / 10 - loss,
            recommendation=RENT if brief + sample < 7 else BUY, est_cost_usd=0.02 + brief / 1000,
            answered_model=other if brief == 1 else "gpt-x-2026-10-01",
            own_checks={
                "has_tax": sample == 1 or brief == 2, "depth": brief / 10 if brief < 7 else None,
            },
            **(given | fields),
        )
        for brief in range(1, 8)
        for sample in (1, 2)
    ]  # fmt: skip


def cards():
    """Four models, most of them with failures: one is simulated, one is never usable."""
    sim: dict[str, Any] = {"simulated": True, "recommendation": BUY}
    flaky = [
        *(card("flaky", f"b{brief}", 0.6 + brief / 40, content=0.3, **sim) for brief in (1, 2)),
        card("flaky", "b3", 0.5, **FOREIGN, **sim),
        invalid("flaky", "b4", "CYCLE_DETECTED", "ORPHAN_NODE", "ORPHAN_NODE", "X", **sim),
        unfaithful("flaky", "b5", "target", "grounding", **sim),
        unusable("truncated", "flaky", "b6", simulated=True, est_cost_usd=None),
        unanswered("rate_limited", "flaky", "b7", simulated=True, failure_code="429"),
    ]
    silent = [unusable("refused", "silent", f"b{brief}", latency_ms=9000.0) for brief in (1, 2)]
    return [*careful(), *flaky, *silent, *one_of_each()]


def rich_run():
    """Its findings, a brief, and what reads its cells."""
    run = cards()
    configs = [
        config("careful", "fast", deprecated_on="2027-01-31"),
        config("flaky", "fast"),
        config("silent", "deep"),
        config("m", "deep", display_name="Model | M"),
    ]
    limits = {"normal": {"min_usable_rate": 0.8, "max_usd_per_usable_graph": 0.025}}
    names = ("careful", "flaky", "m", "silent")
    of = manifest(*names, briefs=9, samples=4)
    found = findings(*run, configs=configs, run=of, checks=CHECKS, modes=limits)
    text = "---\ncomplexity: simple\n---\nRent or buy?\n"
    briefs = {
        brief.brief_id: parse_brief(brief.brief_id, text, file="b.md") for brief in found.briefs
    }
    return found, briefs, stored(*run, graph=DRAFT)
