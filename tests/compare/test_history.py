"""The runs along a branch, each with its verdict."""

from graph_evaluator.compare.comparison import distinct, history
from graph_evaluator.compare.views import markdown
from graph_evaluator.compare.wording import describe_runs
from tests.compare.cards import BASE, BETTER, PARAMS, card, cards, manifest, side


def test_runs_by_different_rules_have_no_verdict_and_the_table_says_why():
    steps = history([side(cards(BASE, rules="old")), side(cards(BETTER, rules="new"))], PARAMS)
    assert [step.verdict for step in steps] == [None, None]
    said = "scored by other rules, with unreadable answers"
    assert markdown(describe_runs(steps, [])).count(said) == 1


def test_a_run_of_other_models_or_briefs_is_marked_and_compared_on_what_both_have():
    more = [*cards(BASE), *cards(BETTER, model="n"), card(0.9, brief="b11")]
    run = manifest(models={"m": "1", "n": "1"}, briefs={"b02": "1"}, run_id="two")
    steps = history([side(cards(BASE)), side(more, run=run), side(more, run=run)], PARAMS)
    (part,) = describe_runs(steps, []).parts
    assert part.lines == [
        "* 0000000: only this run or the one before has b01, b02, n; the two are compared on what both have."
    ]
    assert part.table is not None
    ends = [row[7].text for row in part.table.rows]
    assert ends == ["", "no meaningful difference (0.000)*", "no meaningful difference (0.000)"]


def test_a_commit_that_changed_no_score_is_not_a_run():
    sides = [
        side(cards(BASE)),
        side(cards(BASE)),
        side(cards(BASE), run=manifest(run_id="other")),
        side(cards(BETTER)),
    ]
    assert [id(run) for run in distinct(sides)] == [id(sides[index]) for index in (0, 2, 3)]
