"""Adapter: what DVC recorded and stored: `dvc.lock`, and content by its hash.

Importing DVC takes most of a second, so only the functions that need it do so.
"""

import hashlib
import logging
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_evaluator.records.json_text import parse

if TYPE_CHECKING:
    from dvc.repo import Repo

LOCK = Path("dvc.lock")
_OUTS = re.compile(r"^    outs:\n((?:    - .*\n|      .*\n)+)", re.MULTILINE)
_OUT = re.compile(r"^    - path: (.+)\n(?:      .*\n)*?      md5: (\S+)$", re.MULTILINE)


class NotFetched(Exception):
    """Content is neither in DVC's cache nor in a remote that can be reached."""


def out_hashes(lock: bytes) -> dict[str, str]:
    """The hash of each output that a `dvc.lock` records, by its path.

    DVC writes the file, so its lines are enough: to parse 200 of them takes over a second.
    """
    blocks = _OUTS.findall(lock.decode("utf-8", errors="replace"))
    return {path: md5 for block in blocks for path, md5 in _OUT.findall(block)}


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
