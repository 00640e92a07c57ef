"""What would change a verdict: more briefs or more samples, and which is cheaper."""

import math

import pytest

from graph_evaluator.compare.outlook import Outlook
from graph_evaluator.compare.wording import describe, what_would_settle
from graph_evaluator.records.params import CompareParams
from tests.builders.cases import cases
from tests.compare.cards import BASE, BETTER, NOISY, answered, card, cards, compared, sampled


def outlook(result):
    assert result.outlook is not None
    return result.outlook


def test_a_settled_comparison_has_no_outlook():
    same = answered(BASE)
    for result in (compared(cards(BASE), cards(BETTER)), compared(same, same)):
        assert result.outlook is None
        assert not [line for line in describe(result).sentences if line.startswith("To find")]


def test_the_number_that_stands_in_the_way_is_looked_at():
    before, after = (
        [card(1.0, brief=f"b{place:02}", content=content)
         for place, content in enumerate(contents)]
        for contents in (BASE, NOISY)
    )  # fmt: skip
    found = outlook(compared(before, after))
    assert (found.number, found.target, found.sampling_known) == ("content", 0.1, False)
    assert found.more_samples is None


def test_as_many_briefs_as_proposed_find_the_difference_four_times_in_five():
    base, head = sampled(noise=0.0, spread=0.15, gain=0.04, briefs=12, samples=1, seed=3)
    found = outlook(compared(base, head)).more_briefs
    assert found is not None
    assert found > 12
    drawn = [sampled(0.0, 0.15, 0.1, found, 1, seed) for seed in range(60)]
    better = [compared(base, head).verdict == "better" for base, head in drawn]
    assert sum(better) >= 0.72 * len(drawn)


def twice(briefs, *models):
    """Cards of two samples that are 0.1 away from their means: 0.5 on the base, and 0.68 or 0.42 on the head."""
    return [
        [
            card(mean + shift, model=model, brief=f"b{brief:02}", sample=sample)
            for model in models
            for brief in range(briefs)
            for mean in [0.5 + (0.18 if brief % 2 else -0.08) * side]
            for sample, shift in ((1, 0.1), (2, -0.1))
        ]
        for side in (0, 1)
    ]


@pytest.mark.parametrize("models", [("m",), ("a", "b")], ids=["one model", "two models"])
def test_the_samples_proposed_bring_the_variance_down_to_what_finds_the_difference(models):
    base, head = twice(12, *models)
    params = CompareParams(min_difference=0.062)
    found = outlook(compared(base, head, params))
    # The variance of a sample is 0.02, that of a mean of two 0.01, that of a difference twice that.
    sampling = 0.02 / len(models)
    between = 12 / 11 * 0.13**2 - sampling
    allowed = 12 * (0.124 / (2.200985 + 0.841621)) ** 2
    samples = max(3, math.ceil(2 * sampling / (allowed - between)))
    assert (found.briefs, found.samples, found.more_samples) == (12, 2, samples)


@cases(
    "more_briefs, more_samples, known, said",
    {
        "briefs are cheaper": (
            40,
            9,
            True,
            "at least 40 briefs (30 more) or 9 samples each; more briefs are cheaper.",
        ),
        "samples are cheaper": (
            40,
            4,
            True,
            "at least 40 briefs (30 more) or 4 samples each; more samples are cheaper.",
        ),
        "one sample": (
            40,
            None,
            False,
            "at least 40 briefs (30 more); generate.samples: 2 shows what more samples would do.",
        ),
        "samples do not help": (
            40,
            None,
            True,
            "at least 40 briefs (30 more).",
        ),
        "out of reach": (None, None, True, "more than 64 times the present briefs."),
    },
)
def test_what_would_settle_it_is_briefs_or_samples(more_briefs, more_samples, known, said):
    found = Outlook(
        number="content",
        target=0.1,
        briefs=10,
        samples=2,
        more_briefs=more_briefs,
        more_samples=more_samples,
        sampling_known=known,
    )
    beginning = "To find a difference of 0.10 in content with 80 % power: "
    assert what_would_settle(found) == f"{beginning}{said}"


def test_a_failed_answer_is_a_sample_that_counts_0_and_no_answer_is_none():
    base = [
        one
        for brief in range(6)
        for one in (
            card(0.8, brief=f"b{brief}"),
            card(brief=f"b{brief}", sample=2, codes=("X",)),
            card(None, brief=f"b{brief}", sample=3),
        )
    ]
    changes = compared(base, [card(0.8, brief=f"b{brief}") for brief in range(6)]).reruns
    assert changes == {"form": pytest.approx(math.sqrt(2 * (0.32 / 2) / 6))}
