"""The runs along a branch, each with its verdict."""

import io

from rich.console import Console

from graph_evaluator.compare.comparison import Step, distinct, history
from graph_evaluator.compare.views import history_page, markdown, terminal
from graph_evaluator.compare.wording import describe_runs
from graph_evaluator.records.response import PromptRef
from tests.compare.cards import BASE, BETTER, NOISY, PARAMS, card, cards, manifest, side


def prompt(path: str) -> PromptRef:
    return PromptRef(path=path, sha256=path)


def runs() -> list[Step]:
    """Three runs: the second with a better prompt, the third with the first prompt again."""
    v21 = manifest(prompt=prompt("prompts/draft_v21.txt"), run_id="two")
    v20 = manifest(prompt=prompt("prompts/draft_v20.txt"))
    sides = [(BASE, v20, "01"), (BETTER, v21, "02"), (NOISY, v20, "03")]
    return history(
        [
            side(
                cards(scores, est_cost_usd=0.01),
                run=run,
                date=f"2026-03-{day}T10:00:00Z",
                revision=day * 20,
            )
            for scores, run, day in sides
        ],
        PARAMS,
    )


def test_runs_by_different_rules_have_no_verdict_and_the_table_says_why():
    steps = history([side(cards(BASE, rules="old")), side(cards(BETTER, rules="new"))], PARAMS)
    assert [step.verdict for step in steps] == [None, None]
    said = "scored by other rules, and its answers"
    assert markdown(describe_runs(steps, [])).count(said) == 1


def test_a_run_of_other_models_or_briefs_is_marked_and_compared_on_what_both_have():
    more = [*cards(BASE), *cards(BETTER, model="n"), card(0.9, brief="b11")]
    run = manifest(models={"m": "1", "n": "1"}, briefs={"b02": "1"}, run_id="two")
    steps = history([side(cards(BASE)), side(more, run=run), side(more, run=run)], PARAMS)
    (part,) = describe_runs(steps, []).parts
    assert part.lines == [
        "* 0000000: only this run or the one before has n, b01, b02; compared on what both have."
    ]
    assert part.table is not None
    ends = [row[7].text for row in part.table.rows]
    assert ends == ["", "no meaningful difference (0.000)*", "no meaningful difference (0.000)"]
    assert "v20*" in history_page(steps, []).decode()


def test_a_commit_that_changed_no_score_is_not_a_run():
    sides = [
        side(cards(BASE)),
        side(cards(BASE)),
        side(cards(BASE), run=manifest(run_id="other")),
        side(cards(BETTER)),
    ]
    assert [id(run) for run in distinct(sides)] == [id(sides[index]) for index in (0, 2, 3)]


def test_the_terminal_shows_a_summary_and_whole_words_in_80_columns():
    stream = io.StringIO()
    console = Console(file=stream, width=80, highlight=False)
    console.print(*terminal(describe_runs(runs(), ["v1 has no results"]), 80), sep="\n")
    text = stream.getvalue()
    assert "Left out: v1 has no results" in text
    assert text.startswith("HISTORY: 3 runs, 1 better, 1 worse.\n")
    assert text.count("Runs") == 1, "a part and its table have one title"
    assert max(map(len, text.splitlines())) <= 80
    rows = [line.split() for line in text.splitlines() if line.startswith("2026")]
    assert rows[1][:4] == ["2026-03-02", "0202020", "v21", "0.723"]
    assert rows[1][5:] == ["100%", "$0.100", "better", "(+0.363)"]


def test_the_page_draws_every_run_with_its_form_and_names_its_prompt_and_verdict():
    markup = history_page(runs(), ["v1 has no results"]).decode()
    for text in (
        "Form of each run",
        "2026-03-02 v21",
        "better (+0.363)",
        "$0.100",
        "v1 has no results",
    ):
        assert text in markup


def test_a_page_without_runs_says_so():
    assert "0 runs" in history_page([], []).decode()
