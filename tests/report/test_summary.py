import re

import pytest
from markdown_it import MarkdownIt

from stages.contracts.cell import Cell
from stages.contracts.graph import DraftGraph, Node
from stages.contracts.scorecard import Finding, Scorecard
from stages.report.digest import SIMULATED
from stages.report.summary import best_cell, summary
from tests.report.hostile import HOSTILE
from tests.report.records import card, config, digest, invalid, sub_score, unanswered, unusable

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})
CARDS = (
    card(
        "steady",
        "b1",
        0.61,
        sub_scores={"param_quality": (sub_score("default_takeover", 0.5, defaults=1, causal_edges=4),)},
    ),
    card("steady", "b2", 0.64, warnings=(Finding(code="UNKNOWN_KIND", message="odd"),)),
    card("shaky", "b1", 0.9),
    invalid("shaky", "b2", "CYCLE_DETECTED"),
    unusable("refused", "shaky", "b3"),
    unanswered("rate_limited", "steady", "b3", failure_code="429"),
)


def page(*cards: Scorecard, best: tuple[Cell, DraftGraph] | None = None) -> str:
    return summary(digest(*cards), best)


def section(markdown: str, title: str) -> str:
    return markdown.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_sections_stand_in_the_order_in_which_people_ask() -> None:
    assert re.findall(r"^##? (.+)$", page(*CARDS), re.MULTILINE) == [
        "Results of `draft-0123456789ab`", "Which model to take", "Leaderboard", "By target mode", "By brief", "What failed",
        "Flagged issues", "Warnings",
    ]  # fmt: skip


def test_the_leaderboard_shows_each_mean_beside_its_n_and_failures() -> None:
    first, second = [line for line in section(page(*CARDS), "Leaderboard").splitlines() if re.match(r"\| +\d", line)]
    assert [part.strip() for part in first.strip("|").split("|")][:8] == [
        "1", "steady", "normal", "2", "67% (2/3)", "0.625", "0.434 to 0.816", "0.625",
    ]  # fmt: skip
    assert [part.strip() for part in second.strip("|").split("|")][1:6] == [
        "shaky",
        "normal",
        "3",
        "33% (1/3)",
        "0.300",
    ]


def test_it_says_which_score_ranks() -> None:
    assert "Ranked by expected score" in section(page(*CARDS), "Leaderboard")


def test_ranked_by_the_other_mean_the_page_shows_both_under_their_names() -> None:
    found = section(summary(digest(*CARDS, rank_by="overall_score"), None), "Leaderboard")
    assert "Ranked by overall score" in found
    assert "*Expected* counts an answer without a valid graph as 0." in found
    first = next(line for line in found.splitlines() if re.match(r"\| +1 ", line))
    assert [part.strip() for part in first.strip("|").split("|")][1:8] == [
        "shaky", "normal", "1", "33% (1/3)", "0.900", "—", "0.300",
    ]  # fmt: skip


def test_truncated_refused_and_parse_failed_are_columns_of_their_own() -> None:
    header = next(line for line in page(*CARDS).splitlines() if "Parse failed" in line)
    assert [part.strip() for part in header.strip("|").split("|")] == [
        "Model", "Cells", "Valid", "Invalid", "Parse failed", "Truncated", "Refused", "No answer",
    ]  # fmt: skip


def test_the_failure_summary_has_the_average_default_takeover_share() -> None:
    assert "On average 25% of the causal edges were left at the default parameters" in section(
        page(*CARDS), "What failed"
    )
    assert "over 1 valid graph)" in section(page(*CARDS), "What failed")


def test_failures_stand_with_the_mend() -> None:
    found = section(page(*CARDS), "What failed")
    assert re.search(r"\| `rate_limited` +\| +1 of 6 \| steady 1 +\|.*429.*dvc repro -f", found)
    assert re.search(r"\| `CYCLE_DETECTED` +\| +1 of 6 \| shaky 1", found)


def test_warnings_and_flags_are_listed() -> None:
    found = page(*CARDS)
    assert re.search(r"`UNKNOWN_KIND` +\| +1", section(found, "Warnings"))
    assert "shaky has the highest mean over scored cells" in section(found, "Flagged issues")


def test_each_mode_has_its_advice_and_the_paired_lead() -> None:
    cards = [
        card(model, f"b{brief}", score + brief / 100) for model, score in (("a", 0.7), ("b", 0.6)) for brief in range(3)
    ]
    found = section(summary(digest(*cards, configs=(config("a", "fast"), config("b", "fast"))), None), "By target mode")
    assert "### Fast" in found
    assert re.search(r"\| b +\| +3 \| \+0.100 \|", found)


def test_prompt_cache_use_and_what_it_saved_are_shown() -> None:
    assert re.search(r"\| a +\| +1 \| +2,000 \| +25% \| +\$0.000750 \|", page(card()))


def test_the_best_graph_is_drawn() -> None:
    best = best_cell(digest(*CARDS))
    assert best == Cell("shaky", "b1", 1)
    found = page(*CARDS, best=(best, DraftGraph(nodes=(Node(id="d", kind="decision", label="Which?"),), edges=())))
    assert '```mermaid\nflowchart LR\n  n0{{"Which?"}}\n```' in section(found, "The best graph")


def test_without_a_valid_graph_there_is_no_best() -> None:
    assert best_cell(digest(unanswered())) is None
    assert "The best graph" not in page(unanswered())


def test_simulated_results_say_so_at_the_top_and_in_every_row() -> None:
    found = page(card(simulated=True))
    assert SIMULATED.split(":")[0] in found.split("## ")[0]
    assert "a (simulated)" in found


def test_nothing_failed_is_said() -> None:
    assert "Nothing failed" in section(page(card()), "What failed")


def test_long_parts_are_collapsed() -> None:
    cards = [card("a", f"b{number:03}") for number in range(60)]
    assert "<summary>20 more</summary>" in section(page(*cards), "By brief")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_ids_codes_and_labels_do_nothing(value: str) -> None:
    cards = (
        card(value or "x", value, failure_code=value, warnings=(Finding(code=value, message=value),)),
        unanswered("server_error", value or "x", "b2", failure_code=value),
    )
    found = summary(
        digest(*cards, configs=()),
        (Cell(value or "x", value, 1), DraftGraph(nodes=(Node(id=value, kind=value, label=value),), edges=())),
    )
    tokens = [token for block in GITHUB.parse(found) for token in (block, *(block.children or ()))]
    assert not {token.type for token in tokens} & {"link_open", "image", "html_inline"}
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert set(re.findall(r"</?(\w+)", html)) <= {"details", "summary"}
    assert "\x1b" not in found
    assert "\u202e" not in found


def test_equal_findings_give_equal_pages() -> None:
    assert page(*CARDS) == page(*reversed(CARDS))
