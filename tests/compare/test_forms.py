"""A comparison and a history as people and programs read them, as approved texts."""

import io
import json

from rich.console import Console

from graph_evaluator.compare.comparison import history
from graph_evaluator.compare.views import (
    comparison_page,
    document,
    markdown,
    terminal,
)
from graph_evaluator.compare.wording import describe, describe_runs
from graph_evaluator.records.json_text import pretty
from tests.approval import check_approved
from tests.builders.scorecards import card, invalid, unanswered
from tests.compare.cards import PARAMS, compared, manifest, sampled, side
from tests.report.page import Read
from tests.report.rich_run import BUY, careful


def flaky(score, **figures):
    """A model with an answer to each of seven briefs, one of them invalid."""
    good = [card("flaky", f"b{brief}", score + brief / 100, **figures) for brief in range(1, 7)]
    again = card("flaky", "b6", score + 0.02, 2, content=0.4, **figures)
    return [*good, again, invalid("flaky", "b7", "CYCLE_DETECTED", "ORPHAN_NODE", **figures)]


def comparison():
    """A change that gains, with all that a comparison can say of what it left out."""
    base = [
        *careful(0.2),
        *flaky(0.5, latency_ms=2000.0),
        card("flaky", "old"),
        unanswered(model="flaky", brief="b8"),
    ]
    better = {"est_cost_usd": 0.03, "latency_ms": 3000.0, "recommendation": BUY}
    head = [
        *careful(other="gpt-x"),
        *flaky(0.7, **better),
        card("flaky", "new"),
        card("flaky", "b8"),
    ]
    changed = manifest(run_id="v21-ba9876543210", briefs={"b01": "2"}, samples=2)
    return compared(
        side(base, "main", date="2026-03-01T10:00:00"),
        side(head, "v21", run=changed, revision=None, rescored=True),
        PARAMS.model_copy(update={"min_content_difference": 0.04, "confidence": 0.9}),
    )


def printed(report, *, full):
    stream = io.StringIO()
    console = Console(file=stream, width=80, highlight=False)
    console.print(*terminal(report, 80, full=full), sep="\n")
    return stream.getvalue()


def rounded(written):
    """A JSON text with six decimals, which are the same on every platform."""
    values = json.loads(written, parse_float=lambda digits: round(float(digits), 6))
    return pretty(values).decode()


def test_a_comparison_says_everything_in_every_form():
    result = comparison()
    report = describe(result, "site")
    check_approved("comparison.txt", printed(report, full=False))
    check_approved("comparison-full.txt", printed(report, full=True))
    check_approved("comparison.md", markdown(report))
    check_approved("comparison.json", rounded(document(result)))
    page = comparison_page(result, site="site").decode()
    check_approved("comparison-page.txt", Read(page).lines)
    for linked in ("site/brief/b1.html", "site/cell/flaky/b1-1.html"):
        assert f'href="{linked}"' in page


def test_an_open_question_says_what_would_settle_it():
    base, head = sampled(noise=0.2, spread=0.1, gain=0.05, briefs=12, samples=2)
    report = describe(compared(side(base, "main"), side(head, "v21")))
    check_approved("cannot-tell.txt", printed(report, full=True))


def test_a_history_says_everything_in_every_form():
    sides = [
        side(careful(loss), f"v{number}", revision=f"{number}" * 40, date=f"2026-03-0{number}T10:00:00", run=run)
        for number, loss, run in (
            (1, 0.2, manifest(run_id="one")),
            (2, 0.0, manifest(run_id="two", models={"m": "1", "n": "2"})),
            (3, 0.0, manifest(run_id="three")),
        )
    ]  # fmt: skip
    steps = history(sides, PARAMS)
    check_approved("history.txt", printed(describe_runs(steps, ["v0: no results"]), full=True))
    check_approved("history.json", rounded(document(steps)))
