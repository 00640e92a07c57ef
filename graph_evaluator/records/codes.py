"""What each status, code, check and sub-score means, and what to do about it, as `codes.toml` says
it; and the sentences of findings.
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means, what to do about it, and what to do where the answers are recorded, which
    is empty where it is the same.
    """

    meaning: str
    fix: str
    recorded: str = ""

    def advice(self, *, recorded: bool) -> str:
        """What to do about it."""
        return (recorded and self.recorded) or self.fix


_TABLES = tomllib.loads(files("graph_evaluator.records").joinpath("codes.toml").read_text("utf-8"))
SENTENCES: dict[str, list[str]] = _TABLES.pop("sentences")
"""The sentences of a finding, about one thing and about several."""
QUESTIONS: dict[str, str] = _TABLES.pop("questions")
"""The question of each fidelity check."""
_GROUPS = {
    group: {code: Code(**texts) for code, texts in codes.items()}
    for group, codes in _TABLES.items()
}
VIOLATIONS, WARNINGS = _GROUPS["violations"], _GROUPS["warnings"]
CODES = {code: texts for codes in _GROUPS.values() for code, texts in codes.items()}
"""Of violations, warnings, statuses, fidelity checks and sub-scores."""


def meaning_of(code: str) -> Code:
    """What a status, a violation or a warning means, and what to do about it; an unknown code
    says so.
    """
    return CODES.get(code, Code("A check of your own; the table of checks has its question.", ""))


def code_name(code: str) -> str:
    """The readable name of a code.

    >>> code_name("CYCLE_DETECTED"), code_name("parse_failed")
    ('Cycle detected', 'Parse failed')
    """
    return code.replace("_", " ").capitalize()
