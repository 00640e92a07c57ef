"""`python -m bench ledger`: answers stored and read per second, against plain `sqlite3` with the same durability.

The floor writes the same rows in commits of the same size with `executemany` into a bare table, with the journal and the
synchronisation of the ledger, and reads them back by fingerprint. Ours also makes the row and its checksum, waits for each
answer's commit as a call does, settles claims and checks every row that it reads.
"""

import asyncio
import datetime
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.draft_graphs import answer_text
from bench.figure import Figure, figure, ratio
from graph_evaluator.generate.answers import read_answer
from graph_evaluator.generate.ledger.rows import COLUMNS, row_of
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import Call, endpoint_of, plan_model
from graph_evaluator.records.brief import Prompt
from graph_evaluator.records.json_text import JsonObject, sha256_of
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import RuntimeParams
from graph_evaluator.records.response import Answer, Cell

Stored = tuple[Call, Answer]

ANSWERS = 5_000
REPEATS = 3
WIDTHS = (64, 1_000)
"""How many answers wait for their commit at once, at most."""
_CHUNK = 500
_USAGE = {"input_tokens": 9_000, "output_tokens": 1_700}


def figures() -> list[Figure]:
    """Writes, reads and opening."""
    given = _answers(ANSWERS)
    found: list[Figure] = []
    for width in WIDTHS:
        ours, floor = [], []
        for _ in range(REPEATS):
            ours.append(ANSWERS / _in_folder(partial(_write, given, width)))
            floor.append(ANSWERS / _in_folder(partial(_plain_write, given, width)))
        found.append(figure(f"ledger: writes, {width} waiting at once", ours, "answers/s"))
        found.append(ratio("... of the plain executemany's rate", ours, floor))
    return found + _reads(given)


def _reads(given: Sequence[Stored]) -> list[Figure]:
    calls = [call for call, _ in given]
    keys = [call.fingerprint for call in calls]
    opened, ours, floor = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(given, max(WIDTHS), folder)
        _plain_write(given, max(WIDTHS), folder)
        for _ in range(REPEATS):
            opened.append(_timed(lambda: Ledger(folder).__exit__(None, None, None)))
            with Ledger(folder) as ledger:
                ours.append(len(keys) / _timed(partial(_read, ledger, calls)))
            floor.append(len(keys) / _timed(lambda: _plain_read(folder, keys)))
    return [
        figure("ledger: reads", ours, "answers/s"),
        ratio("... of the plain select's rate", ours, floor),
        figure(f"ledger: opening with {len(keys):,} answers", opened, "s"),
    ]


def _answers(count: int) -> list[Stored]:
    texts = [
        json.dumps({"output": _message(answer_text(18, seed)), "usage": _USAGE})
        for seed in range(50)
    ]
    config = ModelConfig(
        id="model", display_name="m", provider="openai", model="model", target_mode="fast"
    )
    runtime = RuntimeParams.model_validate({})
    planned = plan_model(
        config,
        endpoint_of(config, {}),
        runtime,
        schema=None,
        published=None,
        today=datetime.date(2026, 1, 1),
    )
    stored: list[Stored] = []
    for number in range(count):
        identity: JsonObject = {"model": "model", "prompt_sha256": "0", "number": number}
        call = Call(
            cell=Cell("model", "brief", number + 1), planned=planned, prompt=Prompt("p", ""), text="", identity=identity,
            fingerprint=sha256_of(identity), input_tokens=9_000, timeout_s=1.0,
        )  # fmt: skip
        answer = read_answer(
            texts[number % len(texts)], call, latency_ms=1234.5, attempts=1,
            created_at="2026-01-01T00:00:00Z",
        )  # fmt: skip
        stored.append((call, answer))
    return stored


def _message(text: str) -> list[object]:
    return [{"type": "message", "content": [{"type": "output_text", "text": text}]}]


def _write(given: Sequence[Stored], width: int, folder: Path) -> float:
    with Ledger(folder) as ledger:
        return _timed(lambda: asyncio.run(_put(ledger, given, width)))


async def _put(ledger: Ledger, given: Sequence[Stored], width: int) -> None:
    rest = iter(given)

    async def worker() -> None:
        for call, answer in rest:
            await ledger.put(call, answer)

    await asyncio.gather(*(worker() for _ in range(width)))


def _plain(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / "plain.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _plain_write(given: Sequence[Stored], width: int, folder: Path) -> float:
    rows = [tuple(row_of(answer, call.model, call.canonical).values()) for call, answer in given]
    connection = _plain(folder)
    connection.execute(f"CREATE TABLE answers ({', '.join(COLUMNS)}, PRIMARY KEY (fingerprint))")
    insert = f"INSERT INTO answers VALUES ({', '.join('?' * len(COLUMNS))})"

    def work() -> None:
        for start in range(0, len(rows), width):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(insert, rows[start : start + width])
            connection.execute("COMMIT")

    took = _timed(work)
    connection.close()
    return took


def _read(ledger: Ledger, calls: Sequence[Call]) -> None:
    _expect(len(ledger.read(calls)), len(calls))


def _plain_read(folder: Path, keys: Sequence[str]) -> None:
    connection = _plain(folder)
    rows = 0
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        marks = ", ".join("?" * len(chunk))
        rows += len(
            connection.execute(
                f"SELECT * FROM answers WHERE fingerprint IN ({marks})", chunk
            ).fetchall()
        )
    connection.close()
    _expect(rows, len(keys))


def _in_folder(work: Callable[[Path], float]) -> float:
    with tempfile.TemporaryDirectory() as name:
        return work(Path(name))


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _expect(found: int, wanted: int) -> None:
    if found != wanted:
        raise RuntimeError(f"{found} rows were found of {wanted}")
