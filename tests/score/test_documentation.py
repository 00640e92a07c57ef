"""docs/scoring.md says what the code does: its tables have the parts and weights of the code."""

import re

import pytest

from tests import REPOSITORY
from tests.score.drafts import draft, scored

PAGE = (REPOSITORY / "docs/scoring.md").read_text(encoding="utf-8")


def rows(heading):
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
def test_the_tables_of_parts_have_the_names_order_and_weights_of_the_code(heading, dimension):
    parts = scored(draft()).sub_scores[dimension]
    assert [(row[0], row[1]) for row in rows(heading)] == [
        (f"`{part.name}`", f"{part.weight:.2f}") for part in parts
    ]
