"""A workspace in which two prompts are settled, with a server that counts what it is asked with each of them."""

import json
import re
from contextlib import contextmanager
from typing import NamedTuple

from graph_evaluator.settle import __main__ as command
from tests import REPOSITORY
from tests.builders.graphs import edge
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model
from tests.score.drafts import draft, link, without_node

PROMPTS = ("--prompt", "prompts/draft.txt", "--prompt", "prompts/new.txt")
PRICE = 0.006
"""Of a call, US dollars; at most 0.0042 more is reserved for it."""
GOOD, BAD = json.dumps(draft()), '{"nodes": [], "edges": []}'


def _poor():
    """A usable graph with half of the marks."""
    graph = without_node(draft(), "fac_rivals")
    del graph["coaching"]
    causal = [("fac_price", "out_profit"), ("fac_service", "risk_churn"), ("out_profit", "goal"), ("risk_churn", "goal")]  # fmt: skip
    graph["edges"] = graph["edges"][:4] + [edge(*ends, 0.5, 0.125) for ends in causal]
    return graph


POOR = json.dumps(_poor())


class SettleWorkspace(Workspace):
    """Eight briefs, one model and two prompts."""

    def __init__(self, folder, url, *models, **params):
        bounded = model(url=url, params={"max_output_tokens": 1000})
        super().__init__(
            folder, *(models or (bounded,)), briefs=8, **({"score": {"fidelity": []}} | params)
        )
        self.write("prompts/new.txt", "Draft a better decision graph.\n")

    def settle(self, *arguments, **variables):
        """Run the command in this process."""
        return self.run(*arguments, main=command.main, **variables)

    def start(self, *arguments):
        """Start the command as a process of its own."""
        return self.spawn(*arguments, command_name="settle")


class Ended(NamedTuple):
    """What the command says at its end; `usd` is of all runs of the question."""

    verdict: str
    analyses: int
    calls: int
    usd: float


def ended(done):
    pattern = r"\n\n(.+): \S+ compared with .+\n.+\n(\d) of 4 interim analyses, (\d+) calls?, \$([\d.]+)\.\n"
    found = re.search(pattern, done.stdout)
    assert found, done.stdout + done.stderr
    return Ended(found[1], int(found[2]), int(found[3]), float(found[4]))


def counting(answering, **options):
    """A server that counts by prompt and brief: "old brief 1"."""
    return CountingServer(answering, name=_name, **options)


@contextmanager
def settling(folder, answering, **params):
    """A server that counts by prompt and brief, and a workspace whose model it answers."""
    with counting(answering) as server:
        workspace = SettleWorkspace(folder, server.url, **params)
        yield server, workspace


def always_equal(_name, _nth):
    """Both prompts get the same graph: *no meaningful difference* with one sample."""
    return 200, answer_body(GOOD)


def clearly_better(name, _nth):
    """Only the new prompt gets valid graphs."""
    return 200, answer_body(GOOD if name.startswith("new") else BAD)


def always_open(name, nth):
    """Every other graph is good, and for half of the briefs all of the new prompt's: interim
    analyses of 1, 2 and 4 samples leave it open.
    """
    better = name.startswith("new") and int(name[-1]) <= 4
    return 200, answer_body(GOOD if better or nth % 2 == 0 else POOR)


def better_content(name, _nth):
    """Both prompts get graphs of the same form; by those of the old one cancelled seats are good."""
    graph = draft()
    if not name.startswith("new"):
        link(graph, "risk_churn", "goal")["strength"]["mean"] = 0.4
    return 200, answer_body(json.dumps(graph))


def state_effects(workspace):
    """Every brief states an effect, and there is a model that codes labels."""
    stated = "concepts: {churn: [seats cancelled]}\neffects: [churn lowers goal]\n"
    for number in range(1, 9):
        text = f"---\ncomplexity: simple\n{stated}---\n\nbrief {number}\n"
        workspace.write(f"briefs/b{number}.md", text)
    coder = (REPOSITORY / "models/simulated-coder.json").read_text(encoding="utf-8")
    workspace.write("models/simulated-coder.json", coder)
    workspace.set(models=["m"])


def _name(asked):
    return f"{'new' if 'better' in asked['instructions'] else 'old'} {asked['input'].strip()}"
