"""The draw that a cell needs next."""

from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import answers_of, body


def planned(draws):
    return cells(config(), unparsed_draws=draws)[0]


@cases(
    "allowed, texts, statuses, wanted",
    {
        "nothing yet": (1, [], [], 1),
        "answered": (1, ["{}"], ["success"], None),
        "of no use, once": (1, ["no"], ["parse_failed"], None),
        "of no use, again": (3, ["no"], ["parse_failed"], 2),
        "the second is of use": (3, ["no", "{}"], ["parse_failed", "success"], None),
        "a success ends it": (3, ["{}", "{}"], ["success"], None),
        "a smaller setting sees less": (
            2,
            ["no", "no", "{}"],
            ["parse_failed", "parse_failed"],
            None,
        ),
    },
)
def test_draws_are_taken_until_one_is_usable(allowed, texts, statuses, wanted):
    answers = answers_of(planned(10), map(body, texts))
    state = planned(allowed).with_answers(answers)
    assert [answer.status for answer in state.answers] == statuses
    assert (state.next_call.draw if state.next_call else None) == wanted
