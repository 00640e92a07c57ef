"""Adapter: what a commit holds, by the shortest way: from git itself, or from DVC's cache under the hash in `dvc.lock`."""

import re
from pathlib import Path

from dvc.repo import Repo

from stages.compare.lock_file import LOCK, hashes, locked_stages, md5

_MD5 = re.compile("[0-9a-f]{32}")


class Committed:
    """The files of one commit that git or the local cache holds; DVC itself takes half a second for each commit."""

    def __init__(self, repo: Repo, commit: str) -> None:
        self._tree = repo.scm.get_fs(commit)
        self._inside = Path(repo.root_dir).resolve().relative_to(Path(repo.scm.root_dir).resolve())
        self._cache = Path(repo.cache.local.path)
        self._outputs: dict[str, str] | None = None

    def read(self, file: Path) -> bytes | None:
        """The content; None where it is neither in git nor in the cache, whole, under the hash that `dvc.lock` names."""
        found = self._in_git(file)
        return self._in_cache(file) if found is None else found

    def _in_git(self, file: Path) -> bytes | None:
        path = (self._inside / file).as_posix()
        if not self._tree.isfile(path):
            return None
        with self._tree.open(path, "rb") as stream:
            content: bytes = stream.read()
        return content

    def _in_cache(self, file: Path) -> bytes | None:
        if self._outputs is None:
            stages = locked_stages(self._in_git(Path(LOCK)) or b"").values()
            self._outputs = hashes(content for stage in stages for content in stage.outs)
        name = self._outputs.get(file.as_posix(), "")
        if not _MD5.fullmatch(name):
            return None
        try:
            content = (self._cache / name[:2] / name[2:]).read_bytes()
        except OSError:
            return None
        return content if md5(content) == name else None
