"""The journal of batches."""

from pathlib import Path

import pytest
from stages.generate.call import Endpoint

from stages.contracts.errors import LedgerError
from stages.generate.batch.journal import FILE, BatchJournal

HERE = Endpoint(provider="openai", key_env="KEY", headers_env=(("X-A", "B"),))


def noted(folder: Path) -> BatchJournal:
    journal = BatchJournal(folder)
    journal.intend(key="k", endpoint=HERE, model="m", fingerprints=["b", "a"], at=1.0)
    return journal


def test_a_batch_passes_through_its_states(tmp_path: Path) -> None:
    journal = noted(tmp_path)
    states = [journal.open_batches()[0].state]
    journal.uploaded("k", "file-1", at=2.0)
    states.append(journal.open_batches()[0].state)
    journal.submitted("k", "batch-1", at=3.0)
    (record,) = journal.open_batches()
    assert [*states, record.state] == ["intended", "uploaded", "submitted"]
    assert (record.input_file_id, record.batch_id, record.noted_at) == ("file-1", "batch-1", 3.0)


def test_another_process_sees_what_was_noted(tmp_path: Path) -> None:
    noted(tmp_path)
    (record,) = BatchJournal(tmp_path).open_batches()
    assert (record.key, record.endpoint, record.model, record.fingerprints) == ("k", HERE, "m", ("b", "a"))


def test_a_batch_is_closed_when_all_its_calls_are_settled(tmp_path: Path) -> None:
    journal = noted(tmp_path)
    journal.settle("k", ["a"])
    assert [record.fingerprints for record in journal.open_batches()] == [("b",)]
    journal.settle("k", ["b"])
    assert journal.open_batches() == ()


def test_a_batch_that_never_was_is_closed_at_once(tmp_path: Path) -> None:
    journal = noted(tmp_path)
    journal.close_batch("k")
    assert journal.open_batches() == ()


def test_a_damaged_journal_is_named_and_kept(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database " * 1_000)
    with pytest.raises(LedgerError, match=FILE):
        BatchJournal(tmp_path)
    assert (tmp_path / FILE).read_bytes().startswith(b"no database")


def test_a_journal_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    journal = noted(tmp_path)
    journal._connection.execute("PRAGMA user_version = 99")
    journal.close()
    with pytest.raises(LedgerError, match="newer version"):
        BatchJournal(tmp_path)
