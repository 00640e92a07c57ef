"""The part of `results/summary.md` that tells what went wrong, and what a reader should look at."""

from collections.abc import Sequence

from stages.report import number_formats as show
from stages.report.digest import Digest
from stages.report.estimate import mean_of
from stages.report.failures import Failure, FailureKind, by_code
from stages.report.markdown_text import code, details, table, text
from stages.report.meanings import meaning_of

SHOWN = 20
"""Rows that stand open; the rest is collapsed."""
SHOWN_MODELS = 4
"""Models or briefs that a row names."""


def failed(digest: Digest) -> str:
    """What failed, by model and code, after the average share of edges that were left at their defaults."""
    shares = [cell.default_share for cell in digest.cells]
    measured = sum(share is not None for share in shares)
    defaults = (
        f"On average {show.share(mean_of(shares))} of the causal edges were left at the default parameters "
        f"(default takeover, over {show.things(measured, 'valid graph')})."
    )
    rows = digest.failures
    parts = [
        "## What failed",
        defaults if measured else "No valid graph tells how many edges were left at their defaults.",
    ]
    if not rows:
        parts.append("Nothing failed: every cell has a valid graph.")
    else:
        parts.append(_kinds(by_code(rows, digest.leaderboard.counts.cells)))
        parts.append(details("The same by model", _rows(rows)))
    return "\n\n".join(parts)


def flagged(digest: Digest) -> str:
    """The flags, and the warnings of the scorecards with their counts."""
    parts = ["## Flagged issues"]
    lines = [f"- {text(flag.message, 400)}" for flag in digest.flags]
    parts.append("\n".join(lines[:SHOWN]) if lines else "None.")
    if len(lines) > SHOWN:
        parts.append(details(f"{show.count(len(lines) - SHOWN)} more", "\n".join(lines[SHOWN:])))
    parts.append("## Warnings")
    if digest.warnings:
        warned = [
            [code(name), show.count(cells), text(meaning_of(name).meaning, 300)] for name, cells in digest.warnings
        ]
        parts.append("Odd but readable; they change no score.")
        parts.append(table(["Warning", "Cells", "What it means"], warned, "lrl"))
    else:
        parts.append("None.")
    return "\n\n".join(parts)


def _kinds(kinds: Sequence[FailureKind]) -> str:
    rows = [
        [
            code(one.code), f"{show.count(one.cells)} of {show.count(one.of_cells)}",
            text(", ".join(f"{model} {show.count(cells)}" for model, cells in one.models[:SHOWN_MODELS]), 300)
            + (f" and {show.count(len(one.models) - SHOWN_MODELS)} more" if len(one.models) > SHOWN_MODELS else ""),
            text(_told(one), 300), text(one.mend, 300),
        ]
        for one in kinds
    ]  # fmt: skip
    return table(["Code", "Cells", "Models", "What it means", "What to do"], rows, "lrlll")


def _told(one: FailureKind) -> str:
    said = ", ".join(one.failure_codes[:3])
    return f"{one.meaning} Recorded as {said}." if said else one.meaning


def _rows(failures: Sequence[Failure]) -> str:
    rows = [
        [
            text(one.model_id), code(one.code), f"{show.count(one.cells)} of {show.count(one.of_cells)}",
            text("; ".join(one.failure_codes[:3]) or show.MISSING), text(", ".join(one.briefs[:SHOWN_MODELS]), 300),
        ]
        for one in failures
    ]  # fmt: skip
    return table(["Model", "Code", "Cells", "Recorded as", "First briefs"], rows, "llrll")
