"""What an author sees of a brief's front-matter: mistakes in it, and by the stored graphs which
labels each alias and code matches and the outcome of each stated effect.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graph_evaluator.language.concepts import deciding_alias, read_concepts
from graph_evaluator.language.words import SMALLEST_VOCABULARY, normalise, wording
from graph_evaluator.present.table import Column, Raw, Table, make_table
from graph_evaluator.records.brief import GOAL, Brief
from graph_evaluator.records.codebook import Codebook, label_key
from graph_evaluator.records.graph import DraftGraph, Node
from graph_evaluator.records.scorecard import EFFECT_OUTCOMES, EffectResult
from graph_evaluator.score.fidelity.effects import has_alias
from graph_evaluator.score.fidelity.subject import CONCEPT_KINDS, CodedLabels
from graph_evaluator.shell import numbers

MAX_LABELS = 4
OPTION = "(an option)"
CODED = "(the codebook)"


class StoredGraph(NamedTuple):
    """A valid graph, and what it seems to say about each stated effect."""

    graph: DraftGraph
    effects: tuple[EffectResult, ...]


def alias_table(brief: Brief, codebook: Codebook | None, graphs: Sequence[StoredGraph]) -> Table:
    """A row per alias of an option or a concept: how many nodes have it in their labels, and the
    most frequent of these; the last row is for factors, outcomes and risks that name no concept.
    """
    stated, coded = brief.expectations, CodedLabels(brief, codebook)
    names = [*((OPTION, aliases) for aliases in stated.options), *stated.concepts.items()]
    labels = {(name, alias): Counter[str]() for name, aliases in names for alias in aliases}
    unnamed: Counter[str] = Counter()
    for node in (node for stored in graphs for node in stored.graph.nodes):
        named = list(_named_by(node, brief, coded))
        for name, alias, label in named:
            labels.setdefault((name, alias), Counter())[label] += 1
        if not named and node.kind in CONCEPT_KINDS and not coded.holds(node):
            unnamed[node.name] += 1
    labels["(no alias)", ""] = unnamed
    rows: list[list[Raw]] = []
    for (name, alias), counts in labels.items():
        most_frequent = [label for label, _ in counts.most_common()]
        shown = numbers.first_of(most_frequent, MAX_LABELS) or "matches no label"
        rows.append([name, alias, float(counts.total()), shown])
    columns = [Column("Concept"), Column("Alias"), Column("Nodes", numbers.count), Column("Labels")]
    return make_table(columns, rows, title=f"{brief.id}: what each alias matches", heads=2)


def _named_by(node: Node, brief: Brief, coded: CodedLabels) -> Iterator[tuple[str, str, str]]:
    """What a node names, by which alias or code, and its label, with a leading - where it names the
    opposite.
    """
    stated, label = brief.expectations, node.name
    if node.kind == "option":
        for alias in (alias for aliases in stated.options for alias in aliases):
            if has_alias(normalise(label), [alias]):
                yield OPTION, alias, label
        place = coded.options.get(label_key(label))
        if place is not None:
            yield OPTION, f"{stated.options[place][0]} {CODED}", label
    elif node.kind in CONCEPT_KINDS:
        for concept, aliases in stated.concepts.items():
            for alias in aliases:
                for polarity in read_concepts(label, {concept: [alias]}).values():
                    yield concept, alias, f"-{label}" if polarity < 0 else label
        for concept, polarity in coded.read(node).items():
            yield concept, CODED, f"-{label}" if polarity < 0 else label


def summary_of(brief: Brief, graphs: Sequence[StoredGraph]) -> str:
    """What a brief states, and what its graphs seem to say about it, in one line."""
    stated = brief.expectations
    parts = [
        numbers.counted(len(stated.options), "option"),
        numbers.counted(len(stated.concepts), "concept"),
        numbers.counted(len(stated.effects), "effect"),
        numbers.counted(len(graphs), "valid graph"),
    ]
    outcomes = Counter(result.outcome for stored in graphs for result in stored.effects)
    if graphs:
        parts += [f"{outcomes[outcome]} {outcome}" for outcome in EFFECT_OUTCOMES]
    return ", ".join(parts)


def effect_table(brief: Brief, graphs: Sequence[StoredGraph]) -> Table:
    """A row per stated effect: how many graphs have each outcome."""
    results = [result for stored in graphs for result in stored.effects]
    outcomes = Counter((result.effect, result.outcome) for result in results)
    rows: list[list[Raw]] = []
    for effect in map(str, brief.expectations.effects):
        counts = [float(outcomes[effect, outcome]) for outcome in EFFECT_OUTCOMES]
        rows.append([effect, *counts])
    titles = [outcome.capitalize() for outcome in EFFECT_OUTCOMES]
    columns = [Column("Effect"), *(Column(title, numbers.count) for title in titles)]
    return make_table(columns, rows, title=f"{brief.id}: what the graphs say about each effect")


def mistakes_in(brief: Brief) -> Iterator[str]:
    """Probable mistakes in a brief's statements."""
    stated = brief.expectations
    if len(wording(brief.body).stems) < SMALLEST_VOCABULARY:
        yield "too short to be checked by its words: a brief of 30 to 400 words can be"
    if all(effect.target != GOAL for effect in stated.effects):
        yield "no effect is on `goal`: state at least one"
    used = {name for effect in stated.effects for name in (effect.cause, effect.target)}
    if unused := [concept for concept in stated.concepts if concept not in used]:
        yield f"in no effect: {', '.join(unused)}"
    for concept, aliases in stated.concepts.items():
        for alias in aliases:
            decides = deciding_alias(alias.removeprefix("-"), aliases)
            if decides != alias:
                why = f'"{decides}" decides wherever it matches' if decides else "rename it"
                yield f'{concept}: the alias "{alias}" never counts: {why}'
