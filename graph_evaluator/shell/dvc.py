"""Adapter: what DVC recorded and stored: `dvc.lock`, and content by its hash.

Importing DVC takes most of a second, so only the functions that need it do so.
"""

import hashlib
import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from graph_evaluator.records.json_text import parse
from graph_evaluator.records.record import Array, NotYaml, Record, parse_yaml
from graph_evaluator.shell import paths

if TYPE_CHECKING:
    from dvc.repo import Repo

LOCK = Path("dvc.lock")
_RESPONSES_HASH = re.compile(
    rb"^  generate:\n(?:    .*\n)*?    - path: %b\n(?:      hash: md5\n)?"
    rb"      md5: ([0-9a-f]{32}\.dir)$" % paths.RESPONSES.as_posix().encode(),
    re.MULTILINE,
)


class NotFetched(Exception):
    """Content is neither in DVC's cache nor in a remote that can be reached."""


class LockEntry(Record):
    """A file or folder of a stage, with its hash; None where git keeps it without one."""

    path: str
    md5: str | None = None


class LockedStage(Record):
    """The outputs that `dvc.lock` records of a stage."""

    outs: Array[LockEntry] = ()


class LockFile(Record):
    """The content of a `dvc.lock`."""

    stages: dict[str, LockedStage] = Field(default_factory=dict)


def read_lock(content: bytes) -> LockFile:
    """The content of a `dvc.lock`, empty where it holds something else."""
    with suppress(UnicodeDecodeError, ValidationError, NotYaml):
        return LockFile.model_validate(parse_yaml(content.decode("utf-8")))
    return LockFile()


def responses_hash(lock: bytes) -> str | None:
    """The hash of the folder of responses that a `dvc.lock` names; None where it names none.

    DVC writes the file, so its lines are enough: to parse 200 of them takes over a second.
    """
    match = _RESPONSES_HASH.search(lock)
    return match[1].decode() if match else None


class StoredContent:
    """Content by its hash, from DVC's cache of the repository at `root`, else from its default
    remote.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._remote_answers = True

    def file(self, md5: str) -> Path:
        """The file in the cache; NotFetched where it cannot be read, or is damaged."""
        self._fetch([md5])
        content = self._place(md5).read_bytes()
        if hashlib.md5(content, usedforsecurity=False).hexdigest() != md5.removesuffix(".dir"):
            raise NotFetched
        return self._place(md5)

    def folder(self, md5: str) -> dict[str, Path]:
        """The files in the cache by their paths within a folder; NotFetched unless all of them can
        be read.
        """
        listing: Any = parse(self.file(md5).read_bytes())
        self._fetch([entry["md5"] for entry in listing])
        return {entry["relpath"]: self._place(entry["md5"]) for entry in listing}

    def modified_outs(self) -> frozenset[str]:
        """The outs of the working tree whose content is not what `dvc.lock` names."""
        modified = self._repo.data_status()["uncommitted"].get("modified", ())
        return frozenset(name.rstrip("/") for name in modified)

    @cached_property
    def _repo(self) -> "Repo":
        from dvc.repo import Repo

        logging.getLogger("dvc").setLevel(logging.CRITICAL)
        return Repo(str(self._root))

    def _place(self, md5: str) -> Path:
        return Path(self._repo.cache.local.oid_to_path(md5))

    def _fetch(self, hashes: Sequence[str]) -> None:
        """Fetch what the cache lacks; a remote that fails is tried once."""
        from dvc_data.hashfile.hash_info import HashInfo

        try:
            absent = [md5 for md5 in hashes if not self._place(md5).exists()]
            if absent and self._remote_answers:
                self._remote_answers = False
                self._repo.cloud.pull([HashInfo("md5", md5) for md5 in absent])
                self._remote_answers = True
            is_complete = all(self._place(md5).exists() for md5 in absent)
        except Exception:  # noqa: BLE001 - each kind of remote raises its own
            raise NotFetched from None
        if not is_complete:
            raise NotFetched
