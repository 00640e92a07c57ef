"""The texts that are sent to a model: the prompt, and a brief with its expectations (front-matter)
and body (the user message).
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from graph_evaluator.records.errors import (
    InputError,
    Problem,
    collecting,
    input_error,
    nearest,
    refuse,
)
from graph_evaluator.records.json_text import text_sha256
from graph_evaluator.records.record import Array, WrittenRecord, parse_yaml, parse_yaml_record

Complexity = Literal["simple", "moderate", "complex"]
COMPLEXITIES: tuple[Complexity, ...] = get_args(Complexity)
TargetNumber = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Alias = Annotated[str, Field(pattern=r"\S")]
ConceptAlias = Annotated[str, Field(pattern=r"\w")]
MAX_COMPARED = 100_000
"""Characters of a brief's body whose words and numbers graphs are compared with."""
MAX_FRONT_MATTER = 500_000
"""Characters of a brief's front-matter."""
GOAL = "goal"
"""The concept that every brief has: the goal of its graph."""
Verb = Literal["raises", "lowers", "does not affect"]
VERBS: tuple[Verb, ...] = get_args(Verb)
MADE_OF_A_LOG = re.compile("prod-[0-9a-f]{12}")
"""The ids of briefs that `ingest` makes of inputs: only patterns that begin with `prod-` name
them.
"""
_FENCE = re.compile(r"^---[^\S\n]*$", re.MULTILINE)
"""A line of a brief's file before and behind its front-matter."""
_FRONT_MATTER = re.compile(rf"---[^\S\n]*\n(.*?){_FENCE.pattern}", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class StatedEffect:
    """What a brief's author states: a concept, or an option by one of its aliases, raises, lowers
    or does not affect a concept.
    """

    cause: str
    verb: Verb
    target: str

    def __str__(self) -> str:
        """The effect as the front-matter has it."""
        return f"{self.cause} {self.verb} {self.target}"


def _parse_effect(value: object) -> object:
    text = " ".join(str(value).split())
    for verb in VERBS:
        cause, found, target = text.partition(f" {verb} ")
        if found:
            return StatedEffect(cause, verb, target)
    raise ValueError(f'must be "CAUSE VERB CONCEPT", where VERB is {", ".join(VERBS)}')


Effect = Annotated[
    StatedEffect,
    BeforeValidator(_parse_effect),
    WithJsonSchema({"type": "string", "pattern": rf"\S\s+({'|'.join(VERBS)})\s+\S"}),
]


def targets_reached(effects: Iterable[StatedEffect]) -> dict[str, set[str]]:
    """For each cause what it affects, directly or through other effects.

    >>> chain = [StatedEffect("a", "raises", "b"), StatedEffect("b", "lowers", "c")]
    >>> sorted(targets_reached(chain)["a"])
    ['b', 'c']
    """
    reached: defaultdict[str, set[str]] = defaultdict(set)
    for effect in effects:
        if effect.verb != "does not affect":
            reached[effect.cause].add(effect.target)
    for between, onwards in list(reached.items()):
        for targets in reached.values():
            if between in targets:
                targets |= onwards
    return dict(reached)


class Expectations(WrittenRecord):
    """What a good graph of the brief must have, from the front-matter; a key that is left out has
    its default.
    """

    model_config = ConfigDict(title="Front-matter of a brief")

    expect_status_quo: bool = True
    """An option that keeps things as they are is expected."""
    has_numeric_target: bool = False
    """The brief names a numeric target, so the goal needs a threshold."""
    complexity: Complexity = "simple"
    """How involved the problem is; used for reporting only."""
    target: TargetNumber | Array[TargetNumber] = ()
    """The target as a plain number (240000; 9 for 9 %), or a list of numbers that are all right. A
    graph with another threshold then fails the fidelity check `target`. Needs has_numeric_target:
    true.
    """
    options: Array[Annotated[Array[Alias], Field(min_length=1)]] = ()
    """The options that the brief names, each as a list of aliases; a graph keeps an option if one
    of its option labels contains every word of an alias.
    """
    concepts: dict[str, Annotated[Array[ConceptAlias], Field(min_length=1)]] = Field({})
    """What the effects are about: for each concept the words by which labels of factors, outcomes
    and risks name it; a leading - means the opposite. `goal` is the goal.
    """
    drafted_by: str | None = None
    """The model that drafted options, concepts or effects, until a person who has checked them
    deletes this key.
    """
    effects: Array[Effect] = ()
    """What a good graph of the brief must imply, one effect an entry: CAUSE raises CONCEPT, CAUSE
    lowers CONCEPT or CAUSE does not affect CONCEPT, where CAUSE is a concept or an alias of an
    option.
    """
    best: Alias | None = None
    """The option that serves the goal by what the brief says, by one of its aliases. A graph that
    recommends another one has the wrong choice.
    """
    excluded: Array[Alias] = ()
    """The options that the brief rules out, each by one of its aliases. A graph may leave them out;
    one that recommends them has the wrong choice.
    """
    exact_names: bool = False
    """Every label that means a concept has one of its aliases, as with invented names, and the
    effects are complete. Content then needs no codebook, and effects beyond those are counted as
    invented.
    """

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> "Expectations":
        mistakes = [
            *self._mistakes_in_concepts(),
            *self._mistakes_in_effects(),
            *self._mistakes_in_choice(),
        ]
        if self.target and not self.has_numeric_target:
            mistakes.append("target: is only allowed with has_numeric_target: true")
        if mistakes:
            raise ValueError("; ".join(dict.fromkeys(mistakes)))
        return self

    def _mistakes_in_concepts(self) -> Iterator[str]:
        option_aliases = set(map(str.casefold, self.option_aliases))
        owners: dict[str, str] = {}
        for name, aliases in self.concepts.items():
            if name == GOAL:
                yield f'concepts: "{GOAL}" is always the goal and needs no aliases'
            if name.casefold() in option_aliases:
                yield f'concepts: "{name}" is an alias of an option too: rename the concept'
            for alias in aliases:
                words = alias.removeprefix("-").strip().casefold()
                owner = owners.setdefault(words, name)
                if owner != name:
                    yield f'concepts: the alias "{words}" is in {owner} and in {name}'

    def _mistakes_in_effects(self) -> Iterator[str]:
        causes = [*self.concepts, *self.option_aliases]
        targets = [*self.concepts, GOAL]
        pairs = Counter((effect.cause, effect.target) for effect in self.effects)
        reached = targets_reached(self.effects)
        for effect in self.effects:
            cause, target = effect.cause, effect.target
            if target not in targets:
                yield f'effects: "{target}" is not a concept{nearest(target, targets)}'
            if cause not in self.concepts and self.option_called(cause) is None:
                hint = nearest(cause, causes)
                yield f'effects: "{cause}" is neither a concept nor an alias of one option{hint}'
            if cause not in self.concepts and self.excludes(cause):
                yield f'effects: "{cause}" is excluded: a graph may leave it out'
            if cause == target:
                yield f'effects: "{cause}" has no effect on itself'
            if pairs[cause, target] > 1:
                yield f"effects: one effect of {cause} on {target} is enough"
            if effect.verb == "does not affect" and target in reached.get(cause, ()):
                yield f'effects: "{effect}", but the other effects say that it does'
        if self.exact_names and not self.effects:
            yield "exact_names: needs the effects that the brief states"

    def _mistakes_in_choice(self) -> Iterator[str]:
        for key, alias in [("best", self.best), *(("excluded", alias) for alias in self.excluded)]:
            if alias is not None and self.option_called(alias) is None:
                hint = nearest(alias, self.option_aliases)
                yield f'{key}: "{alias}" is not an alias of one option{hint}'
        if self.best is not None and self.excludes(self.best):
            yield f'best: "{self.best}" is excluded'

    @property
    def targets(self) -> tuple[float, ...]:
        """The targets that are all right; none where none is given."""
        return self.target if isinstance(self.target, tuple) else (self.target,)

    @property
    def option_aliases(self) -> list[str]:
        """All aliases of options."""
        return [alias for option in self.options for alias in option]

    def option_called(self, alias: str) -> int | None:
        """The place of the one option that has this alias, in any case; None where none has it, or
        several.
        """
        wanted = alias.casefold()
        places = [
            place
            for place, aliases in enumerate(self.options)
            if wanted in map(str.casefold, aliases)
        ]
        return places[0] if len(places) == 1 else None

    def is_right_choice(self, recommended: Collection[str]) -> bool | None:
        """Whether the best option is among the recommended ones, which are called by their first
        alias; where no best one is stated, whether none of them is excluded. None without either.
        """
        best = None if self.best is None else self.option_called(self.best)
        if best is not None:
            return self.options[best][0] in recommended
        return not any(map(self.excludes, recommended)) if self.excluded else None

    def excludes(self, alias: str) -> bool:
        """Whether the option that has this alias is excluded."""
        place = self.option_called(alias)
        return place is not None and place in map(self.option_called, self.excluded)


@dataclass(frozen=True)
class Prompt:
    """A system prompt: its path in the repository, and its text."""

    path: str
    text: str

    @cached_property
    def sha256(self) -> str:
        """The hash of the file."""
        return text_sha256(self.text)


class Brief(NamedTuple):
    """One brief: `id` is the file name without `.md`, `sha256` the hash of the whole file."""

    id: str
    expectations: Expectations
    body: str
    sha256: str


def made_id(body: str) -> str:
    """The id of the brief that `ingest` makes of an input: the same for the same words."""
    return f"prod-{hashlib.sha256(' '.join(body.split()).encode()).hexdigest()[:12]}"


def parse_brief(brief_id: str, text: str, file: str) -> Brief:
    """The brief in the text of its file; without front-matter every key has its default.

    Raises:
        InputError: its front-matter is not as it should be, or its body empty.
    """
    front = _FRONT_MATTER.match(text)
    if front is None and text.split(maxsplit=1)[:1] == ["---"]:
        raise input_error(file, "front-matter", "must begin in line 1 and end with a line ---")
    if _lacks_opening_line(text):
        raise input_error(file, "front-matter", "must begin with a line ---, which is missing")
    head, body = (front[1], text[front.end() :]) if front else ("", text)
    if len(head) > MAX_FRONT_MATTER:
        raise input_error(file, "front-matter", f"has more than {MAX_FRONT_MATTER:,} characters")
    body = body.strip()
    problems: list[Problem] = []
    with collecting(problems):
        expectations = parse_yaml_record(Expectations, f"\n{head}", file)  # it begins in line 2
    if not body:
        problems.append(
            Problem(file, "body", "is empty: write the decision problem below the front-matter")
        )
    refuse(problems)
    return Brief(brief_id, expectations, body, sha256=text_sha256(text))


def _lacks_opening_line(text: str) -> bool:
    """Whether what is above the first line `---` is front-matter with a key that it may have."""
    above, *below = _FENCE.split(text[:MAX_FRONT_MATTER], 1)
    value: object = None
    with suppress(InputError):
        value = parse_yaml(above, "") if below else None
    return isinstance(value, dict) and not value.keys().isdisjoint(Expectations.model_fields)


def with_front_matter(text: str, lines: str) -> str:
    r"""The text of a brief's file with lines at the end of its front-matter, which is begun where
    there is none.

    >>> with_front_matter("---\ncomplexity: simple\n---\nStay?\n", "drafted_by: m\n")
    '---\ncomplexity: simple\ndrafted_by: m\n---\nStay?\n'
    """
    front = _FRONT_MATTER.match(text)
    if front is None:
        return f"---\n{lines}---\n{text}"
    end = front.end(1)
    return f"{text[:end]}{lines}{text[end:]}"
