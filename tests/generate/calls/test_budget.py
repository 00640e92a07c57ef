from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.calls.booking import Budget, Progress
from graph_evaluator.generate.plan.call import Call
from tests.generate.calls.examples import call


def costing(upper_usd, name="a", *, model="m"):
    return call(name, cost_upper_usd=upper_usd, model=model)


def refused(budget, one):
    assert budget.when_affordable(one) == "never"
    refusal = budget.refusal(one)
    assert refusal.status == "budget_stopped"
    return refusal.code


def test_money_comes_back_when_a_call_costs_less_than_its_upper_estimate():
    budget = Budget(1.0)
    budget.reserve(costing(0.8))
    assert budget.when_affordable(costing(0.8, "b")) == "later"
    budget.book(costing(0.8), 0.1)
    assert budget.when_affordable(costing(0.8, "b")) == "now"


def test_a_cap_of_zero_allows_only_free_calls():
    assert Budget(0.0).when_affordable(costing(0.0)) == "now"
    assert refused(Budget(0.0), costing(0.001)) == "max_cost_usd"
    assert refused(Budget(1.0), costing(None)) == "price_unknown"
    assert Budget(None).when_affordable(costing(None)) == "now"


def test_an_unknown_cost_books_the_upper_estimate():
    budget = Budget(1.0)
    budget.reserve(costing(0.4))
    budget.book(costing(0.4), None)
    assert budget.spent_usd("runtime.max_cost_usd") == 0.4


def test_what_an_answer_of_a_model_cost_is_reserved_for_its_later_calls_and_for_no_other_model():
    budget = Budget(1.0)
    budget.reserve(costing(0.01))
    budget.book(costing(0.01), 0.6)
    assert refused(budget, costing(0.01, "b")) == "max_cost_usd"
    assert budget.when_affordable(costing(0.01, "b", model="another")) == "now"


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=50), st.floats(0, 5))
def test_nothing_is_ever_spent_beyond_the_cap(calls, cap):
    budget = Budget(cap)
    in_flight: list[tuple[Call, float]] = []
    for number, (upper, share) in enumerate(calls):
        one = costing(upper, str(number), model=str(number))
        if budget.when_affordable(one) == "now":
            budget.reserve(one)
            in_flight.append((one, share * upper))
        elif in_flight:
            budget.book(*in_flight.pop())
    for one, cost in in_flight:
        budget.book(one, cost)
    assert budget.spent_usd("runtime.max_cost_usd") <= cap * (1 + 1e-12)


def said(*events, calls=2):
    """The lines of a run in which this happens."""
    lines: list[str] = []
    progress = Progress(calls, lines.append)
    for event, cost_usd in events:
        progress.observe(event, cost_usd)
    return lines


def test_the_end_is_one_line():
    lines = said(("answered", 0.5), ("retrying", None), ("failed", None))
    assert lines == ["2 of 2 done, 1 retry, 1 call failed, $0.500, 0:00:00 left"]


def test_a_further_draw_is_one_more_call_and_an_unknown_cost_is_not_counted_as_free():
    lines = said(("further", None), ("answered", 0.5), ("answered", None), ("answered", 0.5))
    assert lines == ["3 of 3 done, 0 retries, 0 calls failed, $1.00+, 0:00:00 left"]
