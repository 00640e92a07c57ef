"""CSV that pandas, DuckDB and spreadsheets read without options, and in which no cell can be taken for a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal

from stages.report.visible_text import visible

CsvValue = str | int | float | bool | None
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
_TEN_THOUSANDTH = Decimal("0.0001")
LONGEST = 1_000
"""Characters of a text cell at most."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[CsvValue]]) -> bytes:
    """UTF-8 with a header line, commas, LF line ends; None is an empty field, booleans are `true` and `false`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_field(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8")


def four_decimals(score: float | None) -> str:
    """A score with four decimals, ties away from zero on the exact value (as the original wrote it), empty when None.

    >>> four_decimals(0.78125), four_decimals(1.0), four_decimals(None)
    ('0.7813', '1.0000', '')
    """
    return "" if score is None else str(Decimal(score).quantize(_TEN_THOUSANDTH, ROUND_HALF_UP))


def plain_number(value: float | None, places: int) -> str:
    """A number without exponent and without trailing zeros, empty when None.

    >>> plain_number(0.00001250, 10), plain_number(812.0, 1), plain_number(0.0, 3), plain_number(None, 1)
    ('0.0000125', '812', '0', '')
    """
    if value is None:
        return ""
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _field(value: CsvValue) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return plain_text(value)


def plain_text(text: str) -> str:
    """A text as a field: one line, of bounded length, with an apostrophe before what a spreadsheet would calculate.

    >>> plain_text("=HYPERLINK(1)"), plain_text("-1"), plain_text("gpt-4.1"), plain_text("0.5")
    ("'=HYPERLINK(1)", "'-1", 'gpt-4.1', '0.5')
    """
    line = visible(text)
    line = line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
    return "'" + line if line.startswith(_FORMULA) else line
