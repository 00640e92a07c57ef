"""Adapter: the responses that a `dvc.lock` names, read from DVC's cache or its remote. Nothing in the working tree is changed."""

import logging
from collections.abc import Iterator
from pathlib import Path

from stages.contracts import yaml_text
from stages.contracts.errors import InputError, Problem
from stages.shell import environment, paths

LOCK = Path("dvc.lock")


class NotFetched(Exception):
    """Responses are neither in DVC's cache nor in a remote that can be reached; the message says why."""


def recorded_hash(lock: str) -> str | None:
    """The hash of the folder of responses that the text of a `dvc.lock` names; None when it names none.

    Raises:
        InputError: the text is not YAML, as after a merge with conflicts.
    """
    try:
        loaded = yaml_text.parse(lock)
    except yaml_text.NotYaml as error:
        where = f"line {error.line}" if error.line else ""
        fix = "after a merge with conflicts, `python -m stages.merge` writes it again"
        raise InputError([Problem(LOCK.as_posix(), where, f"is not YAML: {fix}")]) from None
    stages = loaded.get("stages") if isinstance(loaded, dict) else None
    stage = stages.get("generate") if isinstance(stages, dict) else None
    for out in stage.get("outs") or () if isinstance(stage, dict) else ():
        if out.get("path") == paths.RESPONSES.as_posix():
            found = out.get("md5")
            return found if isinstance(found, str) else None
    return None


def recorded_responses(md5: str) -> Iterator[bytes]:
    """The content of every response file of a folder, by path; what the cache lacks is fetched from the remote first.

    Args:
        md5: The folder's hash, from `recorded_hash`.

    Raises:
        NotFetched: at the first step, before any content.
    """
    from dvc.repo import Repo  # takes most of a second
    from dvc_data.hashfile.hash_info import HashInfo
    from dvc_data.hashfile.tree import Tree

    logging.getLogger("dvc").setLevel(logging.CRITICAL)
    folder = HashInfo("md5", md5)
    try:
        repo = Repo(
            str(environment.repository())
        )  # in a temporary copy a remote with a relative path is another folder
        cache = repo.cache.local
        if not cache.exists(md5):
            repo.cloud.pull([folder])
        tree = Tree.load(cache, folder)
        absent = [file for _, _, file in tree if not cache.exists(file.value)]
        if absent:
            repo.cloud.pull(absent)
        found = sorted((key, Path(cache.oid_to_path(file.value))) for key, _, file in tree)
        missing = sum(not path.is_file() for _, path in found)
    except Exception as error:  # noqa: BLE001 - every kind of remote raises exceptions of its own
        raise NotFetched(" ".join(str(error).split())[:200] or type(error).__name__) from None
    if missing:
        raise NotFetched(f"{missing} of {len(found)} files are missing")
    return (path.read_bytes() for _, path in found)
