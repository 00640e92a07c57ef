"""Which nodes name a concept or an option that the front-matter states: by the codebook where it
holds the label, else by the words of aliases.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from stages.shared.language.concepts import read_concepts
from stages.shared.language.words import normalise
from stages.shared.records.brief import Brief
from stages.shared.records.codebook import Codebook, label_key
from stages.shared.records.graph import Node

CONCEPT_KINDS = ("factor", "outcome", "risk")


class CodedLabels:
    """What the codebook of a brief says about labels; nothing without a codebook."""

    def __init__(self, brief: Brief, codebook: Codebook | None) -> None:
        book = codebook or Codebook()
        self.states_options = bool(brief.expectations.options)
        self.concepts = {label_key(label): codes for label, codes in book.labels.items()}
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

    def holds(self, node: Node) -> bool:
        """Whether the codebook holds the label of a node, as one of its kind."""
        codes = self.options if node.kind == "option" else self.concepts
        return label_key(node.label or "") in codes


@dataclass(frozen=True, slots=True)
class Mention:
    """A node whose label names a concept or an option, the alias that it names it by (None: the
    codebook says so, or it is the goal), and 1, or -1 where it names the opposite.
    """

    concept: str
    node: Node
    alias: str | None
    polarity: int

    @property
    def coded(self) -> bool:
        """Whether no alias was needed."""
        return self.alias is None


def find_mentions(
    nodes: Iterable[Node], concepts: Mapping[str, Sequence[str]], coded: CodedLabels
) -> list[Mention]:
    """The factors, outcomes and risks that name each concept.

    Without a code the words of an alias decide. The name of a concept that no label names so is an
    alias too, of labels that name no other.
    """
    named = [node for node in nodes if node.label and node.kind in CONCEPT_KINDS]
    mentions = list(_by_codes(named, coded))
    uncoded = [node for node in named if not coded.holds(node)]
    mentions += _by_words(uncoded, concepts)
    read = {mention.node.id for mention in mentions}
    found = {mention.concept for mention in mentions}
    names = {concept: [concept] for concept in concepts if concept not in found}
    return [*mentions, *_by_words([node for node in uncoded if node.id not in read], names)]


def _by_codes(nodes: Iterable[Node], coded: CodedLabels) -> Iterator[Mention]:
    for node in nodes:
        for code in coded.concepts.get(label_key(node.label or ""), ()):
            yield Mention(code.removeprefix("-"), node, None, -1 if code.startswith("-") else 1)


def _by_words(nodes: Iterable[Node], concepts: Mapping[str, Sequence[str]]) -> Iterator[Mention]:
    for node in nodes:
        for concept, reading in read_concepts(node.label or "", concepts).items():
            yield Mention(concept, node, reading.alias, reading.polarity)


def find_options(
    options: Sequence[Node], stated: Sequence[Sequence[str]], coded: CodedLabels
) -> list[list[Mention]]:
    """For each stated option, which is called by its first alias, the options with a label that
    name it.
    """
    labels = [normalise(option.label or "") for option in options]
    mentions: list[list[Mention]] = []
    for place, aliases in enumerate(stated):
        named: list[Mention] = []
        fitting = labels_with_alias(aliases, labels)
        for index, option in enumerate(options):
            if not coded.holds(option):
                if index in fitting:
                    named.append(Mention(aliases[0], option, aliases[0], 1))
            elif coded.options[label_key(option.label or "")] == place:
                named.append(Mention(aliases[0], option, None, 1))
        mentions.append(named)
    return mentions


def labels_with_alias(aliases: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Which of the normalised labels hold every word of one of the aliases."""
    words_of_aliases = [_alias_words(alias) for alias in aliases]
    return [
        place
        for place, label in enumerate(labels)
        if any(all(word in label for word in words) for words in words_of_aliases)
    ]


@lru_cache(maxsize=1_000)
def _alias_words(alias: str) -> tuple[str, ...]:
    return tuple(normalise(alias).split())
