"""The runs along a branch: their steps, and the table of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from stages.commands.compare import tables
from stages.commands.compare.comparison import Comparison, compare
from stages.commands.compare.sides import ComparedSide
from stages.commands.compare.verdict import Verdict, level
from stages.shared.analysis.summary import summarise
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.records.params import CompareParams
from stages.shared.records.record import Measurement
from stages.shared.shell import numbers
from stages.shared.shell.text import short_names

RUN_COLUMNS = (
    Column("Date"),
    Column("Commit", code=True),
    Column("Prompt", code=True),
    Column("Score", numbers.score),
    Column("±", numbers.score),
    Column("Usable", numbers.share),
    Column("Cost", numbers.money),
    Column("Against the one before"),
)
OTHER_SET = "*"
"""Marks a run of other models or briefs than the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run.

    `score` is the mean expected score over its models, `cost_usd` the cost of all its answers, as
    far as it is known. `verdict` and `difference` are against the run before, by what both have;
    None for the first, and where the rules differ. `other_set` says which models or briefs only one
    of the two has, and what was compared; empty where they have the same.
    """

    revision: str | None
    date: str | None
    run_id: str
    prompt: str
    score: Measurement
    usable_share: float | None
    cost_usd: float | None
    simulated: bool
    verdict: Verdict | None
    difference: float | None
    other_set: str = ""

    @property
    def commit(self) -> str:
        """The first digits of its commit."""
        return self.revision[:7] if self.revision else "workspace"

    @property
    def mark(self) -> str:
        """Of a run of other models or briefs than the one before; empty for none."""
        return OTHER_SET if self.other_set else ""


def distinct(sides: Iterable[ComparedSide]) -> list[ComparedSide]:
    """The sides that differ from the one before: a commit that changed no score is not a run."""
    groups = groupby(sides, key=lambda side: (side.run.run_id, side.cells))
    return [next(same) for _, same in groups]


def history(sides: Sequence[ComparedSide], params: CompareParams) -> tuple[Step, ...]:
    """The steps from one side to the next, the oldest first."""
    return tuple(
        _step(before, side, params) for before, side in zip((None, *sides), sides, strict=False)
    )


def _step(before: ComparedSide | None, side: ComparedSide, params: CompareParams) -> Step:
    comparison = None
    if before is not None and len(before.rules | side.rules) <= 1:
        comparison = compare(before, side, params)
    summary = summarise([cell for cell in side.cells if cell.answered], confidence=level(params))
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        score=summary.expected,
        usable_share=summary.usable_share,
        cost_usd=summary.cost.usd,
        simulated=summary.simulated,
        verdict=comparison.verdict if comparison else None,
        difference=comparison.overall.judgement.score.difference.value if comparison else None,
        other_set=_other_set(comparison) if comparison else "",
    )


def _other_set(comparison: Comparison) -> str:
    """What only one of two runs has, and what both have."""
    before, after = comparison.baseline.run, comparison.candidate.run
    models = _only_in_one(before.models, after.models, "model")
    briefs = _only_in_one(before.briefs, after.briefs, "brief")
    if not (models or briefs):
        return ""
    pairs = comparison.pairing.pairs
    shared_models = numbers.counted(len({pair.model_id for pair in pairs}), "model")
    shared_briefs = numbers.counted(len({pair.brief_id for pair in pairs}), "brief")
    changed = ", ".join([*models, *briefs])
    return f"{changed}; compared on what both have, {shared_models} and {shared_briefs}"


def _only_in_one(before: Collection[str], after: Collection[str], noun: str) -> list[str]:
    added, removed = set(after) - set(before), set(before) - set(after)
    counts = ((added, "more"), (removed, "less"))
    return [f"{numbers.counted(len(names), noun)} {word}" for names, word in counts if names]


def list_runs(steps: Sequence[Step], skipped: Sequence[str] = ()) -> Table:
    """The runs, the oldest first; in notes the runs of other models or briefs than the one before,
    and why runs are missing (`skipped`).
    """
    names = short_names(step.prompt for step in steps)
    lines = [
        f"{step.mark} {step.commit} ({names[step.prompt]}): {step.other_set}."
        for step in steps
        if step.other_set
    ]
    lines += [f"Left out: {reason}" for reason in skipped]
    summary = _summary_of_runs(steps) if steps else "No runs were found."
    rows = [_run_row(step, names, is_first=index == 0) for index, step in enumerate(steps)]
    return make_table(RUN_COLUMNS, rows, title=summary, notes=lines, name="runs")


def _summary_of_runs(steps: Sequence[Step]) -> str:
    first, last = steps[0].score.value, steps[-1].score.value
    parts = [numbers.counted(len(steps), "run")]
    if all(step.verdict and not step.other_set for step in steps[1:]):
        scores = f"{numbers.score(first)} first, {numbers.score(last)} last"
        parts.append(f"expected score {scores}")
    verdicts = Counter(step.verdict for step in steps if step.verdict)
    if verdicts:
        parts.append(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    return "; ".join(parts) + "."


def _run_row(step: Step, names: dict[str, str], *, is_first: bool) -> list[Raw]:
    ends = step.score.ends
    return [
        (step.date or "")[:10],
        step.commit,
        names[step.prompt],
        step.score.value,
        None if ends is None else (ends[1] - ends[0]) / 2,
        step.usable_share,
        step.cost_usd,
        "" if is_first else _against(step),
    ]


def _against(step: Step) -> Entry:
    if step.verdict is None:
        return Entry("scored by other rules, and its answers cannot be read")
    look = tables.VERDICT_LOOKS.get(step.verdict, "")
    text = f"{step.verdict} ({numbers.difference(step.difference)}){step.mark}"
    return Entry(text, look=look)
