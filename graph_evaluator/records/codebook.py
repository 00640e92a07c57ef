"""A codebook: for labels of a brief's graphs, which concept each expresses and which stated option
each option is.
"""

import unicodedata
from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from graph_evaluator.records.brief import GOAL, Brief
from graph_evaluator.records.errors import Problem, nearest, refuse
from graph_evaluator.records.graph import MAX_TEXT
from graph_evaluator.records.json_text import sha256_of
from graph_evaluator.records.record import WrittenRecord, parse_yaml_record

_TEXT_OR_TEXTS = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]
}


def _as_tuple(value: object) -> object:
    """What a person writes as nothing, a text or a list, as a list."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


Texts = Annotated[
    tuple[str, ...], BeforeValidator(_as_tuple), WithJsonSchema(_TEXT_OR_TEXTS), Field(strict=False)
]


class Codebook(WrittenRecord):
    """`codebooks/ID.yaml`, for the brief of this id."""

    model_config = ConfigDict(title="Codebook of a brief")

    coded_by: Texts = ()
    """Whose codes have not been checked: the ids of models. Delete a name once you have checked
    what it coded. Or who coded the labels, as a sentence.
    """
    labels: dict[str, Texts] = Field({})
    """For labels of factors, outcomes and risks the concept that each expresses: its name in the
    brief, -name for its opposite, a list for several, null for none.
    """
    options: dict[str, str | None] = Field({})
    """For labels of options the stated option that each is: an alias of it in the brief, null for
    none.
    """

    @property
    def sha256(self) -> str:
        """The hash of the codes, whoever gave them."""
        codes = [
            {label_key(label): code for label, code in codes.items()}
            for codes in (self.labels, self.options)
        ]
        return sha256_of(codes)


def label_key(label: str) -> str:
    """What labels are compared by: without case, and with single spaces.

    >>> label_key(" Opening  Hours")
    'opening hours'
    """
    return " ".join(unicodedata.normalize("NFC", label[:MAX_TEXT]).casefold().split())


def parse_codebook(brief: Brief, text: str, file: str) -> Codebook:
    """The codebook in the text of its file; InputError has every problem: keys, unknown concepts
    and options, labels that are given twice.
    """
    codebook = parse_yaml_record(Codebook, text, file)
    refuse(Problem(file, where, message) for where, message in _problems_of(codebook, brief))
    return codebook


def _problems_of(codebook: Codebook, brief: Brief) -> Iterator[tuple[str, str]]:
    for section, labels in (("labels", codebook.labels), ("options", codebook.options)):
        keys: dict[str, str] = {}
        for label in labels:
            twin = keys.setdefault(label_key(label), label)
            if twin != label:
                yield f"{section}.{label}", f'is "{twin}" in another case or spacing'
    for label, codes in codebook.labels.items():
        for message in code_problems(codes, brief):
            yield f"labels.{label}", message
    for label, alias in codebook.options.items():
        if alias is not None and brief.expectations.option_called(alias) is None:
            message = f'"{alias}" is not an alias of one option of briefs/{brief.id}.md'
            yield f"options.{label}", message + nearest(alias, brief.expectations.option_aliases)


def code_problems(codes: tuple[str, ...], brief: Brief) -> Iterator[str]:
    """What is wrong with the codes of a label; nothing where each names a concept once."""
    names = [code.removeprefix("-") for code in codes]
    for name in names:
        if name == GOAL:
            yield f'"{GOAL}" is not a code: the goal is found by its kind'
        elif name not in brief.expectations.concepts:
            hint = nearest(name, brief.expectations.concepts)
            yield f'"{name}" is not a concept of briefs/{brief.id}.md{hint}'
        elif names.count(name) > 1:
            yield f'has "{name}" more than once'
