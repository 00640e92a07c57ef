"""Reads the records of a log by dotted paths: which brief was asked about, under which prompt, and
what the answer is, without keys and what a person's patterns match.
"""

import re
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse, islice
from typing import NamedTuple

import regex

from graph_evaluator.generate.answers import extract
from graph_evaluator.generate.replies import object_of
from graph_evaluator.ingest.facts import MAX_KEYS, FactReader
from graph_evaluator.ingest.unwrapping import (
    NO_ANSWER,
    PATHS,
    body_in,
    follow,
    is_graph,
    said_by,
    systems_in,
)
from graph_evaluator.records.brief import MADE_OF_A_LOG
from graph_evaluator.records.errors import input_error, without_keys
from graph_evaluator.records.json_text import JsonObject, canonical
from graph_evaluator.records.model_config import IDENTIFIER
from graph_evaluator.shell.numbers import first_of

ROLES = {"input": "user", "output": "assistant"}
"""Who said the text of a field."""
_ASKING_KEYS = {"messages", "input", "contents", "prompt"}
_INPUTS = {path.partition(".")[0] for path in PATHS["input"]}
MAX_SECONDS = 2.0
"""For one pattern in one text."""
PLACEHOLDER = "[redacted]"
_ESCAPE = re.compile(r"\\u(?!00[0-7])([0-9a-fA-F]{4})")
"""How JSON may write a character beyond ASCII."""
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def redaction(text: str) -> regex.Pattern[str]:
    """The pattern that a person wrote; ArgumentTypeError if it is none."""
    try:
        return regex.compile(text)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ArgumentTypeError(f'"{text}" is not a regular expression: {error}') from None


class Redactor:
    """Replaces in texts what its patterns match, and what looks like a key."""

    def __init__(self, patterns: Iterable[regex.Pattern[str]]) -> None:
        self._patterns = tuple(patterns)

    def text(self, text: str) -> str:
        """A text with placeholders; letters that JSON escapes are read as what they stand for.

        Raises:
            InputError: a pattern takes too long.
        """
        plain_text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
        redacted = without_keys(plain_text, PLACEHOLDER)
        for pattern in self._patterns:
            try:
                redacted = pattern.sub(PLACEHOLDER, redacted, timeout=MAX_SECONDS)
            except TimeoutError:
                message = f'"{pattern.pattern}" takes too long: write it without nested *'
                raise input_error("command line", "--redact", message) from None
        return text if redacted == plain_text else redacted


class Unreadable(ValueError):
    """Why a record of a log cannot be used."""


class BriefFinder:
    """Finds the briefs of an input: one whose id or text it has, or all that people wrote whose
    text is within it and in no longer one; white space makes no difference.
    """

    def __init__(self, bodies: Mapping[str, str]) -> None:
        self._bodies = {name: _words(body) for name, body in bodies.items()}
        self._ids = {body: name for name, body in self._bodies.items()}

    def find(self, text: str) -> list[str]:
        """The ids of the briefs of an input."""
        words = _words(text)
        if words in self._ids or words in self._bodies:
            return [self._ids.get(words, words)]
        within = [
            body
            for body, name in self._ids.items()
            if body in words
            and not MADE_OF_A_LOG.fullmatch(name)
            and re.search(rf"(?<!\w){re.escape(body)}(?!\w)", words)
        ]
        return [self._ids[body] for body in within if sum(body in other for other in within) == 1]

    def around(self, text: str, brief_id: str) -> str:
        """The text around a brief in an input, with `{brief}` in its place; empty for none."""
        around = _words(text).replace(self._bodies[brief_id], "{brief}")
        return around if "{brief}" in around[:-7] + around[7:] else ""


@lru_cache(maxsize=4)
def _words(text: str) -> str:
    return " ".join(text.split())


class LogAnswer(NamedTuple):
    """An answer in a log: the line of a recorded answer but for the brief, which is None where the
    input is none; the system prompt, and the text around the brief in the input.
    """

    brief: str | None
    input: str
    system: str
    around: str
    line: JsonObject
    has_graph: bool


class Found(NamedTuple):
    """A text at a path of a record, how many turns it is of, and what fits in it: the ids of
    briefs, or a graph as canonical JSON.
    """

    path: str
    text: str
    turns: int
    fit: Sequence[str]


class RecordReader:
    """Reads records by known paths, or by those that a person names instead.

    All records are learned from before any is read: where some have a brief or a graph, the others
    have their input or output.
    """

    def __init__(
        self, paths: Mapping[str, Sequence[str]], finder: BriefFinder, redactor: Redactor
    ) -> None:
        self.facts = FactReader(paths)
        self._paths = paths
        self._finder = finder
        self._redactor = redactor
        self._learned: dict[str, dict[str, None]] = {field: {} for field in ROLES}

    def learn(self, record: JsonObject) -> None:
        """Note where a record has a brief, and a graph: at known paths, else at other keys, where a
        graph is only looked for if no known path leads to a text.
        """
        for field, learned in self._learned.items():
            found = self._find(field, record, self._paths[field])
            is_searched = self._paths[field] is PATHS[field] and (field == "input" or not found)
            if is_searched and not any(text.fit for text in found):
                others = (key for key in islice(record, MAX_KEYS) if key not in _INPUTS)
                found = self._find(field, record, filterfalse(NO_ANSWER.search, others))
            learned |= {text.path: None for text in found if text.fit}

    def read(self, record: JsonObject) -> LogAnswer:
        """The answer in a record.

        Raises:
            Unreadable: it has none, or an input or a prompt that cannot be used.
        """
        asked = self._choose("input", record)
        briefs = asked.fit
        brief = briefs[0] if briefs else None
        if asked.turns > 1:
            raise Unreadable("has several turns: --input leads to one")
        if len(briefs) > 1:
            raise Unreadable(f"has {' and '.join(briefs)} in one input")
        if not briefs and asked.path == "brief" and IDENTIFIER.fullmatch(asked.text):
            raise Unreadable(f'names the brief "{asked.text}", which does not exist')
        system = self._system(record, asked)
        if _NO_TEXT.search(asked.text + system):
            raise Unreadable("has a NUL character or a lone surrogate")
        answer = self._choose("output", record)
        body = body_in(follow(record, answer.path))
        is_text = isinstance(record.get(answer.path), str)  # which a model wrote
        facts = self.facts.read(record | {answer.path: None} if is_text else record, body)
        if "model" in facts:
            facts["model"] = self._redactor.text(str(facts["model"]))
        return LogAnswer(
            brief=brief,
            input=asked.text.strip(),
            system=system,
            around=self._finder.around(asked.text, brief) if brief else "",
            line={"text": answer.text, **facts},
            has_graph=bool(answer.fit),
        )

    def is_request(self, record: JsonObject) -> bool:
        """Whether a record of a batch asks for an answer, which another one has."""
        asks = any(_ASKING_KEYS & object_of(value).keys() for value in record.values())
        return asks and not self._find("output", record, self._paths["output"])

    def has_brief(self, record: JsonObject) -> bool:
        """Whether the input of a record is a brief, or has one."""
        return any(text.fit for text in self._find("input", record))

    def tried(self) -> str:
        """The paths at which inputs and outputs were found, else those that were tried: the first
        five of each.
        """
        paths = {field: [*(self._learned[field] or self._paths[field])] for field in ROLES}
        return "; ".join(f"--{field} {first_of(paths[field], 5)}" for field in ROLES)

    def _choose(self, field: str, record: JsonObject) -> Found:
        """The first output that fits, or the longest input that has one brief, else the first text
        where other records have theirs.

        Raises:
            Unreadable: there is none, or several fit at keys that are not known.
        """
        found = self._find(field, record)
        fitting = [text for text in found if text.fit]
        unknown = {(*text.fit,) for text in fitting if text.path not in self._paths[field]}
        if len(unknown) > 1:
            raise Unreadable(f"has several {field}s: --{field} chooses one")
        if field == "input":
            fitting.sort(key=lambda text: (text.turns, -len(text.text)))
            found.sort(key=lambda text: text.turns)
        for text in (*fitting, *found):
            return text
        raise Unreadable(f"has no {field}: --{field} leads to it")

    def _find(
        self, field: str, record: JsonObject, paths: Iterable[str] | None = None
    ) -> list[Found]:
        """What the user said at each path, or what the assistant said last: where records have
        theirs, else at known paths, unless there are others.
        """
        found: list[Found] = []
        for path in paths or self._learned[field] or self._paths[field]:
            turns = said_by(ROLES[field], follow(record, path))
            if not turns:
                continue
            turns = turns if field == "input" else turns[-1:]
            text = self._redactor.text("\n\n".join(turns))
            fit = self._finder.find(text) if field == "input" else _graph_in(text)
            if text.strip() or field == "output":
                found.append(Found(path, text, len(turns), fit))
        return found

    def _system(self, record: JsonObject, asked: Found) -> str:
        """The system prompt: where a person says it is, else anywhere in what holds the input, the
        nearest first; a text that has the input in it is none.
        """
        parts, words = asked.path.split("."), _words(asked.text)
        named = self._paths.get("system")
        around = (".".join(parts[:end]) for end in range(len(parts), -1, -1))
        for path in named or around:
            value = follow(record, path)
            texts = said_by("system", value) if named else systems_in(value)
            for text in map(str.strip, map(self._redactor.text, texts)):
                if text and words not in _words(text):
                    return text.replace("\r\n", "\n").replace("\r", "\n")
        return ""


def _graph_in(text: str) -> list[str]:
    parsed, _ = extract(text)
    return [canonical(parsed)] if is_graph(parsed) else []
