"""A workspace in which a prompt is improved, with a server that answers briefs and proposes prompts."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graph_evaluator.improve import __main__ as command
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Done, Workspace, model
from tests.settle.settling import BAD, GOOD, POOR

BASE = "Draft a decision graph in JSON with nodes and edges. Take your time.\n"
BETTER = "Draft a better decision graph in JSON with nodes and edges.\n"
OPTIONS = ("--prompt", "prompts/draft.txt", "--by", "p", "--max-usd", "9", "--rounds", "3")
CANARY = "canary{number}word"
"""A word that only the brief with this number has."""
Grade = Callable[[str, int, int], str]
"""The text of an answer, by the prompt, the number of the brief and the number of the call."""


def proposed(prompt: str, changes: str = "external_factor_present: name one") -> str:
    """An answer of a proposer."""
    return f"<changes>\n{changes}\n</changes>\n<prompt>\n{prompt}</prompt>"


def better_prompts_get_better_graphs(prompt: str, number: int, _nth: int) -> str:
    """Graphs are good only with a prompt that says better."""
    return GOOD if "better" in prompt else POOR[number % 2]


def equal_graphs(_prompt: str, number: int, _nth: int) -> str:
    """The prompt changes nothing."""
    return POOR[number % 2]


def usable_with_better(prompt: str, number: int, _nth: int) -> str:
    """Graphs are usable, and not good, only with a prompt that says better."""
    return POOR[number % 2] if "better" in prompt else BAD


def many_proposals(nth: int) -> str:
    """Another prompt each time."""
    return proposed(f"{BETTER}{nth * '!'}\n")


def name_of(asked: dict[str, Any]) -> str:
    """How the server counts a call: a proposal, or prompt and brief."""
    if "<prompt>" in asked["input"]:
        return "proposal"
    return f"{asked['instructions']}|{asked['input'].split()[1]}"


class ProposingServer(CountingServer):
    """A server with a proposer, whose other answers are graded by prompt; it rejects calls whose
    name has `failing` in it.
    """

    def __init__(
        self,
        proposal: Callable[[int], str] | str,
        grade: Grade,
        *,
        latency_s: float,
        failing: str,
        usage: bool,
    ) -> None:
        self.failing = failing
        self._changed = {} if usage else {"usage": None}
        self._proposal, self._grade = proposal, grade
        super().__init__(self._answer, name=name_of, latency_s=latency_s)

    def _answer(self, name: str, nth: int) -> tuple[int, bytes]:
        prompt, _, number = name.partition("|")
        if self.failing and self.failing in name:
            return 400, b'{"error": {"message": "no such model", "code": "wrong"}}'
        if name != "proposal":
            return 200, answer_body(self._grade(prompt, int(number), nth), **self._changed)
        text = self._proposal if isinstance(self._proposal, str) else self._proposal(nth)
        return 200, answer_body(text, **self._changed)

    def __enter__(self) -> "ProposingServer":
        super().__enter__()
        return self


def proposing(
    proposal: Callable[[int], str] | str,
    grade: Grade,
    *,
    latency_s: float = 0.0,
    failing: str = "",
    usage: bool = True,
) -> ProposingServer:
    """A server whose proposer gives these answers."""
    return ProposingServer(proposal, grade, latency_s=latency_s, failing=failing, usage=usage)


class ImproveWorkspace(Workspace):
    """A prompt, briefs with a canary each, a model that answers and one that proposes."""

    def __init__(self, folder: Path, url: str | None, *, briefs: int = 24, **params: Any) -> None:
        bounded = {"max_output_tokens": 1000}
        models = [model(name, url=url, params=bounded) for name in ("m", "p")]
        settings = {"models": ["m"], "score": {"fidelity": []}} | params
        super().__init__(folder, *models, briefs=briefs, **settings)
        self.write("prompts/draft.txt", BASE)
        for number in range(1, briefs + 1):
            text = f"brief {number} {CANARY.format(number=number)}"
            self.write(f"briefs/b{number}.md", f"---\ncomplexity: simple\n---\n\n{text}\n")

    def improve(self, *arguments: str, **variables: str) -> Done:
        """Run the command in this process."""
        return self.run(*(arguments or OPTIONS), main=command.main, **variables)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start the command as a process of its own."""
        return self.spawn(*(arguments or OPTIONS), command_name="improve")

    def improvement(self) -> dict[str, Any]:
        """What `results/improve.json` holds."""
        found: dict[str, Any] = json.loads((self.folder / "results/improve.json").read_bytes())
        return found

    def outcome(self) -> dict[str, Any]:
        """How the search ended."""
        outcome: dict[str, Any] = self.improvement()["outcome"]
        return outcome


__all__ = ["BAD", "GOOD", "POOR"]
