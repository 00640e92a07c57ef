"""The runs along a branch, each with its verdict."""

import io

from rich.console import Console

from stages.commands.compare.history import Step, distinct, history, list_runs
from stages.commands.compare.pages import history_page
from stages.commands.compare.views import listing_markdown, listing_terminal
from stages.shared.present.table import Table
from stages.shared.records.response import PromptRef
from tests.commands.compare.cards import BASE, BETTER, NOISY, PARAMS, card, cards, manifest, side
from tests.report.page import Read


def prompt(path: str) -> PromptRef:
    return PromptRef(path=path, sha256=path)


def runs() -> tuple[Step, ...]:
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


def printed(listing: Table, width: int = 80) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False)
    console.print(*listing_terminal(listing, width), sep="\n")
    return stream.getvalue()


def test_runs_by_different_rules_have_no_verdict_and_the_table_says_why() -> None:
    steps = history([side(cards(BASE, rules="old")), side(cards(BETTER, rules="new"))], PARAMS)
    assert [step.verdict for step in steps] == [None, None]
    assert listing_markdown(list_runs(steps)).count("scored by other rules, and its answers") == 1


def test_a_run_of_other_models_or_briefs_is_marked_and_compared_on_what_both_have() -> None:
    more = [*cards(BASE), *cards(BETTER, model="n"), card(0.9, brief="b11")]
    run = manifest(models={"m": "1", "n": "1"}, briefs={"b02": "1"}, run_id="two")
    steps = history([side(cards(BASE)), side(more, run=run), side(more, run=run)], PARAMS)
    assert [step.mark for step in steps] == ["", "*", ""]
    listing = list_runs(steps)
    assert listing.notes == (
        "* 0000000 (v20): 1 model more, 1 brief more, 1 brief less; compared on what both have, "
        "1 model and 10 briefs.",
    )
    assert "first" not in listing.title, "scores of other models are no trend"
    assert listing.rows[1][7].text == "cannot tell (0.000)*"
    assert "v20*" in history_page(steps, []).decode()


def test_a_commit_that_changed_no_score_is_not_a_run() -> None:
    sides = [
        side(cards(BASE)),
        side(cards(BASE)),
        side(cards(BASE), run=manifest(run_id="other")),
        side(cards(BETTER)),
    ]
    assert [id(run) for run in distinct(sides)] == [id(sides[index]) for index in (0, 2, 3)]


def test_the_terminal_shows_a_summary_and_whole_words_in_80_columns() -> None:
    text = printed(list_runs(runs(), skipped=["v1 has no results"]))
    assert "Left out: v1 has no results" in text
    assert text.startswith("3 runs; expected score 0.360 first, 0.410 last; 1 better, 1 worse.")
    assert max(map(len, text.splitlines())) <= 80
    rows = [line.split() for line in text.splitlines() if line.startswith("2026")]
    assert rows[1][:4] == ["2026-03-02", "0202020", "v21", "0.723"]
    assert rows[1][5:] == ["100%", "$0.100", "better", "(+0.363)"]


def test_the_page_draws_every_run_with_its_score_and_names_its_prompt_and_verdict() -> None:
    markup = history_page(runs(), ["v1 has no results"]).decode()
    page = Read(markup)
    drawings = [svg for svg in page.all("svg") if svg.get("role")]
    assert any("Expected score" in str(svg.get("aria-label")) for svg in drawings)
    assert markup.count('stroke-width="5"') == 3
    for text in ("2026-03-02 v21", "better (+0.363)", "$0.100", "v1 has no results"):
        assert text in markup


def test_a_page_without_runs_says_so() -> None:
    assert "No runs were found." in history_page([], []).decode()
