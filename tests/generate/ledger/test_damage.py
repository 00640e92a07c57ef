"""A damaged ledger is named, set aside and salvaged; nothing in it is dropped silently."""

import sqlite3
from pathlib import Path

import pytest

from stages.contracts.errors import LedgerError
from stages.generate.ledger.file import FILE
from stages.generate.ledger.store import Ledger
from tests.generate.rows import key, row

ASIDE = "answers.damaged-1.sqlite3"


def silent(_text: str) -> None:
    """Nobody listens."""


def filled(folder: Path, count: int = 200) -> Path:
    with Ledger(folder, silent) as ledger:
        ledger.add([row(str(number), body="x" * 2_000) for number in range(count)])
    return folder / FILE


def overwrite(file: Path, at: int, content: bytes) -> None:
    with file.open("r+b") as handle:
        handle.seek(at)
        handle.write(content)


def test_a_file_that_is_no_database_is_set_aside_and_the_next_run_begins_anew(tmp_path: Path) -> None:
    tmp_path.joinpath(FILE).write_bytes(b"not a database" * 1000)
    with pytest.raises(LedgerError, match="is damaged") as raised:
        Ledger(tmp_path, silent)
    assert ASIDE in str(raised.value)
    assert "nothing of it is deleted" in str(raised.value)
    assert (tmp_path / ASIDE).read_bytes() == b"not a database" * 1000
    with Ledger(tmp_path, silent) as ledger:
        assert ledger.requests() == []


def test_another_database_is_not_taken_for_a_ledger(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(LedgerError, match="not a ledger"):
        Ledger(tmp_path, silent)
    assert (tmp_path / ASIDE).exists()


@pytest.mark.parametrize("how", ["cut in half", "pages overwritten"])
def test_what_can_still_be_read_is_taken_over_once(tmp_path: Path, how: str) -> None:
    file = filled(tmp_path)
    size = file.stat().st_size
    if how == "cut in half":
        with file.open("r+b") as handle:
            handle.truncate(size // 2 // 4096 * 4096)
    else:
        overwrite(file, size // 2 // 4096 * 4096, b"\xff" * 4096 * 5)
    damaged = file.read_bytes()
    with pytest.raises(LedgerError, match="is damaged"):
        Ledger(tmp_path, silent)
    said: list[str] = []
    with Ledger(tmp_path, said.append) as ledger:
        kept = len(ledger.requests())
        assert 0 < kept < 200
    assert said == [f"took over {kept} readable answers from the damaged ledger {ASIDE}"]
    assert (tmp_path / ASIDE).read_bytes() == damaged
    with Ledger(tmp_path, said.append):
        assert len(said) == 1


def test_an_altered_answer_is_found_when_it_is_read_and_only_it_is_lost(tmp_path: Path) -> None:
    file = filled(tmp_path, 3)
    connection = sqlite3.connect(file)
    connection.execute("UPDATE answers SET body = 'forged' WHERE fingerprint = ?", (key("1"),))
    connection.commit()
    connection.close()
    with Ledger(tmp_path, silent) as ledger:
        assert ledger.read([key("0")])[key("0")].body == "x" * 2_000
        with pytest.raises(LedgerError, match="is not what was written"):
            ledger.read([key("1")])
    with Ledger(tmp_path, silent) as ledger:
        assert ledger.present([key("0"), key("1"), key("2")]) == {key("0"), key("2")}


def test_a_second_damaged_ledger_does_not_overwrite_the_first(tmp_path: Path) -> None:
    for number in (1, 2):
        tmp_path.joinpath(FILE).write_bytes(b"%d" % number * 5000)
        with pytest.raises(LedgerError, match=f"answers.damaged-{number}.sqlite3"):
            Ledger(tmp_path, silent)


@pytest.mark.parametrize("place", [0, 1], ids=["in one place", "in the other"])
def test_a_fingerprint_that_was_altered_is_found_before_its_answer_is_paid_for_again(
    tmp_path: Path, place: int
) -> None:
    file = filled(tmp_path, 20)
    content = file.read_bytes()
    wanted = key("7").encode()
    at = content.index(wanted)
    if place:
        at = content.index(wanted, at + 1)
    overwrite(file, at, b"0" if wanted[:1] != b"0" else b"1")
    with pytest.raises(LedgerError, match="is damaged"), Ledger(tmp_path, silent) as ledger:
        ledger.begin_writing()
    with Ledger(tmp_path, silent) as ledger:
        ledger.begin_writing()
        assert len(ledger.requests()) >= 19
