"""A comparison for the terminal, as Markdown, JSON and JUnit XML; and lists of them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from xml.etree import ElementTree as Xml

from pydantic_core import to_jsonable_python
from rich.console import RenderableType
from rich.text import Text

from stages.compare import tables, wording
from stages.compare.changes import Move
from stages.compare.comparison import MAX_SHOWN, Comparison, Unmeasured
from stages.compare.history import Step
from stages.contracts.json_text import pretty
from stages.present import terminal as on_terminal
from stages.present.markdown import join_parts, show_list, show_table
from stages.present.table import Table
from stages.shell import numbers
from stages.shell.text import details, visible
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
FAILING = ("worse",)
SKIPPED = ("cannot tell", "could not measure")
"""The verdicts that CI systems show as failed and as skipped tests."""
BESIDE = "Beside the verdict, deciding nothing"
_NOT_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


def markdown(result: Comparison | Unmeasured, *, insert: str = "") -> str:
    """The whole report, as for a pull request.

    The verdict comes first, then `insert`, which is Markdown, then what moved, collapsed.
    """
    mark = MARKS[tables.VERDICT_LOOKS.get(result.verdict, "")]
    verdict = f"{mark} {result.verdict.capitalize()}"
    heading = f"### {verdict}: {_sentence(wording.title(result))}"
    if isinstance(result, Unmeasured):
        return _document(heading, _list(result.reasons), insert)
    left_out = _list(wording.provenance(result))
    return _document(
        heading,
        _sentence(wording.prompts_line(result)),
        _sentence(wording.reason(result)),
        *map(_sentence, wording.next_steps(result)),
        f"{BESIDE}:",
        _list(wording.information(result)),
        _table(tables.models_table(result)),
        _list(result.notes),
        insert,
        _moved(result),
        details("What was compared, and what was left out", left_out),
    )


def _moved(result: Comparison) -> str:
    moved = tables.moved_table(result)
    if not moved.rows:
        return "Nothing moved."
    summary = f"What moved: {numbers.counted(len(moved.rows), 'cell')}"
    return details(summary, _table(_farthest(moved)))


def _farthest(moved: Table) -> Table:
    """The first rows of what moved, and how many more there are."""
    rest = len(moved.rows) - MAX_SHOWN
    notes = (f"and {numbers.count(rest)} more",) if rest > 0 else ()
    return replace(moved, rows=moved.rows[:MAX_SHOWN], notes=notes)


def terminal(result: Comparison | Unmeasured, width: int) -> Iterator[RenderableType]:
    """The verdict, the tables of models and of what moved, and what was left out."""
    heading = f"{result.verdict}: {wording.title(result)}"
    style = STYLES[tables.VERDICT_LOOKS.get(result.verdict, "")]
    yield on_terminal.show_text(heading, style)
    if isinstance(result, Unmeasured):
        for reason in result.reasons:
            yield on_terminal.show_text(f"  {reason}")
        return
    yield on_terminal.show_text(wording.reason(result))
    for sentence in wording.next_steps(result):
        yield on_terminal.show_text(sentence)
    yield Text()
    yield on_terminal.show_text(f"{BESIDE}:")
    for line in wording.information(result):
        yield on_terminal.show_text(f"- {line}")
    yield Text()
    yield from on_terminal.show_table(tables.models_table(result), width)
    yield Text()
    moved = tables.moved_table(result)
    if moved.rows:
        yield from on_terminal.show_table(_farthest(moved), width)
        yield Text()
    for note in (*result.notes, *wording.provenance(result)):
        yield on_terminal.show_text(note, "dim")


def listing_markdown(listing: Table) -> str:
    """The whole list as Markdown."""
    table = _table(listing) if listing.rows else _list(listing.notes)
    return _document(_sentence(listing.title), table)


def listing_terminal(listing: Table, width: int) -> Iterator[RenderableType]:
    """The whole list for a terminal."""
    if listing.rows:
        yield from on_terminal.show_table(listing, width)
        return
    for line in (listing.title, *listing.notes):
        yield on_terminal.show_text(line)


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
    return value


def junit_xml(result: Comparison | Unmeasured) -> bytes:
    """The XML: a test for the verdict, which fails when it is worse and is skipped when there is
    none, and one for each brief that moved, which passes: a brief alone decides nothing.
    """
    moves = () if isinstance(result, Unmeasured) else result.moves
    failures = int(result.verdict in FAILING)
    skipped = int(result.verdict in SKIPPED)
    counts = {"tests": str(1 + len(moves)), "failures": str(failures), "skipped": str(skipped)}
    suites = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(suites, "testsuite", {"name": _plain(wording.title(result)), **counts})
    _add_verdict(suite, result)
    for move in moves:
        case = _add_case(suite, "moved", move.brief_id)
        Xml.SubElement(case, "system-out").text = _move_text(move)
    Xml.indent(suites)
    document: bytes = Xml.tostring(suites, "utf-8", xml_declaration=True)
    return document + b"\n"


def _add_verdict(suite: Xml.Element, result: Comparison | Unmeasured) -> None:
    case = _add_case(suite, "compare", "verdict")
    message = _plain(f"{result.verdict}: {result.reason}")
    if result.verdict in FAILING:
        Xml.SubElement(case, "failure", {"type": result.verdict, "message": message})
    elif result.verdict in SKIPPED:
        Xml.SubElement(case, "skipped", {"message": message})
    lines = [message]
    if isinstance(result, Comparison):
        steps, beside = wording.next_steps(result), wording.information(result)
        lines = [wording.reason(result), *steps, f"{BESIDE}:", *beside, *result.notes]
    Xml.SubElement(case, "system-out").text = "\n".join(map(_plain, lines))


def _add_case(suite: Xml.Element, group: str, name: str) -> Xml.Element:
    return Xml.SubElement(suite, "testcase", {"classname": group, "name": _plain(name)})


def _move_text(move: Move) -> str:
    lines = [f"difference {numbers.difference(move.difference)}, mean over models"]
    for cell in move.models:
        scores, violations = tables.cell_changes(cell)
        lines.append(_plain(f"{cell.model_id}: {scores} {violations}".rstrip()))
    return "\n".join(lines)


def _plain(text: str) -> str:
    return visible(text).translate(_NOT_XML)


def _document(*parts: str) -> str:
    return join_parts(*parts) + "\n"


def _table(table: Table) -> str:
    return show_table(table, longest=MAX_CHARACTERS)


def _sentence(text: str) -> str:
    return escaped(text, longest=MAX_CHARACTERS)


def _list(lines: Sequence[str]) -> str:
    return show_list(lines, longest=MAX_CHARACTERS)
