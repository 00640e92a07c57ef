"""The decisions of a run: from its scorecards to the words and tables that people read."""

import json
from typing import Any

import pytest

from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.params import ModeLimits
from graph_evaluator.report.decision import check_limits, modes_table
from tests.approval import check_approved
from tests.builders.cases import cases
from tests.builders.scorecards import (
    candidate,
    card,
    config,
    findings,
    invalid,
    unanswered,
)
from tests.report.rich_run import rich_run


def decided(cards, configs, **params):
    return findings(*cards, configs=configs, **params).decision


def many(model, score, swing=0.0, **fields):
    """Scores that go up and down by `swing` from brief to brief; content is not measured."""
    none: dict[str, Any] = {"content": None}
    return [
        card(model, f"b{index:02}", score + (swing if index % 2 else -swing), **none | fields)
        for index in range(16)
    ]


def reason(*cards):
    return findings(*cards).decision.modes["normal"].reason


def rows(found):
    table = modes_table(found.decision, found.candidates)
    return [[entry.text for entry in entries] for entries in table.rows]


def test_for_a_mode_with_limits_every_model_is_a_candidate():
    cards = [*many("a", 0.9, latency_ms=90_000.0), *many("b", 0.3), *many("c", 0.6)]
    configs = [config("a"), config("b"), config("c", "fast")]
    found = findings(*cards, configs=configs, modes={"deep": {"max_p95_latency_s": 60}})
    deep = found.decision.modes["deep"]
    assert (deep.verdict, deep.model, deep.excluded) == ("leads", "c", ("a",))
    verdicts = {check.model: check.verdict for check in deep.checks}
    assert verdicts == {"a": "missed", "b": "cannot tell", "c": "cannot tell"}
    assert "Left out for a limit: A (max_p95_latency_s missed)." in deep.reason
    limit = "max_p95_latency_s 60: missed (100% took longer, 83% to 100%)"
    assert ["deep", "A", f"left out for a limit; {limit}"] in rows(found)


@pytest.mark.parametrize("limit", ["max_p95_latency_s", "max_usd_per_usable_graph"])
def test_a_model_of_unknown_cost_and_latency_keeps_no_limit_on_them(limit):
    cards = [*many("a", 0.9, latency_ms=None, est_cost_usd=None), *many("b", 0.3)]
    configs = [config("a"), config("b")]
    normal = decided(cards, configs, modes={"normal": {limit: 60}}).modes["normal"]
    assert (normal.model, normal.excluded) == ("b", ("a",))
    assert f"Left out for a limit: A ({limit} not measured)." in normal.reason
    assert (normal.checks[0].verdict, normal.checks[0].measured.value) == ("not measured", None)
    without_limits = decided(cards, configs).modes["normal"]
    assert without_limits.model == "a"
    assert "Not measured: its cost and its latency." in without_limits.reason


def test_a_mode_in_which_every_candidate_misses_a_limit_names_nobody():
    cards = [card(), *(invalid("a", f"c{index}", "CYCLE") for index in range(16))]
    fast = decided(cards, [config("a")], modes={"fast": {"min_usable_rate": 0.5}}).modes["fast"]
    assert (fast.verdict, fast.model, fast.excluded, fast.evidence) == ("none", None, ("a",), None)
    assert fast.reason.startswith(
        "No candidate with a usable graph is left. Left out for a limit: A ("
    )


def test_a_decision_is_as_approved():
    values = json.loads(
        pretty(rich_run()[0].decision.to_json()), parse_float=lambda digits: round(float(digits), 6)
    )
    check_approved("decision.json", pretty(values).decode())


def check(cards, **limit):
    (one,) = check_limits(candidate(*cards), ModeLimits.model_validate(limit), 0.95)
    return one


def calls(fast, slow=0, given_up=0):
    """Calls of 10 s, of 90 s, and such as were given up, one a brief."""
    seconds = [10] * fast + [90] * slow
    answered = [card(brief=f"b{n:02}", latency_ms=1000.0 * s) for n, s in enumerate(seconds)]
    return answered + [unanswered("timeout_failed", brief=f"z{n}") for n in range(given_up)]


@cases(
    "cards, verdict",
    {
        "3 of 16 over": (calls(13, 3), "missed"),
        "3 of 16 given up": (calls(13, given_up=3), "missed"),
        "2 of 16 over": (calls(14, 2), "cannot tell"),
        "none of 16": (calls(16), "cannot tell"),
        "none of 59": (calls(59), "met"),
        "no call": ([unanswered()], "not measured"),
    },
)
def test_the_95th_percentile_is_judged_by_the_share_of_calls_over_the_limit(cards, verdict):
    assert check(cards, max_p95_latency_s=60.0).verdict == verdict


def test_a_call_of_exactly_the_limit_is_within_it_and_one_without_a_latency_is_in_no_share():
    cards = [
        card(latency_ms=60_000.0),
        card(brief="b2", latency_ms=None),
        unanswered("timeout_failed", brief="b3"),
        unanswered(brief="b4"),
    ]
    measured = check(cards, max_p95_latency_s=60.0).measured
    assert (measured.value, measured.n) == (0.5, 2)


def answers(usable, failed):
    """The answers to so many briefs."""
    graphs = [card(brief=f"u{index:02}") for index in range(usable)]
    return graphs + [invalid("a", f"f{index:02}", "X") for index in range(failed)]


@pytest.mark.parametrize(("usable", "failed", "verdict"), [(40, 0, "met"), (8, 8, "missed")])
def test_the_share_of_usable_graphs_is_judged_by_its_interval(usable, failed, verdict):
    found = check(answers(usable, failed), min_usable_rate=0.9)
    assert (found.verdict, found.measured.value) == (verdict, usable / (usable + failed))


@cases(
    "cards, value, verdict",
    {
        "met": (answers(8, 0), 0.01, "met"),
        "the answers that failed count": (answers(4, 4), 0.02, "missed"),
        "one is unknown": ([*answers(1, 0), card(est_cost_usd=None)], None, "not measured"),
    },
)
def test_the_cost_of_a_usable_graph_counts_all_answers(cards, value, verdict):
    found = check(cards, max_usd_per_usable_graph=0.015)
    assert (found.measured.value, found.verdict) == (value, verdict)


def test_what_a_limit_names_exactly_is_within_it():
    sixteen = answers(16, 0)
    least = check(sixteen, min_usable_rate=0.5).measured.low
    assert least
    assert check(sixteen, min_usable_rate=least).verdict == "met"
    assert check(sixteen, max_usd_per_usable_graph=0.01).verdict == "met"


def test_a_leader_is_shown_with_what_is_shown_worse():
    cards = [*many("good", 0.9), *many("poor", 0.3), *many("wrong", 0.88)]
    contents = {"good": 0.9, "poor": 0.9, "wrong": 0.4}
    found = findings(*(one.model_copy(update={"content": contents[one.model_id]}) for one in cards))
    assert found.decision.modes["normal"].reason == (
        "GOOD leads: form 0.900 (16 briefs, 95% interval 0.746 to 0.900), content 0.900 (16 briefs, "
        "95% interval 0.746 to 0.900). Shown worse: WRONG in content, POOR in form."
    )
    assert rows(found) == [
        ["normal", "GOOD", "named"], ["normal", "WRONG", "lower in content"], ["normal", "POOR", "lower in form"]
    ]  # fmt: skip


def test_form_at_its_ceiling_is_shown_as_what_was_seen():
    assert (
        "distinguished: form 1.000, usable 16 of 16 (at least 83% of all briefs with 95% confidence)."
        in reason(*many("a", 1.0), *many("b", 1.0))
    )


def test_a_candidate_without_a_usable_graph_is_named_and_shown_in_its_mode():
    found = findings(*many("a", 0.8), invalid("b"), unanswered(model="c"))
    assert [row[-1] for row in rows(found)] == ["named", "no usable graph", "no answer"]
    said = found.decision.modes["normal"].reason
    assert said.endswith("No usable graph from B. No answer from C.")
