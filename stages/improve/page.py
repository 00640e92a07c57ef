"""`results/improve.html`: what was changed and why, how the candidates scored, and the verdict."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from stages.contracts.improvement import Improvement
from stages.contracts.run import TOOL_VERSION
from stages.improve.wording import closing_lines, proof_lines
from stages.present.page import Frame, page
from stages.present.table import Column, Entry, Raw, Table, make_table
from stages.settle.wording import look_line
from stages.shell import numbers

_CANDIDATES = (
    Column("Candidate"),
    Column("Learn", numbers.score, hint="Mean expected score on the briefs that the proposer saw."),
    Column("Choose", numbers.score, hint="The same on the briefs that chose among the candidates."),
    Column("Characters", numbers.count),
)
_CHANGES = (
    Column("Finding"),
    Column("Before", numbers.share, hint="Share of the answers to the briefs that prove."),
    Column("After", numbers.share),
    Column("The proposer's reason"),
)
_REFUSALS = (Column("Round", numbers.count), Column("Why"))
_WORD = re.compile(r"\S+\s*|\s+")


def improvement_page(improvement: Improvement) -> bytes:
    """The page of a search that has ended."""
    design, candidates = improvement.design, improvement.candidates
    pieces: list[tuple[str, str]] = []
    if improvement.best is not None:
        pieces = list(diff_words(candidates[0].text, candidates[improvement.best].text))
    changes = [(row.finding, row.before, row.after, row.reason) for row in improvement.changes]
    proof = proof_lines(improvement)
    if improvement.proof:
        proof.insert(0, look_line(improvement.proof))
    refusals = [(refusal.round, refusal.reason) for refusal in improvement.refusals]
    tables = [
        make_table(_CHANGES, changes, title="What each change was to fix", name="changes"),
        _candidates_table(improvement),
        make_table(_REFUSALS, refusals, title="Refused proposals", name="refusals"),
    ]
    return page(
        Frame(design.run, design.base, TOOL_VERSION),
        "improve.html.j2",
        package="stages.improve",
        title=f"A better prompt than {design.base}?",
        verdict=improvement.verdict,
        lines=[*closing_lines(improvement), *proof],
        pieces=pieces,
        tables=[table for table in tables if table.rows],
    )


def _candidates_table(improvement: Improvement) -> Table:
    rows: list[list[Raw]] = []
    for place, candidate in enumerate(improvement.candidates):
        name = f"round {candidate.round}" if place else "the base"
        look = "good" if place == improvement.best else ""
        length = len(candidate.text)
        rows.append([Entry(name, look=look), candidate.learn, candidate.choose, length])
    return make_table(_CANDIDATES, rows, title="Candidates", name="candidates")


def diff_words(old: str, new: str) -> Iterator[tuple[str, str]]:
    """The pieces of two texts in their order, each with what it is: `span` in both, `del` in the old
    one only, `ins` in the new one only.

    >>> list(diff_words("one two three", "one 2 three"))
    [('span', 'one '), ('del', 'two '), ('ins', '2 '), ('span', 'three')]
    """
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        pieces = {"del": before[start:end], "ins": after[new_start:new_end]}
        if tag == "equal":
            pieces = {"span": before[start:end]}
        yield from ((name, "".join(words)) for name, words in pieces.items() if words)
