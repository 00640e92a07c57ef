"""What the stored graphs of a brief show about its front-matter: which labels each alias matches,
the outcome of each stated effect, and what the graphs speak of that no alias has.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief
from stages.contracts.graph import DraftGraph
from stages.contracts.scorecard import EFFECT_OUTCOMES, EffectOutcome, Scorecard
from stages.language.words import LENGTH_THAT_HELPS, normalise, says_enough, wording
from stages.present.table import Column, Raw, Table, make_table
from stages.score.fidelity.mentions import (
    CONCEPT_KINDS,
    CodedLabels,
    find_mentions,
    labels_with_alias,
)
from stages.shell import numbers

MAX_LABELS = 4
MAX_WORDS = 12
SHOWN: tuple[EffectOutcome, ...] = ("right", "wrong", "missing")
MIN_GRAPHS = 2
"""A word of fewer graphs is not listed."""
OPTION = "(an option)"
CODED = "(the codebook)"
NO_LABEL = "matches no label"
TOO_SHORT = "no: too short"
WHAT_HELPS = (
    f"The words of {LENGTH_THAT_HELPS} can be compared; what the front-matter states (`target`, "
    "`options`, `effects`) is checked at any length."
)


@dataclass(frozen=True, slots=True)
class StoredGraph:
    """A valid graph and its scorecard by the present front-matter."""

    graph: DraftGraph
    card: Scorecard


def alias_table(brief: Brief, coded: CodedLabels, graphs: Sequence[StoredGraph]) -> Table:
    """A row per alias of an option or a concept: how many nodes it matches, and their most frequent
    labels.
    """
    labels: dict[tuple[str, str], Counter[str]] = {}
    expectations = brief.expectations
    for aliases in expectations.options:
        labels |= {(OPTION, alias): Counter() for alias in aliases}
    for concept, aliases in expectations.concepts.items():
        labels |= {(concept, alias): Counter() for alias in aliases}
    for stored in graphs:
        nodes = stored.graph.nodes
        for mention in find_mentions(nodes, expectations.concepts, coded):
            alias = mention.alias or CODED
            sign = "-" if mention.polarity < 0 else ""
            counts = labels.setdefault((mention.concept, alias), Counter())
            counts[f"{sign}{mention.node.label}"] += 1
        options = [node.label for node in nodes if node.kind == "option" and node.label]
        for (name, alias), counts in labels.items():
            if name == OPTION:
                fitting = labels_with_alias([alias], [normalise(label) for label in options])
                counts.update(options[index] for index in fitting)
    rows: list[list[Raw]] = []
    for (name, alias), counts in labels.items():
        most_frequent = [label for label, _ in counts.most_common()]
        shown = numbers.first_of(most_frequent, MAX_LABELS) or NO_LABEL
        rows.append([name, alias, float(counts.total()), shown])
    columns = [Column("Concept"), Column("Alias"), Column("Nodes", numbers.count), Column("Labels")]
    return make_table(columns, rows, title="What each alias matches", heads=2)


def effect_table(brief: Brief, graphs: Sequence[StoredGraph]) -> Table:
    """A row per stated effect: how many graphs have each outcome."""
    outcomes: Counter[tuple[str, str]] = Counter()
    for stored in graphs:
        outcomes.update((result.effect, result.outcome) for result in stored.card.effects)
    rows: list[list[Raw]] = []
    for effect in map(str, brief.expectations.effects):
        rows.append([effect, *(float(outcomes[effect, outcome]) for outcome in EFFECT_OUTCOMES)])
    titles = [outcome.replace("_", " ").capitalize() for outcome in EFFECT_OUTCOMES]
    columns = [Column("Effect"), *(Column(title, numbers.count) for title in titles)]
    return make_table(columns, rows, title="What the graphs say about each effect")


def unnamed_words(brief: Brief, coded: CodedLabels, graphs: Sequence[StoredGraph]) -> list[str]:
    """The words in the labels of most graphs that no alias matches, each with its number of
    graphs.
    """
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for stored in graphs:
        words = wording(*_unnamed_labels(stored.graph, brief, coded)).words
        forms |= {word.stem: word.form for word in reversed(words)}
        counts.update(sorted({word.stem for word in words}))
    frequent = [(stem, count) for stem, count in counts.most_common() if count >= MIN_GRAPHS]
    return [f"{forms[stem]} ({count})" for stem, count in frequent[:MAX_WORDS]]


def _unnamed_labels(graph: DraftGraph, brief: Brief, coded: CodedLabels) -> Iterator[str]:
    mentions = find_mentions(graph.nodes, brief.expectations.concepts, coded)
    named = {mention.node.id for mention in mentions}
    for node in graph.nodes:
        if node.kind in CONCEPT_KINDS and node.id not in named and not coded.holds(node):
            yield node.label or ""


def summary_table(graphs_by_brief: Iterable[tuple[Brief, Sequence[StoredGraph]]]) -> Table:
    """A row per brief: whether its graphs can be checked by its words, how many cannot be, and the
    shares of the stated effects.
    """
    rows: list[list[Raw]] = []
    for brief, graphs in graphs_by_brief:
        checkable = "yes" if says_enough(brief.body) else TOO_SHORT
        unchecked = sum(stored.card.unchecked for stored in graphs)
        results = [result.outcome for stored in graphs for result in stored.card.effects]
        shares: list[Raw] = [None, None, None]
        if results:
            shares = [results.count(outcome) / len(results) for outcome in SHOWN]
        effects = float(len(brief.expectations.effects))
        rows.append([brief.id, checkable, float(len(graphs)), float(unchecked), effects, *shares])
    counts = [Column(title, numbers.count) for title in ("Graphs", "Unchecked", "Effects")]
    shares_of_effects = [Column(title, numbers.share) for title in ("Right", "Wrong", "Missing")]
    columns = [Column("Brief"), Column("Checkable"), *counts, *shares_of_effects]
    notes = [WHAT_HELPS] if any(TOO_SHORT in row for row in rows) else []
    return make_table(columns, rows, title="Briefs", notes=notes)
