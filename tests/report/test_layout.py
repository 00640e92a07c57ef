"""Places and arrows of small layouts, in pixels: boxes of 100, at least 16 between boxes and 60 between columns."""

from stages.report.drawing.layout import Layout, Link, Place, Shape, columns_of, lay_out
from tests.builders.cases import cases

SHAPE = Shape(width=100, lines=3, gap=16.0, channel=(60, 180))


def laid(columns: list[int], links: list[Link], heights: list[int] | None = None) -> Layout:
    return lay_out(tuple(columns), tuple(heights or [40] * len(columns)), tuple(links), SHAPE)


def test_boxes_that_are_linked_are_level_and_a_margin_surrounds_them() -> None:
    found = laid([0, 1], [(0, 1)], heights=[40, 60])
    assert found.places == [Place(14, 24, 100, 40), Place(174, 14, 100, 60)]
    assert (found.width, found.height) == (14 + 100 + 60 + 100 + 14, 14 + 60 + 14)


def test_parts_without_a_link_between_them_are_below_one_another_the_largest_first() -> None:
    found = laid([0, 0, 1, 0, 1, 2], [(1, 2), (3, 4), (4, 5)], heights=[30, 40, 40, 60, 60, 60])
    assert [(place.x, place.y) for place in found.places] == [
        (14, 146), (14, 90), (174, 90), (14, 14), (174, 14), (334, 14)
    ]  # fmt: skip
    assert found.height == 14 + 60 + 16 + 40 + 16 + 30 + 14


@cases("columns, links, routes", {"to the right": ([0, 1], [(0, 1)], [("M114,34C144,34 144,34 174,34", (134, 34))]), "to the left": ([0, 1], [(1, 0)], [("M174,34C144,34 144,34 114,34", (154, 34))]), "two from one side": (
            [0, 1, 1],
            [(0, 1), (0, 2)],
            [("M114,58C144,58 144,34 174,34", (134, 45.75)), ("M114,66C144,66 144,90 174,90", (134, 78.25))],
        ), "past a column": (
            [0, 1, 2],
            [(0, 1), (1, 2), (0, 2)],
            [
                ("M114,52C144,52 144,34 174,34", (134, 42.75)),
                ("M274,34C304,34 304,52 334,52", (294, 42.75)),
                ("M114,60C144,60 144,77 174,77H274C304,77 304,60 334,60", (294, 68.75)),
            ],
        ), "back past a column": (
            [0, 1, 2],
            [(0, 1), (1, 2), (2, 0)],
            [
                ("M114,52C144,52 144,34 174,34", (134, 42.75)),
                ("M274,34C304,34 304,52 334,52", (294, 42.75)),
                ("M334,60C304,60 304,77 274,77H174C144,77 144,60 114,60", (154, 68.75)),
            ],
        ), "down its column": ([0, 0], [(0, 1)], [("M114,34C149,34 149,90 114,90", (140, 62))]), "up its column": ([0, 0], [(1, 0)], [("M114,90C149,90 149,34 114,34", (140, 62))]), "to itself": ([0], [(0, 0)], [("M114,22C144,22 144,46 114,46", (136.5, 34))]),})  # fmt: skip
def test_an_arrow_joins_the_sides_of_its_boxes_level_with_its_badge_beside_its_middle(
    columns: list[int], links: list[Link], routes: list[tuple[str, tuple[float, float]]]
) -> None:
    assert laid(columns, links).routes == routes


def test_arrows_share_the_side_of_a_box_nine_pixels_apart_or_less_if_there_are_many() -> None:
    def starts(count: int) -> list[float]:
        found = laid([0, *[1] * count], [(0, number) for number in range(1, count + 1)])
        place = found.places[0]
        return [float(path.split(",")[1].split("C")[0]) - place.y for path, _ in found.routes]

    assert starts(3) == [11, 20, 29]
    assert starts(12) == sorted(starts(12))
    assert (starts(12)[0], starts(12)[-1]) == (9, 31)


def test_arrows_within_a_column_reach_further_the_longer_they_are_and_need_room_in_the_last_column_only() -> (
    None
):
    found = laid([0] * 12, [(0, 1), (0, 11)], heights=[60] * 12)
    assert ["C151," in found.routes[0][0], "C174," in found.routes[1][0]] == [True, True]
    assert found.width == 14 + 100 + 14 + 32
    assert laid([0, 0, 1], [(0, 1)]).width == 14 + 100 + 60 + 100 + 14


def test_columns_are_further_apart_the_more_arrows_pass_between_them() -> None:
    def channel(count: int) -> int:
        found = laid([0, *[1] * count], [(number, 0) for number in range(1, count + 1)])
        return found.places[1].x - 114

    assert [channel(count) for count in (8, 20, 40, 80)] == [60, 90, 140, 180]


def test_factors_are_in_columns_by_their_longest_chain_and_a_cycle_ends_in_the_last() -> None:
    kinds = ["decision", "factor", "factor", "factor", "?", "goal", "risk", "outcome"]
    assert columns_of(kinds, []) == [0, 1, 1, 1, 1, 3, 2, 2]
    assert columns_of(kinds, [(1, 2), (2, 3), (1, 3), (3, 4), (0, 1), (4, 5)]) == [
        0,
        1,
        2,
        3,
        4,
        6,
        5,
        5,
    ]
    assert columns_of(["factor"] * 6, [(number, number + 1) for number in range(5)]) == [
        0,
        1,
        2,
        3,
        3,
        3,
    ]
    assert columns_of(["factor", "factor"], [(0, 1), (1, 0)]) == [0, 0]
    assert columns_of(["factor", "factor", "decision"], [(0, 0), (2, 1)]) == [1, 1, 0]
