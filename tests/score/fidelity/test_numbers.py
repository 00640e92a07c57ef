"""Numbers: what a brief gives is found however it is written, and nothing is found by arithmetic."""

from typing import Any

import pytest

from tests.builders.cases import cases
from tests.score.fidelity.checking import brief, check, explicit, graph, with_data


@cases(
    "written, value, unit",
    {
        "thousands separator": ("2,300 commuters", 2300, None),
        "point as thousands separator": ("1.000 Stück", 1000, None),
        "point as decimal separator": ("1.250 litres", 1.25, None),
        "Indian grouping": ("1,00,000 rupees", 100_000, "₹"),
        "m": ("€4.5m", 4_500_000, "€"),
        "k, claimed in millions": ("€900k", 0.9, "€ million"),
        "lakh": ("₹85 lakh", 85, "₹ lakh"),
        "Mio.": ("34 Mio. €", 34_000_000, "€"),
        "万": ("約3,200万円", 32_000_000, "円"),
        "億 and 万": ("約1億1,000万円", 11_000, "万円"),
        "百万": ("24百万円", 2400, "万円"),
        "million in Arabic": ("5.8 مليون ريال", 5_800_000, "ريال"),
        "Arabic-Indic digits": ("٤٢٠ طالبة", 420, None),
        "Arabic decimal separator": ("١٫٨ مليون", 1.8, "مليون ريال"),
        "full-width digits": ("３０室", 30, "室"),
        "percent as a share": ("88 % of them", 0.88, None),
        "full-width percent sign": ("2.8％", 0.028, "比率"),
        "万 in Han digits": ("一万九千円", 19_000, "円"),
        "Arabic hundreds": ("كل يوم ثلاثمئة رغيف في هذا العام", 300, "رغيف"),
        "Arabic eleven": ("ونحن نعمل هنا منذ أحد عشر عاما في هذا البيت من قبل", 11, "سنة"),
        "割": ("三割", 30, "%"),
        "Han digits": ("三十二名", 32, "名"),
        "Japanese fraction": ("三分の二", 66.7, "%"),
        "long number words": ("two hundred and fifty thousand people", 250_000, None),
        "fraction": ("a third of that", 33, "%"),
        "fraction with a numerator": ("three quarters", 75, "%"),
        "German number words": ("die fünfundvierzig und der Rest von den Leuten", 45, None),
        "Arabic number words": (
            "من خمسة وأربعين ألف ريال إلى ستين ألفا في هذا العام",
            45_000,
            "ريال",
        ),
    },
)
def test_a_number_of_the_brief_is_found(written: str, value: float, unit: str | None) -> None:
    result = check("numbers", explicit(value, unit), brief(f"We know this: {written}."))
    assert result.outcome == "pass"


@cases(
    "value, unit",
    {
        "a sum": (3500, None),
        "a product": (2760, None),
        "a free power of ten": (23, None),
        "the complement": (12, "%"),
        "near to one": (89, None),
    },
)
def test_a_number_that_is_not_in_the_brief_warns(value: float, unit: str | None) -> None:
    result = check(
        "numbers",
        explicit(value, unit),
        brief("We have 2,300 commuters, 1,200 seats and 88% punctuality."),
    )
    assert (result.outcome, result.numbers, result.labels) == ("warn", (value,), ("Litres a year",))


@cases(
    "drafted, expected",
    {
        "no value": (graph(), "not_applicable"),
        "inferred": (with_data({"raw_value": 77, "extractionType": "inferred"}), "not_applicable"),
        "zero": (explicit(0), "not_applicable"),
        "without a raw value": (with_data({"value": 0.88, "extractionType": "explicit"}), "pass"),
    },
)
def test_only_explicit_values_beyond_0_and_1_are_compared(drafted: Any, expected: str) -> None:
    assert check("numbers", drafted).outcome == expected


@pytest.mark.parametrize("value", [14, 7])
def test_a_list_of_numbers_is_read_as_its_parts(value: float) -> None:
    about = brief("Tables for 12, 14 and 16; rows 3,5,7.")
    assert check("numbers", explicit(value), about).outcome == "pass"


def test_the_evidence_is_where_the_brief_gives_the_numbers() -> None:
    result = check("numbers", explicit(1.2, "million litres"))
    assert [passage.text for passage in result.passages] == ["1.2 million"]
