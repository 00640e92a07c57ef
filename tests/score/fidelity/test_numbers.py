"""Numbers: what a brief gives is found however it is written, and nothing is found by arithmetic."""

import pytest

from tests.score.fidelity.checking import brief, check, explicit, graph, with_data


@pytest.mark.parametrize(
    ("written", "value", "unit"),
    [
        pytest.param("2,300 commuters", 2300, None, id="thousands separator"),
        pytest.param("1.000 Stück", 1000, None, id="point as thousands separator"),
        pytest.param("1.000 litres", 1, "kilolitre", id="exempt"),
        pytest.param("1.250 litres", 1.25, None, id="point as decimal separator"),
        pytest.param("31 400 t", 31400, "t", id="space between thousands"),
        pytest.param("13,8 ct", 13.8, "ct/kWh", id="decimal comma"),
        pytest.param("1,00,000 rupees", 100_000, "₹", id="Indian grouping"),
        pytest.param("€4.5m", 4_500_000, "€", id="m"),
        pytest.param("€900k", 0.9, "€ million", id="k, claimed in millions"),
        pytest.param("₹85 lakh", 85, "₹ lakh", id="lakh"),
        pytest.param("34 Mio. €", 34_000_000, "€", id="Mio."),
        pytest.param("約3,200万円", 32_000_000, "円", id="万"),
        pytest.param("約1億1,000万円", 11_000, "万円", id="億 and 万"),
        pytest.param("24百万円", 2400, "万円", id="百万"),
        pytest.param("約2,400万円", 24, "百万円", id="claimed in 百万"),
        pytest.param("5.8 مليون ريال", 5_800_000, "ريال", id="million in Arabic"),
        pytest.param("٤٢٠ طالبة", 420, None, id="Arabic-Indic digits"),
        pytest.param("١٫٨ مليون", 1.8, "مليون ريال", id="Arabic decimal separator"),
        pytest.param("３０室", 30, "室", id="full-width digits"),
        pytest.param("88 % of them", 0.88, None, id="percent as a share"),
        pytest.param("2.8％", 0.028, "比率", id="full-width percent sign"),
        pytest.param("一万九千円", 19_000, "円", id="万 in Han digits"),
        pytest.param("كل يوم ثلاثمئة رغيف في هذا العام", 300, "رغيف", id="Arabic hundreds"),
        pytest.param(
            "ونحن نعمل هنا منذ أحد عشر عاما في هذا البيت من قبل", 11, "سنة", id="Arabic eleven"
        ),
        pytest.param("三割", 30, "%", id="割"),
        pytest.param("三十二名", 32, "名", id="Han digits"),
        pytest.param("三分の二", 66.7, "%", id="Japanese fraction"),
        pytest.param("forty-five practices", 45, None, id="number words"),
        pytest.param(
            "two hundred and fifty thousand people", 250_000, None, id="long number words"
        ),
        pytest.param("a third of that", 33, "%", id="fraction"),
        pytest.param("three quarters", 75, "%", id="fraction with a numerator"),
        pytest.param("0.5 to 2.2 million a year", 500_000, None, id="range with one scale word"),
        pytest.param("20–30%", 0.2, None, id="range with one percent sign"),
        pytest.param(
            "die fünfundvierzig und der Rest von den Leuten", 45, None, id="German number words"
        ),
        pytest.param(
            "من خمسة وأربعين ألف ريال إلى ستين ألفا في هذا العام",
            45_000,
            "ريال",
            id="Arabic number words",
        ),
    ],
)
def test_a_number_of_the_brief_is_found(written: str, value: float, unit: str | None) -> None:
    result = check("numbers", explicit(value, unit), brief(f"We know this: {written}."))
    assert result.outcome == ("pass" if value != 1 else "not_applicable")


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        pytest.param(3500, None, id="a sum"),
        pytest.param(2760, None, id="a product"),
        pytest.param(23, None, id="a free power of ten"),
        pytest.param(12, "%", id="the complement"),
        pytest.param(89, None, id="near to one"),
        pytest.param(2, None, id="a digit of one"),
    ],
)
def test_a_number_that_is_not_in_the_brief_warns(value: float, unit: str | None) -> None:
    result = check(
        "numbers",
        explicit(value, unit),
        brief("We have 2,300 commuters, 1,200 seats and 88% punctuality."),
    )
    assert (result.outcome, result.numbers, result.labels) == ("warn", (value,), ("Litres a year",))


def test_inferred_values_and_zero_and_one_are_not_applicable() -> None:
    assert check("numbers", graph()).outcome == "not_applicable"
    assert (
        check("numbers", with_data({"raw_value": 77, "extractionType": "inferred"})).outcome
        == "not_applicable"
    )
    assert check("numbers", explicit(0)).outcome == "not_applicable"


def test_a_value_without_a_raw_value_is_compared_itself() -> None:
    assert (
        check("numbers", with_data({"value": 0.88, "extractionType": "explicit"})).outcome == "pass"
    )


def test_a_list_of_numbers_is_read_as_its_parts() -> None:
    assert (
        check("numbers", explicit(14), brief("Tables for 12, 14 and 16; rows 3,5,7.")).outcome
        == "pass"
    )
    assert (
        check("numbers", explicit(7), brief("Tables for 12, 14 and 16; rows 3,5,7.")).outcome
        == "pass"
    )


def test_the_evidence_is_where_the_brief_gives_the_numbers() -> None:
    result = check("numbers", explicit(1.2, "million litres"))
    assert [passage.text for passage in result.passages] == ["1.2 million"]
