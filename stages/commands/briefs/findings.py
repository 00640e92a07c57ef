"""What the stored graphs of a brief show about its front-matter: which labels each alias matches,
the outcome of each stated effect, and mistakes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.score.fidelity.mentions import (
    CONCEPT_KINDS,
    CodedLabels,
    find_mentions,
    labels_with_alias,
)
from stages.shared.language.concepts import read_concepts
from stages.shared.language.words import LENGTH_THAT_HELPS, normalise, says_enough
from stages.shared.present.table import Column, Raw, Table, make_table
from stages.shared.records.brief import GOAL, Brief
from stages.shared.records.codebook import Codebook, label_key
from stages.shared.records.graph import DraftGraph, Node
from stages.shared.records.scorecard import EFFECT_OUTCOMES, EffectOutcome, Scorecard
from stages.shared.shell import numbers

MAX_LABELS = 4
SHOWN: tuple[EffectOutcome, ...] = ("right", "wrong", "missing")
MIN_MODELS = 2
"""A statement is doubted where so many models contradict it."""
OPTION = "(an option)"
CODED = "(the codebook)"
NO_ALIAS = "(no alias)"
NO_LABEL = "matches no label"
TOO_SHORT = "Too short to be checked by words"
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
    """A row per alias of an option or a concept: how many nodes have it in their labels, and the
    most frequent of these; the last row is for factors, outcomes and risks that name no concept.
    """
    stated = brief.expectations
    aliases_of_options = [alias for aliases in stated.options for alias in aliases]
    labels = {(OPTION, alias): Counter[str]() for alias in aliases_of_options}
    for concept, aliases in stated.concepts.items():
        labels |= {(concept, alias): Counter() for alias in aliases}
    unnamed: Counter[str] = Counter()
    for stored in graphs:
        nodes = stored.graph.nodes
        mentions = find_mentions(nodes, stated.concepts, coded)
        for mention in mentions:
            by = mention.alias or CODED
            if by not in stated.concepts[mention.concept]:
                counts = labels.setdefault((mention.concept, by), Counter())
                counts[_signed(mention.polarity, mention.node)] += 1
        polarities = {(mention.concept, mention.node.id): mention.polarity for mention in mentions}
        for node in nodes:
            for concept, alias, polarity in _aliases_of_concepts(node, stated.concepts):
                polarity = polarities.get((concept, node.id), polarity)
                labels[concept, alias][_signed(polarity, node)] += 1
            for alias in _aliases_of_option(node, brief, coded):
                labels.setdefault((OPTION, alias), Counter())[node.label or ""] += 1
        named = [mention.node for mention in mentions]
        others = [node for node in nodes if node.kind in CONCEPT_KINDS and node not in named]
        unnamed.update(node.label or "" for node in others if not coded.holds(node))
    labels[NO_ALIAS, ""] = unnamed
    rows: list[list[Raw]] = []
    for (name, alias), counts in labels.items():
        most_frequent = [label for label, _ in counts.most_common()]
        shown = numbers.first_of(most_frequent, MAX_LABELS) or NO_LABEL
        rows.append([name, alias, float(counts.total()), shown])
    columns = [Column("Concept"), Column("Alias"), Column("Nodes", numbers.count), Column("Labels")]
    return make_table(columns, rows, title="What each alias matches", heads=2)


def _signed(polarity: int, node: Node) -> str:
    """The label of a node, with a leading - where it names the opposite."""
    return f"{'-' if polarity < 0 else ''}{node.label}"


def _aliases_of_concepts(
    node: Node, concepts: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, int]]:
    """Each concept and alias that the label of a factor, outcome or risk has, whatever its code,
    and -1 where it names the opposite.
    """
    if node.kind not in CONCEPT_KINDS:
        return
    for concept, aliases in concepts.items():
        for alias in aliases:
            for reading in read_concepts(node.label or "", {concept: [alias]}).values():
                yield concept, alias, reading.polarity


def _aliases_of_option(node: Node, brief: Brief, coded: CodedLabels) -> list[str]:
    """The aliases that the label of an option has, and the option that it is by its code."""
    options, label = brief.expectations.options, node.label or ""
    if node.kind != "option" or not label:
        return []
    stated = [alias for names in options for alias in names]
    aliases = [alias for alias in stated if labels_with_alias([alias], [normalise(label)])]
    place = coded.options.get(label_key(label))
    return aliases if place is None else [*aliases, f"{options[place][0]} {CODED}"]


def effect_table(brief: Brief, graphs: Sequence[StoredGraph]) -> Table:
    """A row per stated effect: how many graphs have each outcome, and whose have it wrong."""
    outcomes: Counter[tuple[str, str]] = Counter()
    for stored in graphs:
        outcomes.update((result.effect, result.outcome) for result in stored.card.effects)
    wrong = wrong_by_model(graphs)
    rows: list[list[Raw]] = []
    for effect in map(str, brief.expectations.effects):
        counts = [float(outcomes[effect, outcome]) for outcome in EFFECT_OUTCOMES]
        models = [f"{model} ({count})" for model, count in wrong.get(effect, {}).items()]
        rows.append([effect, *counts, numbers.first_of(models, MAX_LABELS) or "none"])
    titles = [outcome.replace("_", " ").capitalize() for outcome in EFFECT_OUTCOMES]
    counts_of = [Column(title, numbers.count) for title in titles]
    columns = [Column("Effect"), *counts_of, Column("Wrong in graphs of")]
    return make_table(columns, rows, title="What the graphs say about each effect")


def wrong_by_model(graphs: Sequence[StoredGraph]) -> dict[str, Counter[str]]:
    """For each effect that a graph has wrong the number of such graphs by model."""
    wrong: dict[str, Counter[str]] = {}
    for stored in graphs:
        for result in stored.card.effects:
            if result.outcome == "wrong":
                wrong.setdefault(result.effect, Counter())[stored.card.model_id] += 1
    return wrong


def mistakes_in(
    brief: Brief, codebook: Codebook | None, graphs: Sequence[StoredGraph]
) -> Iterator[str]:
    """What is probably wrong with what a brief states, and what no person has checked."""
    stated = brief.expectations
    if stated.effects and all(effect.target != GOAL for effect in stated.effects):
        yield "no effect is on `goal`: state at least one"
    used = {name for effect in stated.effects for name in (effect.cause, effect.target)}
    if unused := [concept for concept in stated.concepts if concept not in used]:
        yield f"in no effect: {', '.join(unused)}"
    for concept, aliases in stated.concepts.items():
        for alias in _reversed_aliases(aliases):
            turned = f'the alias "{alias}" turns another alias of the same sign'
            yield f"{concept}: {turned}: write its opposite"
    for effect, wrong in wrong_by_model(graphs).items():
        models = _models_against(wrong, graphs)
        if len(models) >= MIN_MODELS and 2 * wrong.total() > len(graphs):
            most = f"most graphs of {numbers.first_of(models)} have it wrong"
            yield f'perhaps the statement "{effect}" is wrong: {most}'
    if stated.drafted_by:
        yield f"drafted by {stated.drafted_by}: delete `drafted_by` once you have checked it"
    coders = [coder for coder in (codebook.coded_by if codebook else ()) if " " not in coder]
    if coders:
        unchecked = f"codebooks/{brief.id}.yaml has codes of {numbers.first_of(coders)}"
        yield f"{unchecked}: delete the name in `coded_by` once you have checked them"


def _reversed_aliases(aliases: Sequence[str]) -> Iterator[str]:
    """Aliases in which a word of reversal turns another alias of the same sign."""
    for alias in aliases:
        is_opposite = alias.startswith("-")
        others = [name for name in aliases if name != alias and name.startswith("-") == is_opposite]
        readings = read_concepts(alias.removeprefix("-"), {"": others})
        if any((reading.polarity < 0) != is_opposite for reading in readings.values()):
            yield alias


def _models_against(wrong: Counter[str], graphs: Sequence[StoredGraph]) -> list[str]:
    """The models most of whose graphs have an effect wrong."""
    counts = Counter(stored.card.model_id for stored in graphs)
    return [model for model, count in wrong.items() if 2 * count > counts[model]]


def summary_table(graphs_by_brief: Iterable[tuple[Brief, Sequence[StoredGraph]]]) -> Table:
    """A row per brief: the shares of the stated effects and of coded labels; a note names the
    briefs whose graphs cannot be checked by words.
    """
    rows: list[list[Raw]] = []
    short: list[str] = []
    for brief, graphs in graphs_by_brief:
        if not says_enough(brief.body):
            short.append(brief.id)
        results = [result.outcome for stored in graphs for result in stored.card.effects]
        shares: list[Raw] = [None, None, None]
        if results:
            shares = [results.count(outcome) / len(results) for outcome in SHOWN]
        effects = float(len(brief.expectations.effects))
        coded = [stored.card.coded for stored in graphs if stored.card.coded is not None]
        counts: list[Raw] = [float(len(graphs)), effects]
        share_coded = sum(coded) / len(coded) if coded else None
        rows.append([brief.id, *counts, *shares, share_coded])
    counted = [Column(title, numbers.count) for title in ("Graphs", "Effects")]
    shares_of_effects = [
        Column(title, numbers.share) for title in ("Right", "Wrong", "Missing", "Coded")
    ]
    columns = [Column("Brief", code=True), *counted, *shares_of_effects]
    notes = [f"{TOO_SHORT}: {numbers.first_of(short)}. {WHAT_HELPS}"] if short else []
    return make_table(columns, rows, title="Briefs", notes=notes)
