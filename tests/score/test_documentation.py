"""docs/scoring.md says what the code does: its tables of parts and its numbers are the code's."""

import re
from pathlib import Path

import pytest

from graph_evaluator.graph.topology import MAX_EDGES
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score import structure, sub_scores
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
    readable, crowded = sub_scores.READABLE_NODES, sub_scores.MAX_CROWDED_NODES
    for sentence in (
        f"{structure.MIN_OPTIONS} to {structure.MAX_OPTIONS} options, at most {structure.MAX_NODES} nodes and {MAX_EDGES} edges",
        f"`min(distinct / {sub_scores.STRENGTHS_FOR_FULL_MARKS}, 1)`",
        f"`min(distinct / {sub_scores.PROBABILITIES_FOR_FULL_MARKS}, 1)`",
        f"= {sub_scores.DEFAULT_MEAN:g} and std = {sub_scores.DEFAULT_STD:g} exactly: ",
        f"`max(1 - p / {sub_scores.DEFAULTS_FOR_NO_MARKS_PERCENT:g}, 0)`",
        f"add up to at most {sub_scores.MAX_INBOUND:.1f}",
        f"1 from {readable[0]} to {readable[1]} nodes, "
        f"{sub_scores.CROWDED_MARKS:g} from {readable[1] + 1} to {crowded}, else 0",
        f"Generic labels: {', '.join(RULES.generic_labels)}.",
    ):
        assert sentence in PAGE
