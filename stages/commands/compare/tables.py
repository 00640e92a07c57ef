"""The tables of a comparison, the same in every form: its models, and the cells that moved."""

from contextlib import suppress

from stages.commands.compare.comparison import Comparison
from stages.commands.compare.pairs import Pair
from stages.commands.compare.verdict import ModelComparison
from stages.report.failures import code_name
from stages.shared.present.page import UnsafeId, brief_page, cell_page
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.records.record import Measurement
from stages.shared.records.response import Cell
from stages.shared.shell import numbers
from stages.shared.shell.text import clip

MAX_SHOWN = 10
"""How many briefs, cells or models of a long list are shown."""
MAX_NAME = 80
"""Columns of a name at most."""
MODEL_COLUMNS = (
    Column("Model", code=True),
    Column("Verdict"),
    Column("Score", numbers.difference, hint="Candidate less baseline."),
    Column("Content", numbers.difference, hint="Candidate less baseline."),
    Column("Usable", numbers.share),
    Column("Cost", numbers.money, hint="Of an answer, and candidate over baseline."),
    Column("Latency", numbers.ratio),
)
MOVED_COLUMNS = (
    Column("Brief", code=True),
    Column("Model", code=True),
    Column("Score", numbers.difference),
    Column("Scores"),
    Column("Contents"),
    Column("Violations"),
)
VERDICT_LOOKS = {
    "better": "good",
    "worse": "bad",
    "mixed": "warn",
    "no meaningful difference": "equal",
    "could not measure": "warn",
}
"""The colours of verdicts; the others have none."""


def models_table(result: Comparison) -> Table:
    """A row for all models together where there are several, then one for each model."""
    rows = map(_model_row, result.rows)
    title = "Differences by model"
    return make_table(MODEL_COLUMNS, rows, title=title, name="models")


def _model_row(model: ModelComparison) -> list[Raw]:
    judgement, before, after = model.judgement, model.baseline, model.candidate
    usable = [side.usable_rate.value for side in (before, after)]
    cost, usd = numbers.money(after.cost.per_answer), before.cost.per_answer
    if usd and after.cost.per_answer is not None:
        cost += f" ({_times(after.cost.per_answer / usd)})"
    latencies = before.latency.per_answer_ms, after.latency.per_answer_ms
    slower = latencies[1] / latencies[0] if latencies[0] and latencies[1] else None
    return [
        clip(model.model_id, MAX_NAME),
        Entry(judgement.verdict, look=VERDICT_LOOKS.get(judgement.verdict, "")),
        _difference_entry(judgement.score.difference),
        _difference_entry(judgement.content.difference),
        Entry(" → ".join(map(numbers.share, usable)), usable[1]),
        Entry(cost, after.cost.per_answer),
        Entry(_times(slower), slower),
    ]


def _times(ratio: float | None) -> str:
    return numbers.ratio(ratio).replace(" ", "\u00a0")


def _difference_entry(difference: Measurement) -> Entry:
    """A difference in a table, with its interval where it has one."""
    text = numbers.difference(difference.value)
    if difference.ends is not None:
        text += f" ({numbers.difference_interval(*difference.ends)})"
    return Entry(text, difference.value)


def moved_table(result: Comparison, site: str = "") -> Table:
    """The cells that moved, the largest change of score first, with the ways to their pages in a
    site.
    """
    rows = [_moved_row(pair, site) for pair in result.moved]
    return make_table(MOVED_COLUMNS, rows, title="What moved most", name="moved", heads=2)


def _moved_row(pair: Pair, site: str) -> list[Raw]:
    brief, model = (Entry(clip(name, MAX_NAME)) for name in (pair.brief_id, pair.model_id))
    if site:
        with suppress(UnsafeId):
            brief = brief._replace(href=f"{site}/{brief_page(pair.brief_id)}")
            first_sample = Cell(pair.model_id, pair.brief_id, 1)
            model = model._replace(href=f"{site}/{cell_page(first_sample)}")
    return [brief, model, pair.difference, *changes_of(pair)]


def changes_of(pair: Pair) -> tuple[str, str, str]:
    """The scores and the contents of a pair, and the violations gained and lost; empty for none."""
    before, after = pair.baseline, pair.candidate
    scores = f"{numbers.score(before.expected)} → {numbers.score(after.expected)}"
    contents = f"{numbers.score(before.content)} → {numbers.score(after.content)}"
    changes = {"gained": pair.gained, "lost": pair.lost}
    violations = [
        f"{change} {', '.join(map(code_name, codes))}" for change, codes in changes.items() if codes
    ]
    return scores, contents, "; ".join(violations)
