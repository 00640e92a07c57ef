"""Graphs that were drawn by hand from a brief alone, with that brief, in several languages and
styles.

A file has briefs by id, and graphs as a model would answer them; a brief that is not in the file is
one of this repository. In `drawn_graphs/` and `short_graphs/` (briefs of 20 to 110 words) the
effects were stated before any graph was drawn. In `true_graphs/` labels and numbers were drawn, and
edges follow a rule that is the same for all.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.shell.inputs import load_briefs
from tests import REPOSITORY

HERE = Path(__file__).parent
PROMPTS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((REPOSITORY / "prompts").glob("draft_graph_*.txt"))
}


@dataclass(frozen=True)
class DrawnGraph:
    """A graph that was drafted by hand from its brief, in a language and style."""

    language: str
    style: str
    brief: Brief
    graph: dict[str, Any]

    @property
    def id(self) -> str:
        return f"{self.brief.id}, {self.style}"


def drawn_graphs(folder: str = "drawn_graphs") -> list[DrawnGraph]:
    """The graphs of all files in a folder, in the order of the files."""
    graphs: list[DrawnGraph] = []
    for file in sorted((HERE / folder).glob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        briefs = {brief.id: brief for brief in load_briefs()}
        for name, stated in content["briefs"].items():
            expectations = Expectations.model_validate(stated["expects"])
            briefs[name] = Brief(name, expectations, body=stated["text"], sha256="")
        graphs += [
            DrawnGraph(**(entry | {"brief": briefs[entry["brief"]]})) for entry in content["graphs"]
        ]
    return graphs


def true_graphs() -> list[DrawnGraph]:
    """The graphs whose edges follow a rule; such edges cannot have effects right, so that the
    briefs state none.
    """
    graphs = []
    for drawn in drawn_graphs("true_graphs"):
        expectations = drawn.brief.expectations.model_copy(update={"effects": ()})
        graphs.append(replace(drawn, brief=drawn.brief._replace(expectations=expectations)))
    return graphs
