"""A comparison for the terminal, as Markdown, JSON and JUnit XML; and lists of runs."""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as Xml

from pydantic_core import to_jsonable_python
from rich.console import RenderableType
from rich.text import Text

from stages.commands.compare.changes import Move
from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.history import Step
from stages.commands.compare.sides import ComparedSide
from stages.commands.compare.tables import MAX_SHOWN, VERDICT_LOOKS, cell_changes
from stages.commands.compare.wording import BESIDE, describe, notes_of
from stages.shared.present import terminal as on_terminal
from stages.shared.present.markdown import join_parts, show_list, show_table
from stages.shared.present.table import Table
from stages.shared.records.json_text import pretty
from stages.shared.shell import numbers
from stages.shared.shell.text import details, visible
from stages.shared.shell.text import markdown as escaped

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
SKIPPED = ("mixed", "cannot tell", "could not measure")
"""The verdicts that CI systems show as failed and as skipped tests."""
_NOT_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


def markdown(result: Comparison | Unmeasured, *, insert: str = "") -> str:
    """The whole report, as for a pull request.

    The verdict comes first, then `insert`, which is Markdown, then what moved, collapsed.
    """
    report = describe(result)
    mark = MARKS[VERDICT_LOOKS.get(report.verdict, "")]
    heading = f"### {mark} {report.verdict.capitalize()}: {_sentence(report.title)}"
    if isinstance(result, Unmeasured):
        return _document(heading, _list(report.reasons), insert)
    moved = "Nothing moved."
    if report.moved.rows:
        summary = f"What moved: {numbers.counted(len(report.moved.rows), 'cell')}"
        moved = details(summary, _table(report.moved.first(MAX_SHOWN)))
    return _document(
        heading,
        _sentence(report.prompts),
        *map(_sentence, report.sentences),
        f"{BESIDE}:",
        _list(report.beside),
        _table(report.models),
        _list(report.notes),
        insert,
        moved,
        details("What was compared, and what was left out", _list(report.provenance)),
    )


def terminal(result: Comparison | Unmeasured, width: int) -> Iterator[RenderableType]:
    """The verdict, the tables of models and of what moved, and what was left out."""
    report = describe(result)
    style = STYLES[VERDICT_LOOKS.get(report.verdict, "")]
    yield on_terminal.show_text(f"{report.verdict}: {report.title}", style)
    for line in (*(f"  {reason}" for reason in report.reasons), *report.sentences):
        yield on_terminal.show_text(line)
    if report.beside:
        yield Text()
        for line in (f"{BESIDE}:", *(f"- {line}" for line in report.beside)):
            yield on_terminal.show_text(line)
    for table in (report.models, report.moved.first(MAX_SHOWN)):
        if table.rows:
            yield Text()
            yield from on_terminal.show_table(table, width)
    if report.provenance:
        yield Text()
    for note in (*report.notes, *report.provenance):
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


def document(result: Comparison | Unmeasured | Sequence[Step]) -> bytes:
    """The JSON text: every number unrounded, sorted keys; equal results give equal bytes."""
    if not isinstance(result, Comparison):
        return pretty(to_jsonable_python(result))
    left_out = to_jsonable_python(result.pairing, exclude={"pairs", "lost"})
    sides = {"baseline": _side(result.baseline), "candidate": _side(result.candidate)}
    compared = to_jsonable_python(result, exclude={*sides, "pairing", "known_comparisons"})
    said = {"verdict": result.verdict, "reason": result.reason, "notes": list(notes_of(result))}
    return pretty(compared | left_out | sides | said)


def _side(side: ComparedSide) -> object:
    names = ("name", "revision", "date", "prompt", "model", "rescored", "recorded")
    return {name: getattr(side, name) for name in names} | {"run_id": side.run.run_id}


def junit_xml(result: Comparison | Unmeasured) -> bytes:
    """The XML: a test for the verdict, which fails when it is worse and is skipped when there is
    none, and one for each brief that moved, which passes: a brief alone decides nothing.
    """
    moves = () if isinstance(result, Unmeasured) else result.moves
    report = describe(result)
    failures = int(report.verdict in FAILING)
    skipped = int(report.verdict in SKIPPED)
    counts = {"tests": str(1 + len(moves)), "failures": str(failures), "skipped": str(skipped)}
    suites = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(suites, "testsuite", {"name": _plain(report.title), **counts})
    case = _add_case(suite, "compare", "verdict")
    message = _plain(f"{report.verdict}: {result.reason}")
    if failures:
        Xml.SubElement(case, "failure", {"type": report.verdict, "message": message})
    elif skipped:
        Xml.SubElement(case, "skipped", {"message": message})
    lines = (*report.sentences, f"{BESIDE}:", *report.beside, *report.notes)
    _add_text(case, lines if report.sentences else report.reasons)
    for move in moves:
        _add_text(_add_case(suite, "moved", move.brief_id), _move_lines(move))
    Xml.indent(suites)
    document: bytes = Xml.tostring(suites, "utf-8", xml_declaration=True)
    return document + b"\n"


def _add_case(suite: Xml.Element, group: str, name: str) -> Xml.Element:
    return Xml.SubElement(suite, "testcase", {"classname": group, "name": _plain(name)})


def _add_text(case: Xml.Element, lines: Sequence[str]) -> None:
    Xml.SubElement(case, "system-out").text = "\n".join(map(_plain, lines))


def _move_lines(move: Move) -> list[str]:
    lines = [f"difference {numbers.difference(move.difference)}, mean over models"]
    for cell in move.models:
        scores, contents, violations = cell_changes(cell)
        lines.append(f"{cell.model_id}: {scores}, content {contents} {violations}".rstrip())
    return lines


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
