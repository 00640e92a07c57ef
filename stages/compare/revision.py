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
