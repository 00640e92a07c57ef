"""Our own errors: what the user can fix, listed in one message.

A provider's error is a value in the response, a model's error is a violation: neither is raised.
No message shows a text that looks like an API key.
"""

import difflib
import re
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

Model = TypeVar("Model", bound=BaseModel)
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, order=True, slots=True)
class Problem:
    """One problem in an input: the file, the key or line in it ("" for the file as a whole), what
    was found and what is allowed.
    """

    file: str
    where: str
    message: str

    def __str__(self) -> str:
        """`file: where: message`, the form in which a person reads it."""
        return ": ".join(part for part in (self.file, self.where, self.message) if part)


class GraphEvaluatorError(Exception):
    """An error with a message that is meant for the user; shown without a traceback."""

    exit_code = 2


class InputError(GraphEvaluatorError):
    """Something that a person wrote is wrong; carries every problem that was found, sorted."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__(self.problems)

    def __str__(self) -> str:
        """The problems, one a line."""
        return "\n".join(str(problem) for problem in self.problems)


def input_error(file: PurePath | str, where: str, message: str) -> InputError:
    """The error of one problem."""
    return InputError([Problem(str(file), where, message)])


def refuse(problems: Iterable[Problem]) -> None:
    """Raise InputError with these problems, if there are any."""
    listed = list(problems)
    if listed:
        raise InputError(listed)


@contextmanager
def collecting(problems: list[Problem]) -> Iterator[None]:
    """Add the problems of an InputError to a list, so that others are found too; who calls this
    refuses them in the end.
    """
    try:
        yield
    except InputError as error:
        problems += error.problems


def read_all(read: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """What `read` makes of each item; InputError has the problems of all items."""
    problems: list[Problem] = []
    results: list[Result] = []
    for item in items:
        with collecting(problems):
            results.append(read(item))
    refuse(problems)
    return results


class LedgerError(GraphEvaluatorError):
    """The store of paid answers cannot be read or written; the message names the file and the
    fix.
    """


class NotAnswered(GraphEvaluatorError):
    """No cell at all has an answer, or not every cell that must have one."""

    exit_code = 1


class Interrupted(GraphEvaluatorError):
    """The work was stopped before its end; everything that was paid for is kept."""

    exit_code = 130


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint at the nearest right spelling, such as ` (did you mean "temperature"?)`, or "" when
    nothing is near.
    """
    match = difflib.get_close_matches(name, sorted(allowed), n=1)
    return f' (did you mean "{match[0]}"?)' if match and match != [name] else ""


_OWNERS = ("sk", "rk", "pk", "gsk", "xai", "hf", "nvapi", "pplx", "csk", "sess", "ghp", "glpat")
_START = rf"(?:(?:{'|'.join(_OWNERS)})[-_]|AIza|AKIA|eyJ)"
_FIRST = "".join(sorted({owner[0] for owner in _OWNERS})) + "AbBe"
_CANDIDATE = re.compile(
    rf"(?=[{_FIRST}])(?:\b{_START}[\w.*-]{{12,}}|\b[Bb]earer\s+[\w.~+/=*-]{{16,}})", re.ASCII
)
"""All of a word that begins as keys do, so that no part of it is looked at twice; to look at the
first letter alone is faster.
"""
_UNLIKE_WORDS = re.compile(r"[0-9*]|[a-z][A-Z]")
_UNBROKEN = re.compile(r"[A-Za-z0-9]{20,}")
_DIGITS = re.compile(r"[0-9]+")


def without_keys(text: str, placeholder: str) -> str:
    """The text with a placeholder for whatever looks like a key.

    >>> without_keys("not sk-abcdef123456, and not sk-learn-pipelines", "[key]")
    'not [key], and not sk-learn-pipelines'
    """
    return _CANDIDATE.sub(lambda word: placeholder if _is_key(word[0]) else word[0], text)


def looks_like_a_key(name: str) -> bool:
    """Whether a text is more likely an API key (gsk_fMaZ0aZqP3xKtq) than a name that a person chose
    (sketch_team_key_2).
    """
    is_random = any(len(_DIGITS.findall(part)) >= 4 for part in _UNBROKEN.findall(name))
    if is_random or name.lower().startswith("bearer "):
        return True
    word = _CANDIDATE.match(name)
    return word is not None and _is_key(word[0])


def _is_key(word: str) -> bool:
    return word.lower().startswith("bearer") or bool(_UNLIKE_WORDS.search(word))


MAX_PROBLEMS = 50
"""How many problems of one file are listed."""
PRIVATE = "what looks like a key"
_MESSAGES = {
    "missing": "is missing",
    "model_type": "must be an object of keys and values",
    "tuple_type": "must be a list",
    "too_short": "must name at least one",
}
"""Of pydantic's errors that speak of Python."""


def read_as(record: type[Model], value: object, *, file: str, where: str = "") -> Model:
    """The record that a value holds; InputError has every problem: the key's path in the file, or
    below a place in it, what was found, what is allowed, and the nearest right spelling.
    """
    try:
        return record.model_validate(value)
    except ValidationError as error:
        problems: list[Problem] = []
        if error.error_count() > MAX_PROBLEMS:
            message = f"has {error.error_count():,} problems; here are the first {MAX_PROBLEMS}"
            problems.append(Problem(file, where, message))
        for item in error.errors(include_url=False)[:MAX_PROBLEMS]:
            if item["type"] == "too_short" and item["input"]:
                continue  # its entries are what is wrong
            path = [str(part) for part in item["loc"] if "[" not in str(part)]
            parts = [PRIVATE if looks_like_a_key(part) else part for part in path]
            place = ".".join([where, *parts] if where else parts)
            problems.append(Problem(file, place, _message(record, item)))
        raise InputError(problems) from None


def _message(record: type[BaseModel], item: ErrorDetails) -> str:
    kind, sentence = item["type"], item["msg"]
    if kind == "extra_forbidden":
        return _unknown_key(record, item["loc"])
    if kind in _MESSAGES:
        return _MESSAGES[kind]
    sentence = sentence.removeprefix("Value error, ").removeprefix("Input ")
    sentence = sentence[:1].lower() + sentence[1:]
    if kind == "value_error":
        return sentence
    shown = repr(item["input"])
    if any(map(looks_like_a_key, re.findall(r"[\w.+/=-]+", shown))):
        shown = PRIVATE
    return f"{sentence}, found {shown if len(shown) <= 60 else shown[:57] + '...'}"


def _unknown_key(record: type[BaseModel], location: tuple[int | str, ...]) -> str:
    *parents, key = [part for part in location if isinstance(part, str)]
    path = ".".join([*parents, key])
    if path in REMOVED_KEYS:
        return f"is no longer a key: {REMOVED_KEYS[path]}"
    owner: type[BaseModel] = record
    for part in parents:  # a part that is no field is a key in a container of records
        field = owner.model_fields.get(part)
        owner = owner if field is None else _record_in(field.annotation) or BaseModel
    allowed = sorted(field.alias or name for name, field in owner.model_fields.items())
    return f"unknown key{nearest(key, allowed)}; allowed are {', '.join(allowed)}"


def _record_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_record_in, typing.get_args(annotation))), None)


REMOVED_KEYS: dict[str, str] = {
    "compare.planned_looks": "a higher compare.confidence allows for several comparisons",
    "compare.seed": "a comparison draws nothing at random",
    "policies": "remove the key; candidates are models",
    "report.confidence": "compare.confidence counts for report too",
    "report.margin": "compare.min_difference says which differences matter, for report too",
    "score.limits": "the specification's limits are fixed",
    "score.thresholds": "the specification's thresholds are fixed",
    "score.weights": "the specification's weights are fixed",
    "report.rank_by": "everything ranks by form, where a failure counts 0",
}
"""Keys of version 0.1 and the key `policies`, by their path without places in lists."""

REMOVED_OPTIONS: dict[str, str] = {
    "compare --experiments": "`dvc exp show` lists the experiments, `compare main NAME` judges one",
    "compare --graphs": "the page of a brief in results/site shows graphs side by side",
    "compare --insert": "append the other report to the file that --markdown wrote",
    "compare --limit": "--history lists the last 20 runs",
    "compare --rescore": "`compare --history` scores every run by today's rules",
    "generate --samples": "set generate.samples in params.yaml, then forecast it",
    "review --seed": "--pairs N draws more pairs",
}
"""Options of version 0.1, by command and option: `compare --graphs`."""

REMOVED_COMMANDS: dict[str, str] = {
    "agree": "`dvc repro` reads reviews/ and shows them in the report",
    "improve": "any optimiser can write prompt files; `graph-evaluator compare` judges them",
    "simulate": "simulated models need no server: `graph-evaluator generate` calls them itself",
}
"""Commands that are gone, by name."""
