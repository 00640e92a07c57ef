"""What `dvc.lock` says: by which settings each stage was run, from what, and what came of it."""

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from stages.contracts import yaml_text

LOCK = "dvc.lock"


class Content(msgspec.Struct, frozen=True):
    """A file or folder and the hash of what was in it, "" where it has none."""

    path: str
    md5: str = ""


class LockedStage(msgspec.Struct, frozen=True):
    """One stage: its settings by file, its dependencies and its outputs."""

    params: dict[str, dict[str, object]] = {}
    deps: tuple[Content, ...] = ()
    outs: tuple[Content, ...] = ()


class _Lock(msgspec.Struct, frozen=True):
    stages: dict[str, LockedStage] = {}


def locked_stages(content: bytes) -> Mapping[str, LockedStage]:
    """The stages of a lock file by their names; none where it cannot be read."""
    try:
        return msgspec.convert(yaml_text.parse(content.decode("utf-8")), _Lock).stages
    except (yaml_text.NotYaml, UnicodeDecodeError, msgspec.ValidationError):
        return {}


def hashes(contents: Iterable[Content]) -> dict[str, str]:
    """The hashes by path."""
    return {content.path: content.md5 for content in contents}


def md5(content: bytes) -> str:
    """The name that DVC gives a file's content: 32 hex digits."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
