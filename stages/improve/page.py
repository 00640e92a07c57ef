"""What came of a search in words, and as the page `results/improve.html`."""

from collections import Counter

from stages.contracts.improvement import Improvement
from stages.contracts.run import TOOL_VERSION
from stages.generate.forecast import SIMULATED
from stages.present.diff import diff_words
from stages.present.page import Frame, page, trail_to
from stages.present.table import Column, Table, make_table
from stages.settle.wording import look_line
from stages.shell import numbers

_CANDIDATES = (
    Column("Candidate"),
    Column("Learn", numbers.score, hint="Mean expected score on the briefs that the proposer saw."),
    Column("Choose", numbers.score, hint="The same on the briefs that chose among the candidates."),
)
_CHANGES = (
    Column("Finding"),
    Column("Before", numbers.share, hint="Share of the answers to the briefs that prove."),
    Column("After", numbers.share),
    Column("The proposer's reason"),
)


def closing_lines(improvement: Improvement) -> list[str]:
    """How it ended, what it cost, and how to record it."""
    proof, content = improvement.proof, improvement.content
    reasons = Counter(refusal.reason for refusal in improvement.refusals)
    used = f"{numbers.counted(improvement.calls, 'answer')}, {numbers.money(improvement.usd)}"
    lines = [f"{improvement.verdict}: {improvement.reason}."]
    if proof and content:
        interval = numbers.difference_interval(content.low, content.high)
        lines += [
            look_line(proof),
            f"content: {numbers.difference(content.value)} (interval {interval})",
            f"use {improvement.use} of the briefs that prove: the looks share a confidence of "
            f"{100 * proof.design.confidence:.2f}%",
        ]
    lines += [f"refused {times} x: {reason}" for reason, times in reasons.items()]
    lines.append(f"{used}.")
    if improvement.prompt:
        lines.append(f"The best candidate is in {improvement.prompt}.")
    if improvement.commands:
        lines.append("No run uses it yet. To record the proof as experiments (nothing is called):")
    return lines


def improvement_page(improvement: Improvement, *, site: str = "") -> bytes:
    """The page of a search that has ended; `site` is the path from it to the site, empty for
    none.
    """
    texts = [candidate.text for candidate in improvement.candidates]
    pieces = diff_words(texts[0], texts[improvement.best or 0])
    changes = [(row.finding, row.before, row.after, row.reason) for row in improvement.changes]
    notices = (SIMULATED,) if improvement.simulated else ()
    return page(
        Frame(improvement.run, improvement.base, TOOL_VERSION, notices),
        "improve.html.j2",
        package="stages.improve",
        title=f"A better prompt than {improvement.base}?",
        trail=trail_to(site),
        verdict=improvement.verdict,
        lines=closing_lines(improvement),
        commands=improvement.commands,
        candidates=_candidates_table(improvement),
        changes=make_table(_CHANGES, changes, title="On the briefs that prove", name="changes"),
        pieces=list(pieces),
    )


def _candidates_table(improvement: Improvement) -> Table:
    tried = improvement.candidates
    names = ["the base", *(f"round {candidate.round}" for candidate in tried[1:])]
    if improvement.best is not None:
        names[improvement.best] += ", the best"
    rows = [
        (name, candidate.learn, candidate.choose)
        for name, candidate in zip(names, tried, strict=True)
    ]
    return make_table(_CANDIDATES, rows, title="Candidates", name="candidates")
