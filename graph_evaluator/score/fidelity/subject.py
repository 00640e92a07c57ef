"""What the checks compare: a graph with its brief and the prompt, which are read once and used for
every answer.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

import regex

from graph_evaluator.graph.causal_model import CausalModel
from graph_evaluator.language.words import Word, normalise, split_names, wording
from graph_evaluator.records.brief import MAX_COMPARED, Brief
from graph_evaluator.records.codebook import Codebook, label_key
from graph_evaluator.records.graph import MAX_TEXT, Node
from graph_evaluator.records.scorecard import CheckName, CheckResult

MAX_EXAMPLE_LABELS = 500
"""Labels of the examples in a prompt that are compared."""
DESCRIBING_KINDS = frozenset({"option", "factor", "outcome", "risk", "goal"})
"""Kinds whose labels name the subject; the decision's label is often a question that fits any
brief.
"""

_LABEL = regex.compile(r'"label"\s*+:\s*+(?=")')


def example_labels(prompt: str) -> dict[str, set[str]]:
    """The labels of the example graphs in a prompt (those written as JSON), each with its content
    words.
    """
    labels: dict[str, set[str]] = {}
    decoder = json.JSONDecoder()
    for match in islice(_LABEL.finditer(prompt), MAX_EXAMPLE_LABELS):
        try:
            label, _ = decoder.raw_decode(prompt, match.end())
        except json.JSONDecodeError:
            continue
        label = label[:MAX_TEXT]
        labels[normalise(label).strip()] = {word.form for word in wording(label).words}
    return labels


CONCEPT_KINDS = ("factor", "outcome", "risk")


class CodedLabels:
    """What the codebook of a brief says about labels; nothing without a codebook."""

    def __init__(self, brief: Brief, codebook: Codebook | None) -> None:
        book = codebook or Codebook()
        self.states_options = bool(brief.expectations.options)
        self.concepts = {
            label_key(label): _polarities(codes) for label, codes in book.labels.items()
        }
        self.options: dict[str, int | None] = {}
        for label, alias in book.options.items():
            place = None if alias is None else brief.expectations.option_called(alias)
            self.options[label_key(label)] = place

    def share(self, nodes: Iterable[Node]) -> float | None:
        """The share of labels that the codebook holds: those of factors, outcomes and risks, and of
        options where the brief states some; None without any.
        """
        kinds = (*CONCEPT_KINDS, "option") if self.states_options else CONCEPT_KINDS
        held = [self.holds(node) for node in nodes if node.label and node.kind in kinds]
        return sum(held) / len(held) if held else None

    def read(self, node: Node) -> Mapping[str, int]:
        """The concepts that the label of a node names: 1, or -1 for the opposite."""
        return self.concepts.get(label_key(node.name), {})

    def holds(self, node: Node) -> bool:
        """Whether the codebook has the label of a node, as one of its kind."""
        codes = self.options if node.kind == "option" else self.concepts
        return label_key(node.name) in codes


def _polarities(codes: Iterable[str]) -> dict[str, int]:
    return {code.removeprefix("-"): -1 if code.startswith("-") else 1 for code in codes}


class BriefContent:
    """A brief as the checks need it: its words, and what its front-matter expects.

    Attributes:
        vocabulary: What its words are compared by.
        coded: What the codebook says about labels.
    """

    def __init__(self, brief: Brief, codebook: Codebook | None = None) -> None:
        self.brief = brief
        self.body = brief.body[:MAX_COMPARED]
        self.expectations = brief.expectations
        self.codebook_sha256 = codebook.sha256 if codebook else None
        self.coded = CodedLabels(brief, codebook)
        self.wording = wording(self.body)
        self.vocabulary = self.wording.stems


class Label(NamedTuple):
    """The label of a node as it was written, without case and accents, and its content words."""

    node: Node
    text: str
    normal: str
    words: tuple[Word, ...]


class Draft:
    """A graph, valid or not, and the parts of it that the checks compare with the brief.

    `model` has its equations, `labels` are those of `DESCRIBING_KINDS`.
    """

    def __init__(self, model: CausalModel) -> None:
        self.graph = model.topology.graph
        self.model = model
        nodes = [node for node in self.graph.nodes if node.label and node.kind in DESCRIBING_KINDS]
        texts = [node.name for node in nodes]
        self.wording = wording(*map(split_names, texts))
        self.labels = [
            Label(node, text, normalise(text).strip(), words)
            for node, text, words in zip(nodes, texts, self.wording.parts, strict=True)
        ]
        self.options = [label for label in self.labels if label.node.kind == "option"]


def not_applicable(name: CheckName, message: str) -> CheckResult:
    """The result of a check that has nothing to compare."""
    return CheckResult(name=name, outcome="not_applicable", message=message)
