"""A revision: what git calls a commit, or the working tree, by the name that it was asked for."""

import msgspec


class Revision(msgspec.Struct, frozen=True):
    """A revision by the name it was asked for, its commit (None: the working tree) and the commit's date, ISO 8601.

    A whole commit that was asked for is named by its first ten digits.
    """

    name: str
    commit: str | None
    date: str | None


class NotStored(Exception):
    """A file that the revision has is neither in DVC's cache nor in a remote; the message says what to do."""


def out_of_reach(revision: Revision, file: str, error: Exception, *, has_remote: bool) -> str:
    """The sentence on a file whose content is in no place that can be reached, with what to do about it.

    >>> "(no route): `dvc push` it" in out_of_reach(Revision("main", "1f", None), "x", OSError("no route"), has_remote=True)
    True
    """
    told = f"{file} of {revision.name} is neither in DVC's cache nor in a remote that can be reached"
    if not has_remote:
        return f"{told}, and no remote is configured: `dvc remote add`, or run the pipeline at that revision"
    known = "" if isinstance(error, FileNotFoundError) else str(error)
    detail = f" ({known.splitlines()[0][:200]})" if known else ""
    return f"{told}{detail}: `dvc push` it where it was made, or `dvc fetch` to see what is missing"
