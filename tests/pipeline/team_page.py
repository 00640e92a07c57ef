"""The commands on docs/team.md, and which test types them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tests.pipeline.project import REPOSITORY, Project

TYPED = {
    "share": (
        "dvc remote add -d store /mnt/shared/graph-evaluator",
        "git add .dvc/config",
        "git commit",
        "dvc push",
        "git push",
        "git clone ...",
        "make",
        "dvc install",
        ". .venv/bin/activate",
        "graph-evaluator generate --dry-run",
        "graph-evaluator generate --spent",
        "dvc exp run -S ...",
        "git pull",
        "git checkout BRANCH",
        "dvc pull",
        "graph-evaluator compare main workspace",
        "dvc exp list origin --all-commits",
        "dvc exp pull origin NAME",
        "graph-evaluator compare main NAME",
    ),
    "merge": (
        "git merge BRANCH",
        "git status",
        "graph-evaluator merge",
        "graph-evaluator merge --call",
        "git commit",
        "dvc push && git push",
        "git merge --abort",
        "dvc checkout",
    ),
    "fork": (
        "dvc remote add --local -d mine ~/graph-evaluator-store",
        "dvc repro",
        "GRAPH_EVALUATOR_PAY_AGAIN=1 dvc repro",
    ),
}
"""What each walk of test_team.py types, by the name of the walk."""


def commands_on_the_page() -> set[str]:
    """Every command on the page, except mentions: one that another command begins with."""
    text = (REPOSITORY / "docs" / "team.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```bash\n(.*?)```", text, flags=re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    lines = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    found = {
        one
        for one in (*spans, *lines)
        if re.match(r"(git|dvc|make|graph-evaluator|\.|GRAPH_EVALUATOR_\w+=\d)( |$)", one)
    }
    return {
        one
        for one in found
        if one in _typed() or not any(other.startswith(f"{one} ") for other in found)
    }


def _typed() -> set[str]:
    return {command for commands in TYPED.values() for command in commands}


@contextmanager
def walked(name: str) -> Iterator["Walk"]:
    """One walk, which fails at its end when a command of it was not typed."""
    walk = Walk(name)
    yield walk
    walk.require_all_typed()


class Walk:
    """Types the commands of one walk."""

    def __init__(self, name: str) -> None:
        self._left = set(TYPED[name])
        self._all = TYPED[name]

    def require_all_typed(self) -> None:
        assert not self._left, f"not typed: {sorted(self._left)}"

    def attempt(self, project: Project, command: str, given: str | None = None) -> tuple[int, str]:
        """Type a command of the page as `given`: with its placeholders filled in; the exit code, and what it prints."""
        assert command in self._all
        self._left.discard(command)
        return project.attempt_line(given or command)

    def type(self, project: Project, command: str, given: str | None = None) -> str:
        """Like `attempt`; a command that fails is a failed test that shows it."""
        code, printed = self.attempt(project, command, given)
        assert code == 0, f"{given or command} ended with {code}:\n{printed}"
        return printed
