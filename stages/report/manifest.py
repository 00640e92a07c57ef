"""The manifest of responses that came without one: what can be told from the cells alone."""

from collections.abc import Sequence

from stages.contracts.run import PromptRef, Run
from stages.report.cells import CellResult

UNKNOWN = "unknown"


def manifest_of(cells: Sequence[CellResult]) -> Run:
    """A manifest that names the models and briefs of the cells; what only `generate` knows is "unknown"."""
    return Run(
        run_id=UNKNOWN,
        git_sha=None,
        tool_version=UNKNOWN,
        prompt=PromptRef(path=UNKNOWN, sha256=UNKNOWN),
        models=dict.fromkeys(sorted({cell.model_id for cell in cells}), UNKNOWN),
        briefs=dict.fromkeys(sorted({cell.brief_id for cell in cells}), UNKNOWN),
        samples=max((cell.sample for cell in cells), default=1),
        round=1,
    )
