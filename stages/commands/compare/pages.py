"""The pages of a comparison and of the runs along a branch."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.history import Step, list_runs
from stages.commands.compare.tables import VERDICT_LOOKS
from stages.commands.compare.wording import describe
from stages.report.drawing.charts import IntervalRow, interval_chart, svg
from stages.shared.analysis.paired_test import PairedTest
from stages.shared.present.page import Frame, page, trail_to
from stages.shared.records.response import TOOL_VERSION
from stages.shared.shell import numbers
from stages.shared.shell.text import clip, short_names

SIMULATED_RUNS = (
    "Runs with simulated models are among these: the results of such models show how the tool "
    "works and say nothing about real models."
)
NOT_RUN = Frame("not known", "not known", TOOL_VERSION)
_PACKAGE = "stages.commands.compare"


def comparison_page(result: Comparison | Unmeasured, *, site: str = "") -> bytes:
    """The page of a comparison.

    `site` is the path from it to the site of the candidate's run; nothing links to one where it is
    empty.
    """
    frame, charts = NOT_RUN, {}
    if isinstance(result, Unmeasured) or result.candidate.revision is not None:
        site = ""
    report = describe(result, site)
    if isinstance(result, Comparison):
        run = result.candidate.run
        notices = (report.simulated,) if report.simulated else ()
        frame = Frame(run.run_id, run.prompt.path, TOOL_VERSION, notices)
        judged = {clip(row.model_id, 16): row.judgement for row in result.rows}
        charts["Score"] = _chart("score", {name: of.score for name, of in judged.items()})
        if result.overall.judgement.content.difference.n:
            charts["Content"] = _chart("content", {name: of.content for name, of in judged.items()})
    return page(
        frame,
        "compare.html.j2",
        package=_PACKAGE,
        title=report.title,
        trail=trail_to(site),
        report=report,
        charts=charts,
    )


def _chart(number: str, tests: Mapping[str, PairedTest]) -> Markup:
    rows = []
    for name, test in tests.items():
        value, low, high = test.difference.value, test.difference.low, test.difference.high
        rows.append(IntervalRow(name, value, low, high, _look(test.verdict)))
    chart = interval_chart(
        rows,
        margin=next(iter(tests.values())).min_difference,
        axis_title=f"{number}, candidate less baseline: above 0 the candidate is better",
        write=numbers.difference,
    )
    return svg(chart, f"Differences of the {number} with their intervals, as in the table")


def _look(verdict: str | None) -> str:
    """The colour of an interval: good, bad or plain."""
    look = VERDICT_LOOKS.get(verdict or "", "")
    return look if look in ("good", "bad") else "plain"


def history_page(steps: Sequence[Step], skipped: Sequence[str], *, site: str = "") -> bytes:
    """The page of the runs along a branch, with their scores; `site` as in `comparison_page`."""
    frame = NOT_RUN
    if steps:
        simulated = (SIMULATED_RUNS,) if any(step.simulated for step in steps) else ()
        frame = Frame(steps[-1].run_id, steps[-1].prompt, TOOL_VERSION, simulated)
    return page(
        frame,
        "history.html.j2",
        package=_PACKAGE,
        title="History",
        trail=trail_to(site),
        scores=_scores_chart(steps),
        runs=list_runs(steps, skipped),
    )


def _scores_chart(steps: Sequence[Step]) -> Markup:
    short = short_names(step.prompt for step in steps)
    rows = []
    for step in steps:
        name = f"{(step.date or '')[:10]} {clip(short[step.prompt], 16)}{step.mark}"
        score = step.score
        rows.append(IntervalRow(name, score.value, score.low, score.high, _look(step.verdict)))
    chart = interval_chart(rows, axis_title="expected score, 0 to 1")
    return svg(chart, "Expected score of each run with its interval")
