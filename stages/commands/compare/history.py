"""The runs along a branch: their steps, and the table of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from stages.commands.compare import tables
from stages.commands.compare.comparison import Comparison, compare
from stages.commands.compare.sides import ComparedSide
from stages.commands.compare.verdict import Verdict, level
from stages.shared.analysis.summary import summarise
from stages.shared.present.table import Column, Entry, Raw, Table, make_table
from stages.shared.records.measurement import Measurement
from stages.shared.records.params import CompareParams
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run.

    `score` is the mean expected score over its `models`, `cost_usd` the cost of all its answers, as
    far as it is known. `verdict` is against the run before, by the scores shown; None for the
    first, and where the rules differed. `then` is that by the scores as they were recorded, when
    these were scored again.
    """

    revision: str | None
    date: str | None
    run_id: str
    prompt: str
    score: Measurement
    models: int
    usable_share: float | None
    cost_usd: float | None
    simulated: bool
    verdict: Verdict | None
    difference: float | None
    then: Verdict | None = None

    @property
    def commit(self) -> str:
        """The first digits of its commit."""
        return self.revision[:7] if self.revision else "workspace"

    @property
    def changed(self) -> bool:
        """True when today's rules give another verdict than the rules of that time did."""
        return self.then is not None and self.verdict is not None and self.then != self.verdict


def distinct(sides: Iterable[ComparedSide]) -> list[ComparedSide]:
    """The sides that differ from the one before: a commit that changed no score is not a run."""
    groups = groupby(sides, key=lambda side: (side.run.run_id, side.cells))
    return [next(same) for _, same in groups]


def history(
    sides: Sequence[ComparedSide],
    params: CompareParams,
    *,
    recorded: Sequence[ComparedSide] = (),
) -> tuple[Step, ...]:
    """The steps from one side to the next, the oldest first.

    `recorded` are the same runs as recorded, when they were scored again.
    """
    now = _against_previous(sides, params)
    then = _against_previous(recorded, params) if recorded else [None] * len(sides)
    rows = zip(sides, now, then, strict=True)
    return tuple(_step(side, params, *comparisons) for side, *comparisons in rows)


def _against_previous(
    sides: Sequence[ComparedSide], params: CompareParams
) -> list[Comparison | None]:
    """Each side against the one before; None for the first, and where the rules differ."""
    comparisons: list[Comparison | None] = []
    for before, side in zip((None, *sides), sides, strict=False):
        comparable = before is not None and len(before.rules | side.rules) <= 1
        comparisons.append(compare(before, side, params) if before and comparable else None)
    return comparisons


def _step(
    side: ComparedSide,
    params: CompareParams,
    now: Comparison | None,
    then: Comparison | None,
) -> Step:
    summary = summarise([cell for cell in side.cells if cell.answered], confidence=level(params))
    return Step(
        revision=side.revision,
        date=side.date,
        run_id=side.run.run_id,
        prompt=side.run.prompt.path,
        score=summary.expected,
        models=len(side.models),
        usable_share=summary.usable_share,
        cost_usd=summary.cost.usd,
        simulated=summary.simulated,
        verdict=now.verdict if now else None,
        difference=now.overall.judgement.difference.value if now else None,
        then=then.verdict if then else None,
    )


def list_runs(steps: Sequence[Step], skipped: Sequence[str] = ()) -> Table:
    """The runs, the oldest first; in notes the verdicts that change, and why runs are missing
    (`skipped`).
    """
    names = short_names(step.prompt for step in steps)
    lines = [
        f"{step.commit} ({names[step.prompt]}): {step.then} then, {step.verdict} by today's rules"
        for step in steps
        if step.changed
    ]
    lines += [f"Left out: {reason}" for reason in skipped]
    summary = _summary_of_runs(steps) if steps else "No runs were found."
    rows = [_run_row(step, names, is_first=index == 0) for index, step in enumerate(steps)]
    return make_table(RUN_COLUMNS, rows, title=summary, notes=lines, name="runs")


def _summary_of_runs(steps: Sequence[Step]) -> str:
    first, last = steps[0].score.value, steps[-1].score.value
    known = [step.cost_usd for step in steps if step.cost_usd is not None]
    parts = [numbers.counted(len(steps), "run")]
    if all(step.verdict for step in steps[1:]):  # else the scores are made by different rules
        scores = f"{numbers.score(first)} first, {numbers.score(last)} last"
        parts.append(f"expected score {scores}")
    cost = numbers.money(sum(known) if known else None)
    return "; ".join([*parts, *_verdict_counts(steps), f"cost {cost}"]) + "."


def _verdict_counts(steps: Iterable[Step]) -> list[str]:
    counts = Counter(step.verdict for step in steps if step.verdict)
    named = [f"{count} {verdict}" for verdict, count in counts.most_common()]
    return [", ".join(named)] if named else []


def _run_row(step: Step, names: dict[str, str], *, is_first: bool) -> list[Raw]:
    return [
        (step.date or "")[:10],
        step.commit,
        names[step.prompt],
        step.score.value,
        _half_width(step.score),
        step.usable_share,
        step.cost_usd,
        "" if is_first else _against(step),
    ]


def _half_width(estimate: Measurement) -> float | None:
    """Half the length of the interval; None without one."""
    return None if estimate.ends is None else (estimate.ends[1] - estimate.ends[0]) / 2


def _against(step: Step) -> Entry:
    if step.verdict is None:
        return Entry("scored by other rules (--rescore)")
    look = tables.VERDICT_LOOKS.get(step.verdict, "")
    return Entry(f"{step.verdict} ({numbers.difference(step.difference)})", look=look)
