"""The journal of batches."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from stages.generate.batch.journal import FILE, BatchJournal, fingerprints_out
from stages.generate.plan.call import Endpoint
from stages.shared.records.errors import LedgerError
from tests.generate.earlier_projects import EARLIER_VERSIONS, EarlierVersion

HERE = Endpoint(provider="openai", key_env="KEY", headers_env=(("X-A", "B"),))


def test_a_damaged_journal_is_named_and_kept(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database " * 1_000)
    with pytest.raises(LedgerError, match=FILE):
        BatchJournal(tmp_path)
    assert (tmp_path / FILE).read_bytes().startswith(b"no database")


def test_a_journal_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    with closing(BatchJournal(tmp_path)) as journal:
        journal._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="newer version"):
        BatchJournal(tmp_path)


@pytest.mark.parametrize("version", EARLIER_VERSIONS, ids=str)
def test_a_journal_of_an_earlier_version_is_read(tmp_path: Path, version: EarlierVersion) -> None:
    shutil.copy(version.folder / "journal" / FILE, tmp_path / FILE)
    journal = BatchJournal(tmp_path)
    intended, uploaded, submitted = journal.open_batches()
    team = Endpoint(
        provider="openai",
        url="http://127.0.0.1:47811/v1",
        key_env="A_KEY",
        headers_env=(("X-Team", "TEAM"),),
    )
    assert intended.key == "key-intended"
    assert intended.step == "intended"
    assert intended.endpoint == team
    assert uploaded.step == "uploaded"
    assert uploaded.noted_at == 1760000101.0
    assert submitted.batch_id == "batch_2"
    assert submitted.endpoint == Endpoint(provider="openai")
    assert submitted.fingerprints == ["c1" + "0" * 62, "c2" + "0" * 62]
    assert fingerprints_out(tmp_path) == {
        *intended.fingerprints,
        *uploaded.fingerprints,
        *submitted.fingerprints,
    }
