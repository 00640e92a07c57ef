"""Which model is named: what is shown worse drops out, and the cheapest of the rest is taken."""

from dataclasses import replace

from graph_evaluator.records.params import CompareParams
from graph_evaluator.report.selection import select
from tests.builders.cases import cases
from tests.builders.scorecards import candidate, card, invalid

PARAMS = CompareParams.model_validate({})
WAVE = [-0.02, 0.01, 0.03, -0.01, 0.0, -0.03, 0.02, 0.0]


def model(
    name, mean, content=None, *, briefs=16, usd=0.01, latency_ms=1000.0, usable=True, swing=1.0
):
    """A model whose scores vary around their mean, each model in its own order, and its contents alike."""
    turn = sum(map(ord, name)) % len(WAVE)
    cards = []
    for index in range(briefs):
        move = swing * WAVE[(index * (turn + 1)) % len(WAVE)]
        figures = {"est_cost_usd": usd, "latency_ms": latency_ms}
        figures["content"] = None if content is None else content + move
        brief = f"b{index:03}"
        if usable:
            cards.append(card(name, brief, mean + move, **figures))
        else:
            cards.append(invalid(name, brief, "X", **figures))
    return candidate(*cards)


def chosen(*candidates):
    by_form = sorted(candidates, key=lambda one: -(one.summary.form.value or 0.0))
    return select(by_form, PARAMS)


@cases(
    "candidates, verdict, named, worse_in",
    {
        "shown better in form, whatever it costs": (
            [model("a", 0.90, usd=9.0), model("b", 0.60), model("c", 0.50, usd=0.0)],
            "leads",
            "a",
            {"b": "form", "c": "form"},
        ),
        "higher in form by less than matters": (
            [model("a", 0.82, swing=0.1, usd=0.05), model("b", 0.80, swing=0.1)],
            "not_worse",
            "b",
            {"a": None},
        ),
        "measured ahead by what matters, and not shown": (
            [model("a", 0.7, swing=0, usd=0.05), model("b", 0.6, swing=12)],
            "not_worse",
            "a",
            {"b": None},
        ),
        "shown better in content": (
            [model("a", 0.83, 0.6, usd=0.01), model("b", 0.80, 0.9, usd=0.05)],
            "leads",
            "b",
            {"a": "content"},
        ),
        "the cheapest is shown worse in content": (
            [model("a", 0.8, 0.8, usd=5.0), model("b", 0.8, 0.8, usd=3.0), model("c", 0.8, 0.6)],
            "not_worse",
            "b",
            {"a": None, "c": "content"},
        ),
        "content on five briefs": (
            [model("a", 0.8, 0.6, briefs=5), model("b", 0.8, 0.9, briefs=5, usd=0.05)],
            "undecided",
            "a",
            {"b": None},
        ),
        "an unknown cost is the dearest": (
            [model("a", 0.8, usd=None), model("b", 0.8, usd=9.0)],
            "not_worse",
            "b",
            {"a": None},
        ),
        "of equal costs the faster": (
            [model("a", 0.8, latency_ms=900.0), model("b", 0.8, latency_ms=800.0)],
            "not_worse",
            "b",
            {"a": None},
        ),
        "nothing usable": ([model("a", 0.8, usable=False)], "none", None, {}),
        "one with a usable graph": (
            [model("a", 0.8), model("b", 0.8, usable=False)],
            "only_candidate",
            "a",
            {},
        ),
    },
)
def test_what_is_shown_worse_drops_out_and_the_cheapest_of_the_rest_is_named(
    candidates, verdict, named, worse_in
):
    found = chosen(*candidates)
    assert (found.verdict, found.named and found.named.id) == (verdict, named)
    assert {rival.model: rival.worse_in for rival in found.rivals} == worse_in


def test_content_is_compared_on_six_briefs_that_have_it_of_both():
    first, second = model("a", 0.8, 0.6), model("b", 0.8, 0.9, usd=0.05)
    briefs = {
        brief: replace(score, content=score.content if place < 5 else None)
        for place, (brief, score) in enumerate(second.summary.briefs.items())
    }
    unread = replace(second, summary=replace(second.summary, briefs=briefs))
    assert chosen(first, second).named.id == "b"
    found = chosen(first, unread)
    assert (found.named.id, found.rivals[0].content) == ("a", None)


def test_leads_share_the_error_rate_among_rivals_and_numbers():
    a, b, c = (model(name, 0.8, 0.8) for name in "abc")
    lengths = []
    for rivals in ((b,), (b, c)):
        (lead, *_) = chosen(a, *rivals).rivals
        lengths.append((lead.difference.high or 0.0) - (lead.difference.low or 0.0))
    assert lengths[0] < lengths[1]
    alone = chosen(model("a", 0.8), model("b", 0.8)).rivals[0].difference
    assert (alone.high or 0.0) - (alone.low or 0.0) < lengths[0]
