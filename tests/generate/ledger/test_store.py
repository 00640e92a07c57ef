"""The ledger keeps what it is given, for good, and says in one sentence when it cannot."""

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.batch.journal import BatchJournal
from graph_evaluator.generate.ledger import rows, store
from graph_evaluator.generate.ledger.rows import FILE, intact, row_of, stored_answer
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.records.errors import LedgerError
from tests import REPOSITORY
from tests.generate.entries import asked, entry, key, open_ledger, paid, request


def put_all(ledger, names, content=None):
    async def put():
        calls = map(asked, names)
        await asyncio.gather(*(ledger.put(call, paid(call, content)) for call in calls))

    asyncio.run(put())


def test_when_the_disk_is_full_what_arrives_is_stored_in_room_that_was_kept(tmp_path, monkeypatch):
    with open_ledger(tmp_path) as ledger:
        ledger.reserve_room()
        log = Path(f"{ledger.file}-wal")
        size = log.stat().st_size
        assert size > 8 * 1024 * 1024
        monkeypatch.setattr(store, "FULL_BELOW_BYTES", 10**18)
        for name in ("a", "b"):
            with pytest.raises(LedgerError, match="is full: free some space"):
                put_all(ledger, [name], "x" * 100_000)
        assert log.stat().st_size == size
    with open_ledger(tmp_path) as ledger:
        assert ledger.present([key("a"), key("b")]) == {key("a"), key("b")}


def test_runs_that_begin_at_once_make_one_folder(tmp_path):
    together = threading.Barrier(8)

    def make(number):
        together.wait()
        rows.make_private_folder(tmp_path / str(number))

    for number in range(20):
        with ThreadPoolExecutor(8) as runs:
            list(runs.map(make, [number] * 8))


@given(body=st.text(), latency=st.none() | st.floats(0, 1e9), attempts=st.integers(1, 99))
def test_a_row_reads_back_as_the_answer_that_made_it(body, latency, attempts):
    written = paid(asked("a"), body, latency_ms=latency, attempts=attempts)
    row = row_of(written, "m", request("a"))
    assert intact(row)
    assert stored_answer(row, asked("a")) == written


@pytest.mark.parametrize(
    "column", ["body", "request", "arrived_at", "source", "attempts", "latency_ms", "endpoint"]
)
def test_a_row_with_any_altered_column_is_recognised(column):
    altered = {"source": "batch", "attempts": 2, "latency_ms": 1.0}.get(column, "altered")
    assert not intact(entry("a") | {column: altered})


def test_only_what_is_there_is_present_and_it_stays_as_it_is(tmp_path):
    with open_ledger(tmp_path) as ledger:
        ledger.add([entry("a"), entry("b")])
        ledger.add([entry("a", '"second"')])
        put_all(ledger, ["a"], '"third"')
        assert ledger.read([asked("a")]) == {key("a"): paid(asked("a"))}
        assert ledger.present([key("a"), key("c")]) == {key("a")}
        assert ledger.read([asked("c")]) == {}
        assert [row["request"] for row in ledger.rows()] == [request("a"), request("b")]


def test_the_file_is_synced_at_every_commit_and_plain_sqlite_reads_it(tmp_path):
    with open_ledger(tmp_path) as ledger, ledger.transaction() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    with open_ledger(tmp_path) as ledger:
        ledger.add([entry("a")])
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        rows = connection.execute("SELECT request, input_tokens, output_tokens FROM answers")
        assert rows.fetchall() == [(request("a"), 3, 5)]


def test_an_error_of_the_disk_reaches_everyone_who_waits_and_closing_tries_again(tmp_path):
    async def put(ledger):
        return await asyncio.gather(
            *(ledger.put(asked(name), paid(asked(name))) for name in "abc"), return_exceptions=True
        )

    with open_ledger(tmp_path) as ledger:
        with ledger.transaction() as connection:
            connection.execute(
                "CREATE TRIGGER full BEFORE INSERT ON answers BEGIN SELECT raise(FAIL, 'no room'); END"
            )
        found = asyncio.run(put(ledger))
        with ledger.transaction() as connection:
            connection.execute("DROP TRIGGER full")
    assert [type(error) for error in found] == [LedgerError] * 3
    with open_ledger(tmp_path) as ledger:
        assert len(list(ledger.rows())) == 3


def test_a_ledger_of_a_newer_version_is_left_alone(tmp_path):
    with open_ledger(tmp_path):
        """A ledger of this version."""
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="newer version"):
        open_ledger(tmp_path)
    with pytest.raises(LedgerError, match="cannot be used"):
        open_ledger(tmp_path / FILE / "a folder below a file")
    assert (tmp_path / FILE).exists()


def test_checkouts_of_several_versions_read_and_write_one_ledger(tmp_path, monkeypatch):
    calls = [asked(name) for name in ("older", "later", "now")]
    with monkeypatch.context() as older_version:
        older_version.setattr(rows, "ADDED_COLUMNS", {})
        older_version.setattr(rows, "_INDEX", "SELECT 1")
        with open_ledger(tmp_path) as ledger:
            ledger.add([entry("older")])
    with monkeypatch.context() as later_version:
        later_version.setitem(rows.ADDED_COLUMNS, "note", "TEXT")
        with open_ledger(tmp_path) as ledger:
            ledger.add([entry("later")])
    with open_ledger(tmp_path) as ledger, ledger.transaction() as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
        assert connection.execute("SELECT note FROM answers").fetchall()
    with open_ledger(tmp_path) as ledger:
        ledger.add([entry("now")])
        assert ledger.read(calls) == {call.fingerprint: paid(call) for call in calls}


def test_a_ledger_says_what_its_answers_were_called_for_and_what_was_counted_for_them(tmp_path):
    async def put(ledger):
        for name, purpose, usd in (
            ("a", "run", 0.25),
            ("b", "settle:1", 0.5),
            ("c", "settle:1", 2.0),
        ):
            await ledger.put(asked(name), paid(asked(name)), usd, purpose)

    with open_ledger(tmp_path) as ledger:
        ledger.add([entry("adopted")])
        asyncio.run(put(ledger))
        assert ledger.last_row() == 4
        booked = [tuple(row) for row in ledger.booked(after_row=2)]
        spent = [ledger.paid_for(purpose) for purpose in ("run", "settle:1", "settle:2")]
    assert booked == [(3, "m", "settle:1", 0.5, 0), (4, "m", "settle:1", 2.0, 0)]
    assert spent == [(1, 0.25), (2, 2.5), (0, 0.0)]


def test_a_new_ledger_is_readable_by_its_owner_alone_and_ignored_by_git(tmp_path):
    before = os.umask(0o022)
    try:
        with Ledger(tmp_path / "mine") as ledger, closing(BatchJournal(tmp_path / "mine")):
            asyncio.run(ledger.put(asked("a"), paid(asked("a"))))
            files = (tmp_path / "mine").glob("*.sqlite3*")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
    finally:
        os.umask(before)
    assert "answers.sqlite3-wal" in modes
    assert "batches.sqlite3-wal" in modes
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o700
    assert (tmp_path / "mine/.gitignore").read_text() == "*\n"


READING = """
import os, sys
from pathlib import Path
from graph_evaluator.generate.ledger.store import Ledger
os.setuid(65534)
with Ledger(Path(sys.argv[1]), read_only=True) as ledger:
    print([row["fingerprint"] for row in ledger.rows()])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_a_ledger_that_cannot_be_written_is_read():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Ledger(folder) as ledger:
            asyncio.run(ledger.put(asked("a"), paid(asked("a"))))
        ledger.file.chmod(0o644)
        folder.chmod(0o755)
        done = subprocess.run(
            [sys.executable, "-c", READING, name],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout == f"['{key('a')}']\n", done.stderr
