"""A comparison as JUnit XML, which CI systems show as tests: the verdict, and each brief that
moved.
"""

from xml.etree import ElementTree as Xml

from stages.compare import wording
from stages.compare.changes import Move
from stages.compare.comparison import Comparison, Unmeasured
from stages.shell import numbers
from stages.shell.text import visible

FAILING = ("worse", "worse where usable")
SKIPPED = ("cannot tell", "could not measure")
_NOT_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}


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
        lines += [*wording.numbers_behind(result), *wording.next_steps(result), *result.notes]
    Xml.SubElement(case, "system-out").text = "\n".join(map(_plain, lines))


def _add_case(suite: Xml.Element, group: str, name: str) -> Xml.Element:
    return Xml.SubElement(suite, "testcase", {"classname": group, "name": _plain(name)})


def _move_text(move: Move) -> str:
    lines = [f"difference {numbers.difference(move.difference)}, mean over models"]
    for cell in move.models:
        line = f"{cell.model_id}: {numbers.score(cell.base)} → {numbers.score(cell.head)}"
        if cell.gained:
            line += f", gained {', '.join(cell.gained)}"
        if cell.lost:
            line += f", lost {', '.join(cell.lost)}"
        lines.append(_plain(line))
    return "\n".join(lines)


def _plain(text: str) -> str:
    return visible(text).translate(_NOT_XML)
