"""Our own errors: what the user can mend, told in one message.

The tree::

    GraphEvaluatorError      anything we raise for a person to read; carries an exit code
    +-- InputError           something that a person wrote is wrong (exit code 2)
    +-- LedgerError          the store of paid answers cannot be used as it is (exit code 2)
    +-- NothingAnswered      no cell at all has an answer (exit code 1)
    +-- Interrupted          stopped before the end; what was paid for is kept (exit code 130)

What a provider does wrong is a value in the response, what a model does wrong is a violation: neither is raised.
"""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One thing to mend: the file, the key or line in it ("" for the file as a whole), and what to do."""

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
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type["InputError"], tuple[tuple[Problem, ...]]]:
        """How it comes out of another process: with its problems."""
        return InputError, (self.problems,)


class LedgerError(GraphEvaluatorError):
    """The store of paid answers cannot be read or written; the message names the file and the mend."""


class NothingAnswered(GraphEvaluatorError):
    """No cell at all has an answer."""

    exit_code = 1


class Interrupted(GraphEvaluatorError):
    """The work was stopped before its end; everything that was paid for is kept."""

    exit_code = 130


def nearest(found: str, allowed: Iterable[str]) -> str:
    """A hint at the nearest right spelling, or "" when nothing is near.

    >>> nearest("temprature", ["temperature", "top_p"])
    ' (did you mean "temperature"?)'
    >>> nearest("zzz", ["temperature"])
    ''
    """
    match = difflib.get_close_matches(found, sorted(allowed), n=1)
    return f' (did you mean "{match[0]}"?)' if match else ""
