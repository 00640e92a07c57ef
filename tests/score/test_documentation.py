"""docs/scoring.md says what the code does: its tables of parts and its numbers are the code's."""

import re
from pathlib import Path

import pytest

from graph_evaluator.records.params import ScoringRules
from tests.score.drafts import draft, scored

PAGE = (Path(__file__).parents[2] / "docs/scoring.md").read_text(encoding="utf-8")
RULES = ScoringRules()


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, without its head."""
    section = PAGE.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    table = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        for line in table
    ]


@pytest.mark.parametrize(
    ("heading", "dimension"),
    [
        ("2. Parameter", "param_quality"),
        ("3. Option", "option_diff"),
        ("4. Completeness", "completeness"),
    ],
)
def test_the_tables_of_parts_have_the_names_order_and_weights_of_the_code(
    heading: str, dimension: str
) -> None:
    parts = scored(draft()).sub_scores[dimension]  # type: ignore[index]
    assert [(row[0], row[1]) for row in rows(heading)] == [
        (f"`{part.name}`", f"{part.weight:.2f}") for part in parts
    ]


def test_the_numbers_in_the_text_are_those_of_the_code() -> None:
    limits, thresholds = RULES.limits, RULES.thresholds
    for sentence in (
        f"{limits.min_options} to {limits.max_options} options, at most {limits.max_nodes} nodes and {limits.max_edges} edges",
        f"`min(distinct / {thresholds.strength_full_marks_at}, 1)`",
        f"`min(distinct / {thresholds.exists_prob_full_marks_at}, 1)`",
        f"= {thresholds.default_mean:g} and std = {thresholds.default_std:g} exactly: ",
        f"`max(1 - p / {thresholds.default_zero_at_percent:g}, 0)`",
        f"add up to at most {thresholds.max_inbound:.1f}",
        f"1 from {thresholds.readable_min_nodes} to {thresholds.readable_max_nodes} nodes, "
        f"{thresholds.crowded_marks:g} from {thresholds.readable_max_nodes + 1} to {thresholds.crowded_max_nodes}, else 0",
        f"Generic labels: {', '.join(RULES.generic_labels)}.",
    ):
        assert sentence in PAGE
