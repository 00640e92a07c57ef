from stages.contracts.cell import Cell
from stages.report.workers import WORTH_IT, each


def page(cell: Cell) -> tuple[str, bytes]:
    """A page that only names its cell."""
    return f"{cell.brief_id}.html", b"page"


def test_pages_come_in_the_order_of_the_cells_from_any_number_of_processes() -> None:
    cells = [Cell("a", f"b{number}", 1) for number in range(WORTH_IT + 300)]
    assert list(each(page, cells)) == [page(cell) for cell in cells]


def test_a_few_cells_are_done_here() -> None:
    seen: list[Cell] = []

    def noted(cell: Cell) -> tuple[str, bytes]:
        seen.append(cell)
        return page(cell)

    assert list(each(noted, [Cell("a", "b", 1)])) == [("b.html", b"page")]
    assert len(seen) == 1
