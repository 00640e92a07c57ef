"""A comparison for the terminal, as Markdown and as JSON; lists of them as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import to_jsonable_python
from rich.console import RenderableType
from rich.text import Text

from stages.compare import wording
from stages.compare.comparer import Step
from stages.compare.comparison import MAX_SHOWN, Comparison, Unmeasured
from stages.contracts.json_text import pretty
from stages.present import terminal as on_terminal
from stages.present.markdown import join_parts, show_list, show_table
from stages.present.table import Table
from stages.shell import numbers
from stages.shell.text import details, markdown_code
from stages.shell.text import markdown as escaped

MAX_CHARACTERS = 2_000
"""Of a sentence or a text in a table, in Markdown."""
MARKS = {"good": "🟢", "bad": "🔴", "warn": "⚠️", "equal": "🔵", "": "⚪"}
STYLES = {
    "good": "bold green",
    "bad": "bold red",
    "warn": "bold yellow",
    "equal": "bold blue",
    "": "bold",
}


def markdown(result: Comparison | Unmeasured, *, insert: str = "") -> str:
    """The whole report, as for a pull request.

    The verdict comes first, then `insert`, which is Markdown, then what moved, collapsed.
    """
    mark = MARKS[wording.VERDICT_LOOKS.get(result.verdict, "")]
    verdict = f"{mark} {result.verdict.capitalize()}"
    heading = f"### {verdict}: {wording.title(result, markdown_code)}"
    if isinstance(result, Unmeasured):
        return _document(heading, _list(result.reasons), insert)
    left_out = _list(wording.provenance(result))
    return _document(
        heading,
        _sentence(wording.prompts_line(result)),
        _sentence(wording.reason(result)),
        _list(wording.numbers_behind(result)),
        *map(_sentence, (*wording.next_steps(result), wording.usage(result))),
        _table(wording.brief_models_table(result)),
        _list(result.notes),
        insert,
        _moved(result),
        details("What was compared, and what was left out", left_out),
    )


def _moved(result: Comparison) -> str:
    if not result.moves:
        return "No brief moved."
    rest = len(result.moves) - MAX_SHOWN
    more = f"and {numbers.count(rest)} more" if rest > 0 else ""
    summary = f"What moved: {numbers.counted(len(result.moves), 'brief')}"
    return details(summary, join_parts(_table(wording.moves_table(result)), more))


def terminal(result: Comparison | Unmeasured, width: int) -> Iterator[RenderableType]:
    """The verdict, the tables of models and of what moved, and what was left out."""
    heading = f"{result.verdict}: {wording.title(result)}"
    style = STYLES[wording.VERDICT_LOOKS.get(result.verdict, "")]
    yield on_terminal.show_text(heading, style)
    if isinstance(result, Unmeasured):
        for reason in result.reasons:
            yield on_terminal.show_text(f"  {reason}")
        return
    yield on_terminal.show_text(wording.reason(result))
    for line in wording.numbers_behind(result):
        yield on_terminal.show_text(f"- {line}")
    for sentence in wording.next_steps(result):
        yield on_terminal.show_text(sentence)
    yield Text()
    yield from on_terminal.show_table(wording.models_table(result), width)
    yield Text()
    if result.moves:
        moves = wording.moves_table(result, with_models=False)
        yield from on_terminal.show_table(replace(moves, title="What moved most"), width)
        yield Text()
    for note in (*result.notes, *wording.provenance(result)):
        yield on_terminal.show_text(note, "dim")


def document(result: Comparison | Unmeasured | Sequence[Step | Comparison | Unmeasured]) -> bytes:
    """The JSON text: every number unrounded, sorted keys; equal results give equal bytes."""
    if isinstance(result, Sequence):
        return pretty([_jsonable(item) for item in result])
    return pretty(_jsonable(result))


def _jsonable(result: Comparison | Unmeasured | Step) -> object:
    if not isinstance(result, Comparison):
        return to_jsonable_python(result)
    unread = {"scorecards", "run", "decision", "policy"}
    exclude = {"base": unread, "head": unread, "pairing": {"pairs", "lost"}}
    value = to_jsonable_python(result, exclude=exclude)
    value |= value.pop("pairing")
    for name, side in (("base", result.base), ("head", result.head)):
        value[name] |= {"run_id": side.run.run_id, "prompt": side.prompt}
    value["scores"] = _flat_effect(value["scores"])
    for model in value["models"]:
        model["effect"] = _flat_effect(model["effect"])
    return value


def _flat_effect(effect: dict[str, Any]) -> dict[str, Any]:
    """An effect with the keys of its difference beside its own, and no interval if unchanged."""
    difference = effect.pop("difference")
    low, high = difference.pop("low"), difference.pop("high")
    unknown = low is None or effect["judgement"]["verdict"] == "unchanged"
    interval = None if unknown else {"low": low, "high": high}
    value = difference.pop("value")
    return {**effect, **difference, "difference": value, "interval": interval}


def _document(*parts: str) -> str:
    return join_parts(*parts) + "\n"


def _table(table: Table) -> str:
    return show_table(table, longest=MAX_CHARACTERS)


def _sentence(text: str) -> str:
    return escaped(text, longest=MAX_CHARACTERS)


def _list(lines: Sequence[str]) -> str:
    return show_list(lines, longest=MAX_CHARACTERS)
