"""A dry run says why cells are called."""

from graph_evaluator.generate.forecast import reasons_missing
from tests.builders.cases import cases
from tests.generate.asking import cells, config

REQUESTS = [planned.calls[0].canonical for planned in cells(config(), briefs=2)]


def one(*, number=0, **changed):
    generate = {key: changed.pop(key) for key in ("samples", "round") if key in changed}
    return cells(config(**changed), briefs=3, **generate)[number].calls[0]


@cases(
    "call, why",
    {
        "model": (one(model="other", round=2), "no stored answer of this model"),
        "endpoint": (one(base_url="http://127.0.0.1:1/v1"), "another endpoint"),
        "two settings": (
            one(params={"temperature": 0.5, "max_output_tokens": 100}),
            "another max output tokens and another temperature",
        ),
        "sample": (cells(config(), samples=2)[1].calls[0], "another sample"),
        "brief": (one(number=2, round=2), "this text of the brief was never sent"),
        "round": (one(round=2), "another round"),
        "draw": (
            cells(config(), unparsed_draws=2)[0].calls[1],
            "redraw: answer 1 has no usable JSON",
        ),
    },
)
def test_what_differs_is_said_in_plain_words(call, why):
    assert [*reasons_missing([call], REQUESTS)] == [why]
