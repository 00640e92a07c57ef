import re

import pytest
from markdown_it import MarkdownIt

from stages.report.findings import SIMULATED, Findings
from stages.report.summary import best_graph, summary
from stages.shared.records.json_text import JsonValue
from stages.shared.records.scorecard import Finding, Scorecard
from tests.builders.cases import cases
from tests.builders.responses import response
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
    sub_score,
    unanswered,
    unfaithful,
    unusable,
)
from tests.report.hostile import HOSTILE

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})
CARDS = (
    card(
        "steady",
        "b1",
        0.61,
        sub_scores={
            "param_quality": (sub_score("default_takeover", 0.5, defaults=1, causal_edges=4),)
        },
    ),
    card("steady", "b2", 0.64, warnings=(Finding(code="UNKNOWN_KIND", message="odd"),)),
    card("shaky", "b1", 0.9),
    invalid("shaky", "b2", "CYCLE_DETECTED"),
    unusable("refused", "shaky", "b3"),
    unanswered("rate_limited", "steady", "b3", failure_code="429"),
)


def page(*cards: Scorecard, graph: JsonValue = None) -> str:
    return printed(findings(*cards), graph)


def printed(found: Findings, graph: JsonValue = None) -> str:
    """The summary, where every response holds this graph; None: there is no response."""
    return summary(
        found, lambda cell: response(cell, parsed_graph=graph) if graph is not None else None
    )


def best_of(*cards: Scorecard) -> tuple[str, str] | None:
    best = best_graph(findings(*cards))
    return (best.model_id, best.brief_id) if best else None


def section(markdown: str, title: str) -> str:
    return markdown.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_sections_come_in_the_order_in_which_people_ask() -> None:
    assert re.findall(r"^##? (.+)$", page(*CARDS), re.MULTILINE) == [
        "Results of `draft-0123456789ab`", "Which model to take", "Leaderboard", "By brief", "What failed and why",
        "Flagged issues",
    ]  # fmt: skip


def rows_of(markdown: str) -> list[list[str]]:
    """The fields of every row of its tables."""
    return [
        [part.strip() for part in line.strip("|").split("|")]
        for line in markdown.splitlines()
        if line.startswith("|")
    ]


def test_the_leaderboard_shows_each_mean_beside_its_n_and_failures() -> None:
    header, _, first, second = rows_of(section(page(*CARDS), "Leaderboard"))[:4]
    shown = [dict(zip(header, row, strict=True)) for row in (first, second)]
    assert [(row["Model"], row["Score"], row["Usable"]) for row in shown] == [
        ("STEADY", "0.625", "67% (2/3)"),
        ("SHAKY", "0.300", "33% (1/3)"),
    ]
    assert (shown[0]["Interval of the score"], shown[0]["Briefs"]) == ("0.434 to 0.816", "2")


def test_outcomes_without_a_usable_graph_are_counted_by_model() -> None:
    rows = rows_of(section(page(*CARDS), "What failed and why").split("Outcomes by model")[1])
    assert rows[0] == [
        "Model", "Cells", "Invalid", "Failed a check", "Parse failed", "Truncated", "Refused", "No answer", "Unchecked",
    ]  # fmt: skip
    assert rows[2:] == [
        ["STEADY", "3", "0", "0", "0", "0", "0", "1", "0"],
        ["SHAKY", "3", "1", "0", "0", "0", "1", "0", "0"],
    ]


@cases(
    "title, pattern",
    {
        "default share": (
            "What failed and why",
            r"On average 25% of the causal edges .* over 1 valid graph\)",
        ),
        "unanswered": (
            "What failed and why",
            r"`rate_limited` +\| +17% \(1/6\) \| STEADY 1 +\| .*dvc repro -f.*\| 429 ",
        ),
        "answered": ("What failed and why", r"`CYCLE_DETECTED` +\| +17% \(1/6\) \| SHAKY 1"),
        "warning": ("What failed and why", r"`UNKNOWN_KIND` +\| +1"),
        "flag": ("Flagged issues", "SHAKY gave a usable graph in only"),
    },
)
def test_what_failed_is_listed_with_counts_and_the_fix(title: str, pattern: str) -> None:
    assert re.search(pattern, section(page(*CARDS), title))


def test_each_mode_has_its_advice_and_the_paired_lead() -> None:
    cards = [
        card(model, f"b{brief}", score + brief / 100)
        for model, score in (("a", 0.7), ("b", 0.6))
        for brief in range(3)
    ]
    found = printed(findings(*cards, configs=(config("a", "fast"), config("b", "fast"))))
    advice = section(found, "Which model to take")
    assert re.search(
        r"\| fast +\| A +\| undecided, .* \| Undecided: A has the highest score.* B may be as good",
        advice,
    )
    assert re.search(r"\| fast +\| A +\| B +\| +3 \| \+0.100 \| .* undecided", advice)
    assert found.count("Undecided: A has the highest score") == 1


def test_the_limits_of_a_mode_are_shown_with_what_was_measured() -> None:
    cards = [
        card(model, f"b{brief:02}", latency_ms=90_000.0 if model == "a" else 9.0)
        for model in "ab"
        for brief in range(16)
    ]
    shown = printed(findings(*cards, modes={"fast": {"max_p95_latency_s": 50}}))
    found = section(shown, "Which model to take")
    limit = r"\| fast +\| at most 5% of the calls over 50.0 s +\|"
    assert re.search(limit + r" A +\| 100% +\| .* missed", found)
    assert re.search(limit + r" B +\| 0% +\| .* cannot tell; about \d+ answers would decide", found)


def test_one_card_has_no_leads_no_failures_and_no_warnings() -> None:
    found = page(card())
    assert "paired by brief" not in found
    assert "Warnings" not in found
    assert "Nothing failed" in section(found, "What failed and why")
    assert re.search(r"\| A +\| +1 \| +2,000 \| +25% \| +\$0.000750 \|", found)


def test_answers_of_unknown_cost_are_counted() -> None:
    found = page(card(), card(brief="b2", est_cost_usd=None))
    assert "cost $0.0100 + 1 unknown." in found.split("## ")[0]


def test_the_best_graph_is_usable() -> None:
    assert best_of(card(score=0.4), unfaithful("b", "b1", "grounding", score=0.9)) == ("a", "b1")


def test_the_best_graph_is_drawn() -> None:
    assert best_of(*CARDS) == ("shaky", "b1")
    found = page(
        *CARDS, graph={"nodes": [{"id": "d", "kind": "decision", "label": "Which?"}], "edges": []}
    )
    assert "SHAKY on b1, sample 1: overall 0.900." in section(found, "The best graph")
    assert '```mermaid\nflowchart LR\n  n0{{"Which?"}}\n```' in section(found, "The best graph")


def test_of_equal_graphs_the_best_is_of_the_better_ranked_model() -> None:
    cards = (card("a", score=0.9), card("a", "b2", 0.1), card("b", score=0.9), card("b", "b2", 0.9))
    assert best_of(*cards) == ("b", "b1")


def test_without_a_usable_graph_there_is_no_best() -> None:
    assert best_of(unanswered()) is None
    assert "The best graph" not in page(unanswered())


def test_simulated_results_say_so_at_the_top() -> None:
    assert SIMULATED.split(":")[0] in page(card(simulated=True)).split("## ")[0]


@pytest.mark.parametrize(("briefs", "collapsed"), [(40, False), (41, True)])
def test_a_table_of_more_than_forty_rows_is_collapsed(briefs: int, collapsed: bool) -> None:
    found = section(page(*(card("a", f"b{number:03}") for number in range(briefs))), "By brief")
    assert ("<details>" in found) == collapsed


def test_many_flags_are_collapsed() -> None:
    many = [invalid(f"m{number}", "b1", "X") for number in range(22)]
    assert "<summary>3 more</summary>" in section(page(*many), "Flagged issues")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_ids_codes_and_labels_do_nothing(value: str) -> None:
    cards = (
        card(
            value or "x", value, failure_code=value, warnings=(Finding(code=value, message=value),)
        ),
        unanswered("server_error", value or "x", "b2", failure_code=value),
    )
    shown = findings(*cards, configs=())
    found = printed(shown, {"nodes": [{"id": value, "kind": value, "label": value}], "edges": []})
    tokens = [token for block in GITHUB.parse(found) for token in (block, *(block.children or ()))]
    assert not {token.type for token in tokens} & {"link_open", "image", "html_inline"}
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert set(re.findall(r"</?(\w+)", html)) <= {"details", "summary"}
    assert "\x1b" not in found
    assert "\u202e" not in found


def test_equal_findings_give_equal_pages() -> None:
    assert page(*CARDS) == page(*reversed(CARDS))
