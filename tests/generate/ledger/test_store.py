"""The ledger keeps what it is given, for good, and says in one sentence when it cannot."""

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.errors import LedgerError
from stages.generate.ledger.file import FILE
from stages.generate.ledger.row import LedgerRow, answer_of, values_of
from stages.generate.ledger.store import Ledger
from tests.generate.rows import key, request, row


def silent(_text: str) -> None:
    """Nobody listens."""


def put_all(ledger: Ledger, rows: list[LedgerRow]) -> None:
    async def put() -> None:
        await asyncio.gather(*(ledger.put(entry) for entry in rows))

    ledger.begin_writing()
    asyncio.run(put())


@given(body=st.text(), latency=st.none() | st.floats(0, 1e9), attempts=st.integers(1, 99))
def test_a_row_reads_back_as_the_answer_that_made_it(body: str, latency: float | None, attempts: int) -> None:
    written = row("a", body=body, latency_ms=latency, attempts=attempts)
    found = answer_of(values_of(written))
    assert found is not None
    answer, asked = found
    assert (answer.body, answer.latency_ms, answer.attempts) == (body, latency, attempts)
    assert asked == request("a")


@pytest.mark.parametrize("column", ["body", "request", "arrived_at", "source", "attempts", "latency_ms", "endpoint"])
def test_a_row_with_any_altered_column_is_found_out(column: str) -> None:
    values = list(values_of(row("a")))
    index = LedgerRow.__struct_fields__.index(column)
    values[index] = {"source": "batch", "attempts": 2, "latency_ms": 1.0}.get(column, "altered")
    assert answer_of(tuple(values)) is None


def test_what_was_put_is_there_for_the_next_process_to_open_it(tmp_path: Path) -> None:
    rows = [row(str(number), body=f'{{"n": {number}}}') for number in range(1_500)]
    with Ledger(tmp_path, silent) as ledger:
        put_all(ledger, rows)
    with Ledger(tmp_path, silent) as ledger:
        answers = ledger.read([key(str(number)) for number in range(1_500)])
    assert [answers[key(str(number))].body for number in range(1_500)] == [entry.body for entry in rows]


def test_an_answer_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger:
        put_all(ledger, [row("a", body='"first"')])
        put_all(ledger, [row("a", body='"second"')])
        ledger.add([row("a", body='"third"')])
        assert ledger.read([key("a")])[key("a")].body == '"first"'


def test_only_what_is_there_is_present(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger:
        ledger.add([row("a"), row("b")])
        assert ledger.present([key("a"), key("c")]) == {key("a")}
        assert ledger.read([key("c")]) == {}
        assert ledger.requests() == [request("a"), request("b")]
        assert ledger.output_tokens("m") == [(request("b"), 5), (request("a"), 5)]
        assert ledger.output_tokens("other") == []


def test_every_commit_is_synced_to_disk(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger:
        ledger.begin_writing()
        assert ledger._writer is not None
        connection = ledger._writer._connection
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_prompt_and_the_answer_can_be_read_with_plain_sqlite(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger:
        ledger.add([row("a", body='{"x": 1}')])
    found = sqlite3.connect(tmp_path / FILE).execute("SELECT request, body, input_tokens, output_tokens FROM answers")
    assert found.fetchall() == [(request("a"), '{"x": 1}', 3, 5)]


def test_answers_that_wait_when_the_run_is_cancelled_are_kept(tmp_path: Path) -> None:
    async def cancelled(ledger: Ledger) -> None:
        waiting = asyncio.ensure_future(ledger.put(row("a")))
        await asyncio.sleep(0)
        waiting.cancel()

    with Ledger(tmp_path, silent) as ledger:
        ledger.begin_writing()
        asyncio.run(cancelled(ledger))
    with Ledger(tmp_path, silent) as ledger:
        assert ledger.present([key("a")])


def test_a_ledger_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent):
        pass
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(LedgerError, match="newer version"):
        Ledger(tmp_path, silent)
    assert (tmp_path / FILE).exists()


def test_a_folder_that_cannot_be_made_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger(tmp_path / "file" / "ledger", silent)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the system lets root write everywhere")
def test_a_read_only_folder_is_one_message(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent):
        pass
    (tmp_path / FILE).chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(LedgerError, match="cannot be"):
            Ledger(tmp_path, silent)
    finally:
        tmp_path.chmod(0o755)
