"""A comparison, a history or a list of experiments as Markdown and JSON, and a comparison for the terminal."""

from collections.abc import Sequence

import pandas as pd
from pydantic_core import to_jsonable_python
from rich.console import Group
from rich.table import Table
from rich.text import Text

from stages.compare import wording
from stages.compare.comparer import Step
from stages.compare.comparison import SHOWN, Comparison, Unmeasured
from stages.compare.verdict import Verdict
from stages.contracts.json_text import pretty
from stages.shell import numbers
from stages.shell.text import details, markdown_code, markdown_table, visible
from stages.shell.text import markdown as escaped

LONGEST_SENTENCE = 2_000
MARKS: dict[Verdict, str] = {
    "could not measure": "⚠️", "unchanged": "⚪", "better": "🟢", "worse": "🔴", "no meaningful difference": "🔵", "cannot tell": "⚪",
}  # fmt: skip
STYLES: dict[Verdict, str] = {
    "could not measure": "bold yellow", "unchanged": "bold", "better": "bold green", "worse": "bold red",
    "no meaningful difference": "bold blue", "cannot tell": "bold",
}  # fmt: skip


def markdown(result: Comparison | Unmeasured, *, insert: str = "") -> str:
    """The whole report, as for a pull request: the verdict first, then `insert`, which is Markdown, then what moved, collapsed."""
    heading = f"### {MARKS[result.verdict]} {result.verdict.capitalize()}: {wording.title(result, markdown_code)}"
    if isinstance(result, Unmeasured):
        return _joined(heading, _list(result.reasons), insert)
    return _joined(
        heading,
        *map(_sentence, (*wording.findings(result), wording.usage(result))),
        _markdown_table(wording.models_table(result).iloc[1:]),
        _list(result.notes),
        insert,
        _moved(result),
        details("What was compared, and what was left out", _list(wording.provenance(result))),
    )


def history_markdown(steps: Sequence[Step], *, skipped: Sequence[str] = ()) -> str:
    """A table of the runs, the oldest first, the verdicts that change under today's rules, and why runs are missing (`skipped`)."""
    if not steps:
        return _joined("No runs were found.", _list(skipped))
    changed = [
        f"{_commit(step)} ({step.prompt}): {step.then} then, {step.verdict} by today's rules"
        for step in steps
        if step.changed
    ]
    return _joined(
        _markdown_table(history_table(steps)),
        f"Verdicts that change:\n{_list(changed)}" if changed else "",
        f"Runs that cannot be read:\n{_list(skipped)}" if skipped else "",
    )


def experiments_markdown(results: Sequence[Comparison | Unmeasured], *, base: str) -> str:
    """A table with a row for each experiment, compared with `base`, and why some could not be measured."""
    if not results:
        return f"No experiment was started from {markdown_code(base)}: `dvc exp run`, or name another commit.\n"
    one_by_one = (
        "Each is judged by itself, so of many that change nothing one in twenty is called better or worse: "
        "repeat the one you take in a round of its own (`-S generate.round=2`)."
    )
    return _joined(
        f"Against {markdown_code(base)}:",
        _markdown_table(pd.DataFrame(map(_experiment, results))),
        _list([f"{each.head}: {each.reason}" for each in results if isinstance(each, Unmeasured)]),
        one_by_one if len(results) > 1 else "",
    )


def document(result: Comparison | Unmeasured | Sequence[Step | Comparison | Unmeasured]) -> bytes:
    """The JSON text: every number unrounded, sorted keys; equal results give equal bytes."""
    return pretty(
        [_jsonable(each) for each in result] if isinstance(result, Sequence) else _jsonable(result)
    )


def terminal(result: Comparison | Unmeasured) -> Group:
    """The verdict, the tables of models, what moved, and what was left out; nothing in a name is markup."""
    headline = _text(f"{result.verdict}: {wording.title(result)}", STYLES[result.verdict])
    if isinstance(result, Unmeasured):
        return Group(headline, *(Text("  ").append(visible(reason)) for reason in result.reasons))
    models = wording.models_table(result)
    halves = models.iloc[:, :5], models.drop(columns=models.columns[1:5])
    tables: list[Text | Table] = [part for half in halves for part in (Text(), _rich_table(half))]
    if result.moves:
        moves = (
            wording.moves_table(result)
            .head(SHOWN)
            .drop(columns="models that moved most", errors="ignore")
        )
        tables += [Text(), _rich_table(moves, "What moved most")]
    notes = (_text(line, "dim") for line in (*result.notes, *wording.provenance(result)))
    return Group(headline, *map(_text, wording.findings(result)), *tables, Text(), *notes)


def _jsonable(result: Comparison | Unmeasured | Step) -> object:
    if not isinstance(result, Comparison):
        return to_jsonable_python(result)
    found = to_jsonable_python(
        result,
        exclude={
            "base": {"scorecards", "run", "decision"},
            "head": {"scorecards", "run", "decision"},
            "pairing": {"pairs", "lost"},
        },
    )
    found |= found.pop("pairing")
    for name, side in (("base", result.base), ("head", result.head)):
        found[name] |= {"run_id": side.run.run_id, "prompt": side.run.prompt.path}
    for effect in (found["scores"], *(model["effect"] for model in found["models"])):
        difference, test = effect.pop("found"), effect.pop("test") or {"p": None, "exact": False}
        low, high = difference.pop("low"), difference.pop("high")
        interval = (
            None
            if low is None or effect["judgement"]["verdict"] == "unchanged"
            else {"low": low, "high": high}
        )
        effect |= {
            **difference,
            **test,
            "difference": difference.pop("value"),
            "interval": interval,
        }
    return found


def _moved(result: Comparison) -> str:
    if not result.moves:
        return "No brief moved."
    table = _markdown_table(wording.moves_table(result).head(SHOWN))
    rest = len(result.moves) - SHOWN
    more = f"\n\nand {numbers.count(rest)} more" if rest > 0 else ""
    return details(f"What moved: {numbers.counted(len(result.moves), 'brief')}", table + more)


def _markdown_table(table: pd.DataFrame) -> str:
    def shown(column: str, text: str) -> str:
        if column in wording.NAMES:
            return markdown_code(text)
        return _sentence(text) if column in wording.WORDS else text

    rows = [
        [shown(column, text) for column, text in zip(table.columns, row, strict=True)]
        for row in table.itertuples(index=False)
    ]
    align = "".join("l" if name in wording.WORDS else "r" for name in table.columns)
    return markdown_table(list(table.columns), rows, align)


def _rich_table(table: pd.DataFrame, title: str | None = None) -> Table:
    shown = Table(box=None, pad_edge=False, header_style="bold", title=title, title_justify="left")
    for name in table.columns:
        fold = name in wording.WORDS and name != "verdict"
        shown.add_column(
            name,
            overflow="fold",
            justify="left" if name in wording.WORDS else "right",
            no_wrap=not fold,
        )
    for row in table.itertuples(index=False):
        shown.add_row(*(_text(cell, STYLES.get(cell, "")) for cell in row))
    return shown


def _text(text: str, style: str = "") -> Text:
    return Text(visible(text), style)


def _sentence(text: str) -> str:
    return escaped(text, longest=LONGEST_SENTENCE)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_sentence(line)}" for line in lines)


def _joined(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def history_table(steps: Sequence[Step]) -> pd.DataFrame:
    """A row for every run, the oldest first."""
    table = pd.DataFrame(
        {
            "date": (step.date or "")[:10],
            "commit": _commit(step),
            "prompt": step.prompt,
            "expected score": f"{numbers.score(step.score.value)} ({_span(step)})",
            "usable": numbers.share_of(step.usable, step.answered),
            "cost": numbers.money(step.cost_usd),
            "against the run before": _against(step, first=index == 0),
        }
        for index, step in enumerate(steps)
    )
    if any(step.then is not None for step in steps):
        table["by the rules of that time"] = [step.then or "" for step in steps]
    return table


def _commit(step: Step) -> str:
    return (step.revision or "workspace")[:10]


def _experiment(result: Comparison | Unmeasured) -> dict[str, str]:
    if isinstance(result, Unmeasured):
        missing = ("prompt", "compared", "expected score", "difference", "usable", "cost")
        return {
            "experiment": result.head,
            **dict.fromkeys(missing, numbers.MISSING),
            "verdict": result.verdict,
        }
    used, effect = result.efficiency, result.scores
    interval = f" ({wording.interval_text(effect.interval)})" if effect.interval else ""
    return {
        "experiment": result.head.name,
        "prompt": result.head.run.prompt.path,
        "compared": f"{numbers.counted(len(result.models), 'model')}, {numbers.counted(effect.briefs, 'brief')}",
        "expected score": numbers.score(effect.found.head),
        "difference": numbers.difference(effect.found.value) + interval,
        "usable": numbers.share_of(used.head_usable, used.head_answered),
        "cost": numbers.ratio(used.cost_ratio),
        "verdict": result.verdict,
    }


def _span(step: Step) -> str:
    counts = f"{numbers.counted(step.score.n, 'brief')}, {numbers.counted(step.models, 'model')}"
    low, high = step.score.low, step.score.high
    return counts if low is None else f"{numbers.interval(low, high)}; {counts}"


def _against(step: Step, *, first: bool) -> str:
    if step.verdict is None:
        return "" if first else "scored by other rules (--rescore)"
    return f"{step.verdict} ({numbers.difference(step.difference)})"
