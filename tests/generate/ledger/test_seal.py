"""A ledger that nothing has touched is not looked through again, but for what might be paid for twice; any damage is found."""

import json
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stages.contracts.errors import LedgerError
from stages.generate.ledger import file as ledger_file
from stages.generate.ledger import store
from stages.generate.ledger.file import FILE
from stages.generate.ledger.seal import FILE as SEAL
from stages.generate.ledger.seal import seal, sealed
from stages.generate.ledger.store import Ledger
from tests.generate.rows import key, row

HOUR_NS = 3_600_000_000_000


def silent(_text: str) -> None:
    """Nobody listens."""


@pytest.fixture
def an_hour_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files were touched long ago."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + HOUR_NS)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One entry for each time that a whole file is looked through."""
    found: list[None] = []
    look_through: Callable[[sqlite3.Connection], None] = ledger_file.look_through

    def looking(connection: sqlite3.Connection) -> None:
        found.append(None)
        look_through(connection)

    monkeypatch.setattr(ledger_file, "look_through", looking)
    monkeypatch.setattr(store, "look_through", looking)
    return found


def filled(folder: Path, count: int = 20) -> Path:
    with Ledger(folder, silent) as ledger:
        ledger.add([row(str(number), body="x" * 2_000) for number in range(count)])
    return folder / FILE


def rotten(file: Path, old: bytes, new: bytes, *, place: int) -> None:
    """Alter bytes as a failing disk does: sizes and times of the sealed file stay."""
    content = file.read_bytes()
    at = -1
    for _ in range(place + 1):
        at = content.index(old, at + 1)
    with file.open("r+b") as handle:
        handle.seek(at)
        handle.write(new)
    seal(file)
    assert sealed(file)


@pytest.mark.usefixtures("an_hour_later")
def test_an_untouched_ledger_is_looked_through_once_and_before_anything_is_added(
    tmp_path: Path, looks: list[None]
) -> None:
    filled(tmp_path)
    assert len(looks) == 1
    for _ in range(2):
        with Ledger(tmp_path, silent) as ledger:
            assert len(ledger.read([key("1")])) == 1
    assert len(looks) == 1
    with Ledger(tmp_path, silent) as ledger:
        ledger.begin_writing()
        ledger.add([row("new")])
        assert len(looks) == 2


def test_a_ledger_that_was_touched_just_now_is_looked_through(tmp_path: Path, looks: list[None]) -> None:
    filled(tmp_path)
    assert not (tmp_path / SEAL).exists()
    with Ledger(tmp_path, silent):
        assert len(looks) == 2


@pytest.mark.usefixtures("an_hour_later")
@pytest.mark.parametrize("touch", ["time stamp", "journal", "seal of another", "no seal"])
def test_a_ledger_whose_seal_is_broken_is_looked_through(tmp_path: Path, looks: list[None], touch: str) -> None:
    file = filled(tmp_path)
    assert sealed(file)
    if touch == "time stamp":
        os.utime(file)
    elif touch == "journal":
        file.with_name(f"{FILE}-wal").write_bytes(b"left by a run that was killed")
    elif touch == "seal of another":
        (tmp_path / SEAL).write_text(json.dumps([1, 2, 3]))
    else:
        (tmp_path / SEAL).write_text("not a seal")
    with Ledger(tmp_path, silent):
        assert len(looks) == 2


@pytest.mark.usefixtures("an_hour_later")
def test_a_ledger_in_use_is_not_sealed(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as one:
        one.add([row("a")])
        with Ledger(tmp_path, silent):
            pass
        assert not sealed(tmp_path / FILE)
    assert sealed(tmp_path / FILE)


@pytest.mark.usefixtures("an_hour_later")
@pytest.mark.parametrize("place", [0, 1], ids=["in one place", "in the other"])
def test_rot_that_hides_an_answer_is_found_before_it_is_paid_for_again(tmp_path: Path, place: int) -> None:
    file = filled(tmp_path)
    rotten(file, key("7").encode(), b"0" if key("7")[0] != "0" else b"1", place=place)
    with pytest.raises(LedgerError, match="is damaged"), Ledger(tmp_path, silent) as ledger:
        ledger.begin_writing()
    with Ledger(tmp_path, silent) as ledger:
        assert len(ledger.requests()) >= 19


@pytest.mark.usefixtures("an_hour_later")
def test_rot_in_an_answer_is_found_when_it_is_read(tmp_path: Path) -> None:
    file = filled(tmp_path)
    rotten(file, b"xxxx", b"xxyx", place=0)
    with pytest.raises(LedgerError, match="is damaged"), Ledger(tmp_path, silent) as ledger:
        ledger.read([key(str(number)) for number in range(20)])


@pytest.mark.usefixtures("an_hour_later")
def test_rotten_pages_are_found_when_they_are_read(tmp_path: Path) -> None:
    file = filled(tmp_path, 200)
    content = file.read_bytes()
    middle = len(content) // 2 // 4096 * 4096
    rotten(file, content[middle : middle + 64], b"\xff" * 4096 * 5, place=0)
    with pytest.raises(LedgerError, match="is damaged"), Ledger(tmp_path, silent) as ledger:
        ledger.read([key(str(number)) for number in range(200)])
    said: list[str] = []
    with Ledger(tmp_path, said.append) as ledger:
        assert 0 < len(ledger.requests()) < 200
    assert "took over" in said[0]
