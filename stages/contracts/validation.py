"""Turns what pydantic found wrong into problems that a person can act on."""

import types
import typing

from pydantic import BaseModel, ValidationError

from stages.contracts.errors import Problem, nearest


def problems_of(error: ValidationError, model: type[BaseModel], *, file: str, prefix: str = "") -> list[Problem]:
    """Every problem in `error`: the key's path, what was found, what is allowed, and the nearest right spelling."""
    found: list[Problem] = []
    for item in error.errors(include_url=False):
        location = [part for part in item["loc"] if not (isinstance(part, str) and "[" in part)]
        where = ".".join(str(part) for part in ([prefix] if prefix else []) + location)
        if item["type"] == "extra_forbidden":
            allowed = _keys_at(model, location[:-1])
            hint = nearest(str(location[-1]), allowed)
            message = f"unknown key{hint}; allowed are {', '.join(sorted(allowed))}" if allowed else "unknown key"
        elif item["type"] == "missing":
            message = "is missing"
        elif item["input"] is None:
            message = "has no value"
        elif item["type"] in ("tuple_type", "list_type"):
            message = f"must be a list, such as [{_shown(item['input']).strip(chr(39))}], found {_shown(item['input'])}"
        elif item["type"] == "too_short":
            message = "must name at least one"
        else:
            message = f"{_sentence(item['msg'])}, found {_shown(item['input'])}"
            expected = item.get("ctx", {}).get("expected")
            if item["type"] == "literal_error" and isinstance(item["input"], str) and expected:
                message += nearest(
                    item["input"], [part.strip("' ") for part in str(expected).replace(" or ", ",").split(",")]
                )
        found.append(Problem(file, where, message))
    return found


def _sentence(message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return text[:1].lower() + text[1:]


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _keys_at(model: type[BaseModel], path: list[int | str]) -> list[str]:
    current: object = model
    for part in path:
        if not (isinstance(current, type) and issubclass(current, BaseModel)):
            return []
        fields = {(field.alias or name): field.annotation for name, field in current.model_fields.items()}
        current = _record_in(fields.get(str(part)))
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    return []


def _record_in(annotation: object) -> object:
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) in (typing.Union, typing.Annotated):
        for member in typing.get_args(annotation):
            inner = _record_in(member)
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                return inner
        return None
    return annotation
