"""Places and arrows of small layouts, in pixels; the boxes are 100 wide."""

import re

import pytest

from stages.report.drawing.layout import GAP, Layout, Link, columns_of, lay_out
from tests.builders.cases import cases


def laid(columns: list[int], links: list[Link], heights: list[int] | None = None) -> Layout:
    return lay_out(columns, heights or [40] * len(columns), links, width=100)


def ends(layout: Layout) -> list[tuple[float, float, float, float]]:
    """The first and the last point of every arrow."""
    numbers = [list(map(float, re.findall(r"[\d.]+", path))) for path in layout.paths]
    return [(points[0], points[1], points[-2], points[-1]) for points in numbers]


def test_an_arrow_past_a_column_of_boxes_is_within_the_drawing() -> None:
    found = laid([0, 1, 2], [*[(0, 2)] * 9, (0, 1)])
    for path in found.paths:
        numbers = list(map(float, re.findall(r"[\d.]+", path)))
        assert 0 < min(numbers[1::2]) <= max(numbers[1::2]) < found.height


def test_linked_boxes_are_beside_each_other_and_links_do_not_cross() -> None:
    found = laid([0, 0, 1, 1], [(0, 3), (1, 2)])
    tops = [place.y for place in found.places]
    assert (tops[0], tops[1]) == (tops[3], tops[2])
    assert abs(tops[0] - tops[1]) == 40 + GAP


@cases(
    "columns, links, to_the_right",
    {
        "to the right": ([0, 1], [(0, 1)], True),
        "to the left": ([0, 1], [(1, 0)], False),
        "past a column": ([0, 1, 2], [(0, 2), (0, 1), (1, 2)], True),
        "back past a column": ([0, 1, 2], [(2, 0), (0, 1), (1, 2)], False),
        "past a column that its part does not have": ([0, 1, 2, 3, 3], [(0, 3), (1, 4)], True),
    },
)
def test_an_arrow_joins_the_sides_of_its_boxes_that_face_each_other(
    columns: list[int], links: list[Link], to_the_right: bool
) -> None:
    found = laid(columns, links)
    source, target = (found.places[end] for end in links[0])
    x, y, x2, y2 = ends(found)[0]
    assert (x, x2) == ((source.x + 100, target.x) if to_the_right else (source.x, target.x + 100))
    assert source.y <= y <= source.y + source.height
    assert target.y <= y2 <= target.y + target.height


@pytest.mark.parametrize("link", [(0, 1), (1, 0), (0, 0)])
def test_an_arrow_within_a_column_is_at_the_right_of_its_boxes_and_within_the_drawing(
    link: Link,
) -> None:
    found = laid([0, 0], [link])
    (path,) = found.paths
    numbers = list(map(float, re.findall(r"[\d.]+", path)))
    assert min(numbers[::2]) == found.places[0].x + 100
    assert max(numbers[::2]) <= found.width


@cases(
    "kinds, links, columns",
    {
        "no links": (["decision", "factor", "?", "goal", "risk", "outcome"], [], [0, 1, 1, 3, 2, 2]),
        "a chain": (["factor"] * 6, [(number, number + 1) for number in range(5)], [0, 1, 2, 3, 3, 3]),
        "a longer way": (["factor"] * 3, [(0, 1), (1, 2), (0, 2)], [0, 1, 2]),
        "a cycle": (["factor", "factor"], [(0, 1), (1, 0)], [0, 0]),
        "of other kinds": (["factor", "factor", "decision"], [(0, 0), (2, 1)], [1, 1, 0]),
    },
)  # fmt: skip
def test_factors_are_in_columns_by_their_longest_chain_and_a_cycle_ends_in_the_last(
    kinds: list[str], links: list[Link], columns: list[int]
) -> None:
    assert columns_of(kinds, links) == columns
