import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.simulate.reading import read
from tests.simulate.requests import BRIEFS

LISTS = {
    "bullets": "Options:\n- Hire a cook.\n- Buy an oven, on credit.\n",
    "numbers": "We could do this:\n1. Hire a cook.\n2) Buy an oven, on credit.\n",
    "letters": "A. Hire a cook.\n\nB. Buy an oven, on credit.\n",
    "letters in brackets": "Candidates:\n(a) Hire a cook.\n(b) Buy an oven, on credit.",
    "spelled out": "Option 1: Hire a cook.\nOption 2: Buy an oven, on credit.\n",
    "table": "| | Hire a cook | Buy an oven |\n|---|---|---|\n| price | 3 | 4 |\n",
    "question": "Should we hire a cook or buy an oven?",
    "semicolons": "We can hire a cook; or buy an oven.",
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS.keys())
def test_options_are_read_in_the_brief_s_own_words(text: str) -> None:
    assert [option.label for option in read(text).options] == ["Hire a cook", "Buy an oven"]


def test_a_list_of_conditions_is_not_taken_for_the_options() -> None:
    text = "Conditions:\n- nobody is dismissed\n- no debt\n\nWhat could be done:\nA. Merge.\nB. Make no change.\n"
    assert [option.label for option in read(text).options] == ["Merge", "Make no change"]


OPTIONS = {
    "01-simple-binary": 2, "02-pricing-saas-tiers": 3, "03-hiring-data-lead": 4, "04-expansion-sweden": 4, "05-build-or-buy-billing": 3,
    "06-near-identical-carriers": 3, "07-clinic-no-shows": 4, "08-school-meals-council": 4, "10-many-observables": 4,
    "11-feedback-loop-marketplace": 4, "12-personal-relocation": 4, "13-ryokan-jp": 4, "14-dates-packing-ar": 4, "15-waermenetz-de": 4,
    "16-conflicting-constraints": 4,
}  # fmt: skip


@pytest.mark.parametrize(("brief", "count"), OPTIONS.items())
def test_the_options_of_the_shipped_briefs_are_found(brief: str, count: int) -> None:
    assert len(read(BRIEFS[brief].body).options) == count


@pytest.mark.parametrize("brief", BRIEFS)
def test_a_target_is_read_where_a_shipped_brief_names_one_and_nowhere_else(brief: str) -> None:
    assert (read(BRIEFS[brief].body).target is not None) == BRIEFS[brief].expectations.has_numeric_target


@pytest.mark.parametrize("brief", BRIEFS)
def test_staying_put_is_ruled_out_where_a_shipped_brief_says_so(brief: str) -> None:
    assert read(BRIEFS[brief].body).staying_allowed == BRIEFS[brief].expectations.expect_status_quo


TARGETS = {
    "percentage": ("We want fewer than 0.5% of invoices to be wrong.", 0.5, "%"),
    "currency and magnitude": ("Goal: sales of SEK 90 million in the third year.", 90.0, "SEK million"),
    "grouped digits": ("The target is revenue of $260,000 by the end of December.", 260_000.0, "$"),
    "count": ("The goal is 1,000 completed deals per month.", 1000.0, "completed"),
    "Japanese": ("私たちは、です。目標は、3年後に年間の営業利益を2,400万円にすることです。", 2400.0, "万円"),
}


@pytest.mark.parametrize(("text", "raw", "unit"), TARGETS.values(), ids=TARGETS.keys())
def test_a_target_is_a_number_with_its_unit(text: str, raw: float, unit: str) -> None:
    target = read(text).target
    assert target is not None
    assert (target.raw, target.unit) == (raw, unit)


def test_a_year_is_no_target() -> None:
    assert read("Our goal is to be happy by 2027 or in 3 years.").target is None


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    assert 0 <= read(text).difficulty <= 1


ENDLESS = {
    "one word": "word " * 20_000,
    "alternatives": "a; b or c? " * 9_000,
    "bullets": "- a\n" * 25_000,
    "bars": "|" * 100_000,
    "digits": "1." * 50_000,
    "aims": "goal 1 " * 14_000,
    "letters": "a.m. " * 20_000,
    "no break": "x" * 100_000,
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_text_of_100_000_characters_is_read(text: str) -> None:
    assert len(read(text).options) <= 8
