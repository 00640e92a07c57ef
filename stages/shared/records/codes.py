"""Every status, violation, warning, fidelity check and sub-score: what it means and how to fix it
(`codes.toml`).

Violations make a graph invalid and are listed in scorecards in the order of `VIOLATIONS`; warnings
change no score.
"""

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Code(NamedTuple):
    """What a code means, and what to do about it."""

    meaning: str
    fix: str


_TABLES = tomllib.loads(files("stages.shared.records").joinpath("codes.toml").read_text("utf-8"))
SENTENCES: dict[str, list[str]] = _TABLES.pop("sentences")
"""What a finding says about one thing, and about several."""
_GROUPS = {
    group: {code: Code(**texts) for code, texts in codes.items()}
    for group, codes in _TABLES.items()
}
VIOLATIONS, WARNINGS = _GROUPS["violations"], _GROUPS["warnings"]
CODES = {code: texts for codes in _GROUPS.values() for code, texts in codes.items()}
"""Statuses, and names of fidelity checks and sub-scores, too."""
