"""Answers that somebody else paid for: a response that was pulled is turned back into entries of
the ledger.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from stages.generate.answers.answer import Answer
from stages.generate.answers.draws import answer_of_record
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.shared.records.json_text import NotJson, parse
from stages.shared.records.response import Response

UNKNOWN_REQUEST = "{}"
"""The stored request of an adopted answer that belongs to no cell of the run."""
_FILES_AT_ONCE = 500
_FINGERPRINT = re.compile(rb'"fingerprint": "([0-9a-f]{64})"')


def adopt(contents: Iterable[bytes], calls: Mapping[str, Call], ledger: Ledger) -> bool:
    """Add the answers of response files that the ledger lacks; returns whether there were any.

    A file that holds no response is left out.
    """
    adopted_some = False
    remaining = iter(contents)
    while chunk := list(islice(remaining, _FILES_AT_ONCE)):
        named = [_fingerprints_in(content) for content in chunk]
        present = ledger.present(sorted(set().union(*named)))
        lacking = [
            content
            for content, fingerprints in zip(chunk, named, strict=True)
            if not fingerprints <= present
        ]
        answers = [answer for content in lacking for answer in _answers_in(content, calls)]
        ledger.add(answers)
        adopted_some = adopted_some or bool(answers)
    return adopted_some


def _fingerprints_in(content: bytes) -> set[str]:
    return {name.decode() for name in _FINGERPRINT.findall(content)}


def _answers_in(content: bytes, calls: Mapping[str, Call]) -> list[Answer]:
    try:
        return list(answers_of_response(Response.read(parse(content)), calls))
    except (NotJson, ValidationError):
        return []


class LedgerToRead(Ledger):
    """The ledger as it would be after adoption; the answers adopted are kept in memory alone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._adopted: dict[str, Answer] = {}

    def add(self, answers: Sequence[Answer]) -> None:
        """Keep the answers to requests of the run while the ledger is open."""
        for answer in answers:
            if answer.request != UNKNOWN_REQUEST:
                self._adopted[answer.fingerprint] = answer

    def present(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """The fingerprints that have an answer, adopted ones included."""
        return super().present(fingerprints) | self._adopted.keys() & set(fingerprints)

    def read(self, fingerprints: Sequence[str]) -> dict[str, Answer]:
        """The answers to these, where there are any, adopted ones included."""
        adopted = {name: self._adopted[name] for name in fingerprints if name in self._adopted}
        return super().read(fingerprints) | adopted


def answers_of_response(response: Response, calls: Mapping[str, Call]) -> Iterator[Answer]:
    """The answer to each draw of a response, under its recorded fingerprint.

    It has the canonical request of the call in `calls` with that fingerprint. Responses of another
    prompt or setting are adopted too, so that going back to it calls nothing.
    """
    for record in (*response.earlier_draws, response):
        call = calls.get(record.fingerprint or "")
        model = call.model if call else response.request.get("model")
        request = call.canonical if call else UNKNOWN_REQUEST
        if isinstance(model, str):
            answer = answer_of_record(record, model=model, request=request)
            if answer is not None:
                yield answer
