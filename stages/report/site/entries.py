"""Entries of tables: each kind of number with its text, and the exact value to sort and download by."""

from collections.abc import Callable

from stages.contracts.response import Status
from stages.report import number_formats as show
from stages.report.cells import CellResult
from stages.report.estimate import Estimate
from stages.report.site.table import Entry


def measured(value: float | None, write: Callable[[float | None], str], *, note: str = "") -> Entry:
    """A number as it is written, and as it is."""
    return Entry(write(value), value, note=note)


def counted(value: int | None) -> Entry:
    """A number of things."""
    return Entry(show.count(value), value)


def estimated(estimate: Estimate) -> Entry:
    """A mean."""
    return Entry(show.score(estimate.mean), estimate.mean)


def interval(estimate: Estimate) -> Entry:
    """An interval with the number of briefs behind it; it sorts by its lower end, which its text begins with."""
    text = show.span(estimate.low, estimate.high)
    return Entry(text, None if estimate.low is None else text, note=f"n = {estimate.n}")


def status_entry(status: Status, *, valid: bool) -> Entry:
    """What became of a cell: a graph that is valid, a graph that is not, or the status."""
    if status == "success":
        return Entry("valid", look="good") if valid else Entry("invalid", look="bad")
    answered = status in ("parse_failed", "truncated", "refused")
    return Entry(status.replace("_", " "), look="bad" if answered else "warn")


def verdict_of(cell: CellResult) -> Entry:
    """What became of a cell."""
    return status_entry(cell.status, valid=cell.structural_valid)


def codes(found: tuple[str, ...]) -> Entry:
    """Violation codes, each once, with how often it occurs."""
    unique = list(dict.fromkeys(found))
    return Entry(", ".join(code if found.count(code) == 1 else f"{code} ×{found.count(code)}" for code in unique))
