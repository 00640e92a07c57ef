"""Answers that somebody else paid for: a response that was pulled is turned back into entries of
the ledger.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from graph_evaluator.generate.ledger.rows import Row, row_of
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call
from graph_evaluator.generate.recorded_lines import FINGERPRINT_START
from graph_evaluator.records.errors import InputError
from graph_evaluator.shell.results import read_response

UNKNOWN_REQUEST = "{}"
"""The stored request of an adopted answer that belongs to no cell of the run."""
_FILES_AT_ONCE = 500
_FINGERPRINT = re.compile(rb'"fingerprint"\s*:\s*"([0-9a-f]{64})"')


def adopt(contents: Iterable[bytes], calls: Mapping[str, Call], ledger: Ledger) -> bool:
    """Add the answers of response files that the ledger lacks; returns whether there were any.

    A file that holds no response is left out.
    """
    adopted_some = False
    remaining = iter(contents)
    while chunk := list(islice(remaining, _FILES_AT_ONCE)):
        named = [set(map(bytes.decode, _FINGERPRINT.findall(content))) for content in chunk]
        present = ledger.present(sorted(set().union(*named)))
        rows: list[Row] = []
        for content, fingerprints in zip(chunk, named, strict=True):
            if not fingerprints <= present:
                rows += rows_of_response(content, calls)
        ledger.add(rows)
        adopted_some = adopted_some or bool(rows)
    return adopted_some


class LedgerToRead(Ledger):
    """The ledger as it would be after adoption; the answers adopted are kept in memory alone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._adopted: dict[str, Row] = {}

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the answers to requests of the run while the ledger is open."""
        for row in rows:
            if row["request"] != UNKNOWN_REQUEST:
                self._adopted[row["fingerprint"]] = row

    def _rows(self, fingerprints: Sequence[str], columns: str = "*") -> Sequence[Row]:
        stored = {row["fingerprint"]: row for row in super()._rows(fingerprints, columns)}
        adopted = {name: self._adopted[name] for name in fingerprints if name in self._adopted}
        return list((stored | adopted).values())


def rows_of_response(content: bytes, calls: Mapping[str, Call]) -> list[Row]:
    """The row of each answer in a response file, under its recorded fingerprint; none where the
    file holds no response, or recorded answers.

    It has the canonical request of the call in `calls` with that fingerprint. Responses of another
    prompt or setting are adopted too, so that going back to it calls nothing.
    """
    try:
        response = read_response(content, file="")
    except InputError:
        return []
    rows: list[Row] = []
    for answer in response.answers:
        key = answer.fingerprint or FINGERPRINT_START
        call = calls.get(key)
        model = call.model if call else response.request.get("model")
        is_paid = bool(answer.measured.created_at) and not key.startswith(FINGERPRINT_START)
        if is_paid and isinstance(model, str):
            rows.append(row_of(answer, model, call.canonical if call else UNKNOWN_REQUEST))
    return rows
