import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.pace.budget import Budget


def test_without_a_cap_everything_is_granted_and_spending_is_counted() -> None:
    budget = Budget(None)
    assert budget.reserve(None) == "reserved"
    budget.settle(None, 0.25)
    assert budget.spent_usd == 0.25


def test_money_comes_back_when_a_call_costs_less_than_its_upper_estimate() -> None:
    budget = Budget(1.0)
    assert budget.reserve(0.8) == "reserved"
    assert budget.reserve(0.8) == "later"
    budget.settle(0.8, 0.1)
    assert budget.reserve(0.8) == "reserved"


def test_what_does_not_fit_with_nothing_out_never_will() -> None:
    assert Budget(1.0).reserve(1.1) == "never"


def test_a_cap_of_zero_lets_only_free_calls_pass() -> None:
    assert Budget(0.0).reserve(0.0) == "reserved"
    assert Budget(0.0).reserve(0.001) == "never"


def test_a_call_without_a_price_is_refused_under_a_cap_and_told_why() -> None:
    budget = Budget(1.0)
    assert budget.reserve(None) == "unknown"
    assert "pricing" in budget.refusal(None)


def test_an_unknown_cost_books_the_upper_estimate() -> None:
    budget = Budget(1.0)
    budget.reserve(0.4)
    budget.settle(0.4, None)
    assert budget.spent_usd == 0.4


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=50), st.floats(0, 5))
def test_nothing_is_ever_spent_beyond_the_cap(calls: list[tuple[float, float]], cap: float) -> None:
    budget = Budget(cap)
    out: list[tuple[float, float]] = []
    for upper, share in calls:
        if budget.reserve(upper) == "reserved":
            out.append((upper, share * upper))
        elif out:
            budget.settle(*out.pop())
    for upper, cost in out:
        budget.settle(upper, cost)
    assert budget.spent_usd <= cap * (1 + 1e-12)
    assert budget.reserved_usd == pytest.approx(0)
