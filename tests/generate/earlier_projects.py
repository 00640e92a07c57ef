"""Copies of the projects that earlier versions wrote (`tests/fixtures`), for the tests that this version reads them."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests import REPOSITORY
from tests.generate.workspace import Workspace

INPUTS_AND_RESULTS = ("prompts", "briefs", "models", "results")


@dataclass(frozen=True)
class EarlierVersion:
    """A version, its project, and the outcome of a run of the models that are called and the briefs
    that have every answer; the simulated model draws its answers again.
    """

    number: str
    models: tuple[str, ...]
    answered_briefs: tuple[str, ...]
    outcome: str
    cells: int
    newer_warnings: tuple[str, ...] = ()
    """Parts of the warnings that a response has since."""

    def __str__(self) -> str:
        return f"version {self.number}"

    @property
    def folder(self) -> Path:
        """The project; it is read only."""
        return REPOSITORY / "tests/fixtures" / f"v{self.number.replace('.', '_')}"


VERSION_0_1 = EarlierVersion(
    number="0.1",
    models=("a", "c", "s"),
    answered_briefs=("b1", "b2", "b3", "b4", "b6"),
    outcome="30 answers: 22 success, 4 refused, 4 truncated; nothing was called",
    cells=30,
    newer_warnings=("does not follow the schema",),
)
VERSION_0_2 = EarlierVersion(
    number="0.2",
    models=("a", "c"),
    answered_briefs=("b1", "b2", "b3", "b4"),
    outcome="8 answers: 3 success, 2 refused, 2 truncated, 1 parse_failed; nothing was called",
    cells=8,
)
EARLIER_VERSIONS = (VERSION_0_1, VERSION_0_2)


class EarlierProject(Workspace):
    """A copy of an earlier version's project."""

    def __init__(self, folder, version, *, ledger=True):
        self.folder = folder
        self.version = version
        self._copy(INPUTS_AND_RESULTS)
        if ledger:
            shutil.copytree(version.folder / "ledger", folder / ".ledger")
        self.params = yaml.safe_load((version.folder / "params.yaml").read_text())
        self.set()

    def set_answered(self):
        """Select the models and briefs that have every answer."""
        self.set(models=list(self.version.models), briefs=list(self.version.answered_briefs))

    def _copy(self, names):
        for name in names:
            if (self.version.folder / name).exists():
                shutil.copytree(self.version.folder / name, self.folder / name)

    def answered_responses(self) -> dict[str, dict[str, Any]]:
        """The responses to the answered briefs, without the warnings that are newer."""
        responses = {}
        for brief in self.version.answered_briefs:
            for file in self.folder.glob(f"results/responses/*/{brief}/*.json"):
                response = json.loads(file.read_bytes())
                if response["model_id"] not in self.version.models:
                    continue
                response["warnings"] = [
                    text for text in response["warnings"] if not self._is_newer(text)
                ]
                responses[file.relative_to(self.folder).as_posix()] = response
        return responses

    def _is_newer(self, warning) -> bool:
        return any(part in warning for part in self.version.newer_warnings)
