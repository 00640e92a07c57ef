"""The verdict overall and for each model, in its order."""

from tests.builders.cases import cases
from tests.compare.cards import (
    BASE,
    BETTER,
    NOISY,
    answered,
    cards,
    judged,
    judged_models,
    with_content,
)


def lost(scores, count):
    """The cards of these scores, the last ones without an answer."""
    return list(cards([*scores[: len(scores) - count], *[None] * count]))


@cases(
    "base, head, verdict, reason",
    {
        "the same answers": (
            answered(BASE),
            answered(BASE),
            "unchanged",
            "Both sides have the same answers.",
        ),
        "five briefs": (
            answered(BASE[:5]),
            answered(BASE[:5]),
            "could not measure",
            "Both sides have an answer to 5 of the 5 briefs that both asked. A verdict needs 6",
        ),
        "less than half of what was asked": (
            cards([*BASE, *BASE[:6]]),
            lost([*BETTER, *BETTER[:6]], 9),
            "could not measure",
            "Both sides have an answer to 7 of the 16 briefs that both asked",
        ),
        "nothing": ([], [], "could not measure", "No model was asked the same brief"),
        "the test": (cards(BASE), cards(BETTER), "better", "Form rose from 0.360 to 0.723"),
    },
)
def test_what_is_missing_comes_first_then_the_same_answers_then_the_test(
    base, head, verdict, reason
):
    found = judged(base, head)
    assert found.verdict == verdict
    assert found.reason.startswith(reason)


def test_answers_that_one_model_loses_do_not_shift_the_mean():
    weak, strong = cards([0.3] * 10, model="weak"), cards([0.9] * 10, model="strong")
    found = judged([*weak, *strong], [*weak[:5], *strong])
    assert found.form.difference.value == 0.0


def test_the_models_share_one_error_rate():
    several = [*cards(BASE, model="a"), *cards(BASE, model="b"), *cards(BASE, model="c")]
    moved = [*cards(BETTER, model="a"), *cards(NOISY, model="b"), *cards(NOISY, model="c")]
    alone = judged_models(cards(BASE), cards(BETTER))["m"]
    together = judged_models(several, moved)["a"]
    assert (together.form.difference.low or 0) < (alone.form.difference.low or 0)
    assert together.verdict == "better"


FORM, HALF = [0.7, 0.8] * 8, [0.5, 0.7] * 8
RISE, FALL = [value + 0.2 for value in HALF], [value - 0.2 for value in HALF]
MAY_FALL = [value - 0.3 + 0.5 * (place % 2) for place, value in enumerate(HALF)]
MAY_RISE = [value + 0.3 - 0.5 * (place % 2) for place, value in enumerate(HALF)]
WIDE = [value - 0.2 + 0.4 * (place % 2) for place, value in enumerate(HALF)]


@cases(
    "before, after, reason",
    {
        "better": (
            (HALF, HALF),
            (RISE, WIDE),
            "Form rose from 0.600 to 0.800: +0.200 (between +0.190 and +0.210), on 16 of 16 briefs."
            " Content did not fall: 0.600 to 0.600, at worst 0.129 lower.",
        ),
        "better, with a small loss": (
            (HALF, HALF),
            (RISE, [value - 0.02 for value in WIDE]),
            "Form rose from 0.600 to 0.800: +0.200 (between +0.190 and +0.210), on 16 of 16 briefs."
            " Content fell from 0.600 to 0.580: -0.020, less than the 0.05 that matters, at worst "
            "0.149 lower.",
        ),
        "better, with a sure and small loss": (
            (HALF, HALF),
            (RISE, [value - 0.005 - 0.06 * (place % 2) for place, value in enumerate(HALF)]),
            "Form rose from 0.600 to 0.800: +0.200 (between +0.190 and +0.210), on 16 of 16 briefs."
            " Content fell from 0.600 to 0.565: -0.035 (between -0.054 and -0.016), less than the "
            "0.05 that matters.",
        ),
        "worse at the ceiling": (
            ([1.0] * 16, HALF),
            ([1.0] * 15 + [0.99], FALL),
            "Form cannot separate them: 31 of 32 answers have the top form, 1.000. Content fell "
            "from 0.600 to 0.400: -0.200 (between -0.210 and -0.190), on 16 of 16 briefs.",
        ),
        "worse, with a small gain": (
            (HALF, HALF),
            ([value + 0.02 for value in WIDE], FALL),
            "Form rose from 0.600 to 0.620: +0.020, less than the 0.05 that matters, at best 0.149 "
            "higher. Content fell from 0.600 to 0.400: -0.200 (between -0.210 and -0.190), on 16 of"
            " 16 briefs.",
        ),
        "mixed": (
            (HALF, HALF),
            (RISE, FALL),
            "Form rose from 0.600 to 0.800: +0.200 (between +0.190 and +0.210), on 16 of 16 briefs."
            " Content fell from 0.600 to 0.400: -0.200 (between -0.210 and -0.190), on 16 of 16 "
            "briefs.",
        ),
        "cannot tell, with a loss": (
            (HALF, HALF),
            (RISE, MAY_FALL),
            "Form rose from 0.600 to 0.800: +0.200 (between +0.190 and +0.210), on 16 of 16 briefs."
            " Content is undecided: 0.600 to 0.550, -0.050 (between -0.211 and +0.111).",
        ),
        "cannot tell, with a gain": (
            (FORM, HALF),
            (FORM, MAY_RISE),
            "Form differs too little to matter: 0.750 to 0.750, 0.000 (between -0.010 and +0.010). "
            "Content is undecided: 0.600 to 0.650, +0.050 (between -0.111 and +0.211).",
        ),
        "cannot tell": (
            (FORM, HALF),
            (FORM, WIDE),
            "Form differs too little to matter: 0.750 to 0.750, 0.000 (between -0.010 and +0.010). "
            "Content is undecided: 0.600 to 0.600, 0.000 (between -0.129 and +0.129).",
        ),
    },
)
def test_the_reason_has_both_numbers_and_the_possible_loss(before, after, reason, request):
    found = judged(with_content(*before), with_content(*after))
    assert found.reason == reason
    assert request.node.callspec.id.startswith(found.verdict.partition(",")[0])


def test_content_decides_where_both_sides_have_it_on_six_briefs():
    before, after = with_content(BASE, BETTER), with_content(BETTER, BASE)
    none = {"content": None, "states_effects": False}
    unread = [card.model_copy(update=none) for card in after]
    six, five = (judged(before, [*after[:count], *unread[count:]]) for count in (6, 5))
    assert six.content is not None
    assert (six.verdict, six.content.difference.n) == ("mixed", 6)
    assert (five.verdict, five.content) == ("better", None)
    assert five.form == judged(cards(BASE), cards(BETTER)).form
    assert five.content_left_out == (
        "Content was not measured: both sides have it on 5 briefs, 6 are needed "
        "(`graph-evaluator briefs code`, about $0.02 a brief)."
    )
