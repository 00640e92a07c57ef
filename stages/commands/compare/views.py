"""A comparison for the terminal, as Markdown, JSON and JUnit XML; and lists of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from xml.etree import ElementTree as Xml

from pydantic_core import to_jsonable_python
from rich.console import RenderableType
from rich.text import Text

from stages.commands.compare.comparison import Comparison, Unmeasured
from stages.commands.compare.history import Step
from stages.commands.compare.pairs import Pair
from stages.commands.compare.sides import ComparedSide
from stages.commands.compare.tables import MAX_SHOWN, VERDICT_LOOKS, changes_of
from stages.commands.compare.wording import Part, describe, notes_of
from stages.shared.present import terminal as on_terminal
from stages.shared.present.markdown import join_parts, show_list, show_table
from stages.shared.present.table import Table
from stages.shared.records.json_text import pretty
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
    """The whole report, as for a pull request; `insert`, which is Markdown, comes before what
    moved.
    """
    report = describe(result)
    mark = MARKS[VERDICT_LOOKS.get(report.verdict, "")]
    heading = f"### {mark} {report.verdict.capitalize()}: {_sentence(report.title)}"
    open_parts = [_part(part) for part in report.parts if not part.folded]
    folded = [details(part.title, _part(part)) for part in report.parts if part.folded]
    return _document(heading, *map(_sentence, report.sentences), *open_parts, insert, *folded)


def _part(part: Part) -> str:
    table = _table(part.table.first(MAX_SHOWN)) if part.table and part.table.rows else ""
    title = "" if part.folded else f"**{part.title}**"
    return join_parts(title, table, _list(part.lines))


def terminal(result: Comparison | Unmeasured, width: int) -> Iterator[RenderableType]:
    """The verdict and its sentences, then the parts."""
    report = describe(result)
    style = STYLES[VERDICT_LOOKS.get(report.verdict, "")]
    yield on_terminal.show_text(f"{report.verdict}: {report.title}", style)
    yield from map(on_terminal.show_text, report.sentences)
    for part in report.parts:
        yield Text()
        yield on_terminal.show_text(f"{part.title}:", "bold")
        if part.table and part.table.rows:
            yield from on_terminal.show_table(replace(part.table.first(MAX_SHOWN), title=""), width)
        for line in part.lines:
            yield on_terminal.show_text(f"- {line}")


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
    return pretty(compared | left_out | sides | said | {"moved": list(map(_moved, result.moved))})


def _moved(pair: Pair) -> object:
    names = ("model_id", "brief_id", "difference", "content_difference", "gained", "lost")
    ends = {"baseline": pair.baseline, "candidate": pair.candidate}
    numbers_of = {
        side: {"score": end.expected, "content": end.content} for side, end in ends.items()
    }
    return {name: getattr(pair, name) for name in names} | numbers_of


def _side(side: ComparedSide) -> object:
    names = ("name", "revision", "date", "prompt", "model", "rescored", "recorded")
    return {name: getattr(side, name) for name in names} | {"run_id": side.run.run_id}


def junit_xml(result: Comparison | Unmeasured) -> bytes:
    """The XML: a test for the verdict, which fails when it is worse and is skipped when there is
    none, and one for each cell that moved, which passes: a brief alone decides nothing.
    """
    moved = [] if isinstance(result, Unmeasured) else result.moved
    report = describe(result)
    failures = int(report.verdict in FAILING)
    skipped = int(report.verdict in SKIPPED)
    counts = {"tests": str(1 + len(moved)), "failures": str(failures), "skipped": str(skipped)}
    suites = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(suites, "testsuite", {"name": _plain(report.title), **counts})
    of_parts = [line for part in report.parts if not part.folded for line in part.lines]
    case = _add_case(suite, "compare", "verdict", [*report.sentences, *of_parts])
    message = _plain(f"{report.verdict}: {result.reason}")
    if failures:
        Xml.SubElement(case, "failure", {"type": report.verdict, "message": message})
    elif skipped:
        Xml.SubElement(case, "skipped", {"message": message})
    for pair in moved:
        scores, contents, violations = changes_of(pair)
        lines = [f"score {scores}", f"content {contents}", violations]
        _add_case(suite, "moved", f"{pair.brief_id} by {pair.model_id}", lines)
    Xml.indent(suites)
    document: bytes = Xml.tostring(suites, "utf-8", xml_declaration=True)
    return document + b"\n"


def _add_case(suite: Xml.Element, group: str, name: str, lines: Sequence[str]) -> Xml.Element:
    case = Xml.SubElement(suite, "testcase", {"classname": group, "name": _plain(name)})
    Xml.SubElement(case, "system-out").text = "\n".join(map(_plain, lines))
    return case


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
