"""What failed and why, by model and code, with what to do about it."""

from typing import Literal

import msgspec

Doing = Literal["model", "infrastructure"]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One code at one model. `cells` counts the cells it occurs in, `occurrences` includes repeats within a graph.

    `code` is a status (`truncated`, `rate_limited`), or a violation code of a graph that is structurally invalid.
    """

    model_id: str
    code: str
    doing: Doing
    cells: int
    occurrences: int
    of_cells: int
    """All cells of the model."""
    briefs: tuple[str, ...]
    failure_codes: tuple[str, ...]
    """The providers' codes that stand behind the status, sorted."""
    meaning: str
    mend: str


class Flag(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a person should look at, in a sentence (plain text: escape it where it is shown)."""

    kind: str
    message: str
    model_id: str | None = None
    brief_id: str | None = None
