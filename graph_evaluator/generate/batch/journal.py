"""The journal of batches: those submitted and not yet collected. It survives every kill, so that
nothing is submitted twice.

A file of its own next to the answers, so that damage to one does not affect the other. A batch
passes through two states, each on disk before the step that it allows:

    uploaded    the input file exists; the batch may have been created
    submitted   the batch has an id: only waiting and collecting are left

and is closed when each of its calls is settled: its answer is stored, or it is known that there is
none. A batch that was `uploaded` when the process died is searched for by its key; so is one that
an earlier version `intended`, which was never created.
"""

import sqlite3
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from graph_evaluator.generate.ledger.rows import (
    connect_to_read,
    explained,
    make_private_folder,
    touch_private,
)
from graph_evaluator.generate.plan.call import Call, Endpoint
from graph_evaluator.records.errors import LedgerError
from graph_evaluator.records.json_text import JsonObject, canonical

FILE = "batches.sqlite3"
VERSION = 1
MOST_REQUESTS = 50_000
"""What one input file may hold, with `MOST_BYTES`. Source: OpenAI, Batch API guide."""
MOST_BYTES = 200_000_000
_OPEN_TIMEOUT_S = 60.0

BatchStep = Literal["new", "intended", "uploaded", "submitted"]

_TABLES = f"""
CREATE TABLE IF NOT EXISTS batches (
    key TEXT PRIMARY KEY NOT NULL,
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL,
    noted_at REAL NOT NULL,
    input_file_id TEXT,
    batch_id TEXT
);
CREATE TABLE IF NOT EXISTS requests (
    key TEXT NOT NULL REFERENCES batches (key),
    position INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (key, position)
);
CREATE INDEX IF NOT EXISTS unsettled ON requests (key, fingerprint) WHERE settled = 0;
PRAGMA user_version = {VERSION};
"""
_NOTE = """
INSERT INTO batches (key, endpoint, model, state, noted_at, batch_id) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE
SET state = excluded.state, noted_at = excluded.noted_at, batch_id = excluded.batch_id
"""
_RESERVE = "INSERT OR IGNORE INTO requests (key, position, fingerprint) VALUES (?, ?, ?)"
_SETTLE = "UPDATE requests SET settled = 1 WHERE key = ? AND fingerprint = ?"
_OPEN = """
SELECT key, endpoint, model, state, noted_at, batch_id, fingerprint
FROM batches JOIN requests USING (key) WHERE settled = 0 ORDER BY batches.rowid, position
"""


@dataclass(kw_only=True, eq=False)
class Batch:
    """The state of one batch: what the journal holds of it, and what this run knows besides.

    `fingerprints` are of all its submitted calls that are not settled; `calls` are those of them
    that this run has to answer. The journal has every step but "new", noted at a Unix time.
    """

    endpoint: Endpoint
    model: str
    fingerprints: list[str] = field(default_factory=list)
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    step: BatchStep = "new"
    noted_at: float = 0.0
    batch_id: str | None = None
    calls: dict[str, Call] = field(default_factory=dict)
    failing_since: float | None = None
    progress: str = ""

    @property
    def name(self) -> str:
        """What to call it in a message."""
        known = f"batch {self.batch_id}" if self.batch_id else "a batch whose id is not known yet"
        return f"{known} ({self.model})"


def new_batches(calls: Iterable[Call]) -> Iterator[Batch]:
    """The calls in as few batches as the limits allow, in order, each of one endpoint and model; a
    line beyond `MOST_BYTES` gets one, which the service refuses.
    """
    filling: dict[tuple[Endpoint, str], Batch] = {}
    sizes: defaultdict[str, int] = defaultdict(int)
    for call in calls:
        group, length = (call.endpoint, call.model), len(line_of(call))
        batch = filling.get(group)
        if batch and (len(batch.calls) == MOST_REQUESTS or sizes[batch.key] + length > MOST_BYTES):
            yield filling.pop(group)
            batch = None
        if batch is None:
            batch = Batch(endpoint=call.endpoint, model=call.model)
            filling[group] = batch
        batch.calls[call.fingerprint] = call
        sizes[batch.key] += length
    yield from filling.values()


def line_of(call: Call) -> bytes:
    """One line of the input file, line end included; `custom_id` is the fingerprint."""
    request: JsonObject = {
        "custom_id": call.fingerprint,
        "method": "POST",
        "url": f"/v1{call.endpoint.api_kind.path}",
        "body": call.body(in_batch=True),
    }
    return f"{canonical(request)}\n".encode()


class BatchJournal:
    """The journal in a ledger folder; every method returns when its change is on disk, or raises
    `LedgerError`.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.file = folder / FILE
        self.clock = clock
        with explained(self.file):
            make_private_folder(folder)
            touch_private(self.file)
            self._connection = sqlite3.connect(
                self.file, timeout=_OPEN_TIMEOUT_S, isolation_level="IMMEDIATE"
            )
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise LedgerError(
                    f"the journal {self.file} was made by a newer version of this tool"
                )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            if version < VERSION:
                self._connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def note(self, batch: Batch, step: BatchStep, *, batch_id: str | None = None) -> None:
        """Note a step of a batch. The first one reserves its calls; a submitted one has an id."""
        batch.step, batch.batch_id, batch.noted_at = step, batch_id, self.clock()
        endpoint = batch.endpoint.model_dump_json()
        row = (batch.key, endpoint, batch.model, step, batch.noted_at, batch_id)
        requests = [(batch.key, *numbered) for numbered in enumerate(batch.fingerprints)]
        with explained(self.file), self._connection:
            self._connection.execute(_NOTE, row)
            self._connection.executemany(_RESERVE, requests)

    def settle(self, batch: Batch, fingerprints: Iterable[str]) -> None:
        """These calls have everything that the batch will ever give them."""
        with explained(self.file), self._connection:
            self._connection.executemany(_SETTLE, [(batch.key, name) for name in fingerprints])

    def abandon(self, batch: Batch) -> None:
        """The batch does not exist; it is new again, and has another key."""
        self.settle(batch, batch.fingerprints)
        batch.key, batch.step, batch.batch_id = uuid.uuid4().hex, "new", None


def open_batches(folder: Path) -> list[Batch]:
    """The batches that are not closed, oldest first; nothing is written, and without a journal
    there are none.
    """
    file = folder / FILE
    batches: dict[str, Batch] = {}
    if not file.exists():
        return []
    with explained(file), closing(connect_to_read(file)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        rows = connection.execute(_OPEN) if version else ()  # a kill left it without tables
        for key, endpoint, model, step, noted_at, batch_id, fingerprint in rows:
            if key not in batches:
                batches[key] = Batch(
                    endpoint=Endpoint.model_validate_json(endpoint),
                    model=model,
                    key=key,
                    step=step,
                    noted_at=noted_at,
                    batch_id=batch_id,
                )
            batches[key].fingerprints.append(fingerprint)
    return list(batches.values())


def fingerprints_out(folder: Path) -> frozenset[str]:
    """The calls that are in a batch and not collected."""
    return frozenset(key for batch in open_batches(folder) for key in batch.fingerprints)
