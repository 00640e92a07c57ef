"""A damaged ledger is named, set aside and salvaged; nothing in it is dropped silently."""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from pathlib import Path

import pytest

from stages.contracts.errors import LedgerError
from stages.generate.ledger.damage import FILE
from stages.generate.ledger.store import Ledger
from tests.builders.cases import cases
from tests.generate.entries import entry, key, open_ledger, request

ASIDE = "answers.damaged-1.sqlite3"
KEYS = [key("0"), key("1"), key("2")]
GARBAGE = b"not a database" * 1000


def filled(folder: Path, count: int = 200) -> Path:
    with open_ledger(folder) as ledger:
        ledger.add([entry(str(number), "x" * 2_000) for number in range(count)])
    return folder / FILE


def overwrite(file: Path, at: int, content: bytes) -> None:
    before = file.read_bytes()
    file.write_bytes(before[:at] + content + before[at + len(content) :])


def flip(file: Path, place: int, bits: int) -> None:
    overwrite(file, place, bytes([file.read_bytes()[place] ^ bits]))


def pay_again(folder: Path) -> None:
    """Go on with consent, which later runs need not give again."""
    for consent in (True, False):
        with open_ledger(folder) as ledger:
            ledger.begin_calls(pay_again=consent)


def test_a_file_that_is_no_database_is_set_aside_and_not_paid_for_again_without_consent(
    tmp_path: Path,
) -> None:
    tmp_path.joinpath(FILE).write_bytes(GARBAGE)
    with pytest.raises(LedgerError, match="nothing of it is deleted") as raised:
        open_ledger(tmp_path)
    assert ASIDE in str(raised.value)
    assert (tmp_path / ASIDE).read_bytes() == GARBAGE
    for _ in range(2):
        with open_ledger(tmp_path) as ledger:
            assert ledger.requests() == []
            with pytest.raises(LedgerError, match="GRAPH_EVALUATOR_PAY_AGAIN=1") as raised:
                ledger.begin_calls()
        assert ASIDE in str(raised.value)
    pay_again(tmp_path)
    tmp_path.joinpath(FILE).write_bytes(b"another one" * 1000)
    with pytest.raises(LedgerError, match=r"answers.damaged-2.sqlite3"):
        open_ledger(tmp_path)
    assert (tmp_path / ASIDE).read_bytes() == GARBAGE


def test_another_database_is_not_taken_for_a_ledger(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("CREATE TABLE other (x)")
    with pytest.raises(LedgerError, match="not a ledger"):
        open_ledger(tmp_path)
    assert (tmp_path / ASIDE).exists()


@pytest.mark.parametrize("how", ["cut in half", "pages overwritten"])
def test_what_can_still_be_read_is_taken_over_once(tmp_path: Path, how: str) -> None:
    file = filled(tmp_path)
    size = file.stat().st_size
    if how == "cut in half":
        os.truncate(file, size // 2 // 4096 * 4096)
    else:
        overwrite(file, size // 2 // 4096 * 4096, b"\xff" * 4096 * 5)
    damaged = file.read_bytes()
    with pytest.raises(LedgerError, match="is damaged"), open_ledger(tmp_path) as ledger:
        ledger.begin_calls()
    said: list[str] = []
    with Ledger(tmp_path, said.append) as ledger:
        kept = len(ledger.requests())
        assert 0 < kept < 200
    assert said == [f"took over {kept} readable answers from the damaged ledger {ASIDE}"]
    assert (tmp_path / ASIDE).read_bytes() == damaged
    with Ledger(tmp_path, said.append):
        assert len(said) == 1


def alter(file: Path, name: str, assignment: str) -> None:
    """Change one row in a way that the ledger never would."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE answers SET {assignment} WHERE fingerprint = ?", (key(name),))


@pytest.mark.parametrize(
    "assignment", ["body = 'forged'", "body = cast(x'7bff7d' AS TEXT)", "endpoint = 'forged'"]
)
@pytest.mark.parametrize("how", [Ledger.present, Ledger.read])
def test_an_altered_answer_is_skipped_kept_and_reported_once_and_can_be_stored_again(
    tmp_path: Path, assignment: str, how: Callable[[Ledger, list[str]], Collection[str]]
) -> None:
    file = filled(tmp_path, 3)
    alter(file, "1", assignment)
    said: list[str] = []
    for _ in range(2):
        with Ledger(tmp_path, said.append) as ledger:
            assert set(how(ledger, KEYS)) == {key("0"), key("2")}
    (sentence,) = said
    kept = f"1 answer ({key('1')[:12]}) cannot be used, kept in its table damaged_answers"
    assert kept in sentence
    assert "forged" not in sentence
    with closing(sqlite3.connect(file)) as connection:
        (damaged,) = connection.execute("SELECT fingerprint FROM damaged_answers").fetchall()
    assert damaged == (key("1"),)
    with open_ledger(tmp_path) as ledger:
        ledger.add([entry("1", "again")])
        assert ledger.read(KEYS)[key("1")].content.body == "again"


@pytest.mark.parametrize(
    "assignment", ["request = '{'", "request = cast(x'ff' AS TEXT)", "output_tokens = 'many'"]
)
def test_an_altered_request_or_count_is_left_out_of_the_history(
    tmp_path: Path, assignment: str
) -> None:
    file = filled(tmp_path, 3)
    with open_ledger(tmp_path) as ledger:
        ledger.add([entry("new")])
    alter(file, "new", assignment)
    with open_ledger(tmp_path) as ledger:
        assert ledger.output_tokens("m") == []
        assert set(ledger.requests()) <= set(map(request, ("0", "1", "2", "new")))
        assert len(ledger.requests()) == (4 if "output_tokens" in assignment else 3)


HEADER = [*range(24), *range(28, 32), *range(44, 60)]


@pytest.mark.parametrize("bits", [0x01, 0xFF], ids=hex)
@pytest.mark.parametrize("place", HEADER[::3])
def test_a_damaged_byte_of_the_constant_header_is_repaired(
    tmp_path: Path, place: int, bits: int
) -> None:
    file = filled(tmp_path, 3)
    sound = file.read_bytes()
    flip(file, place, bits)
    said: list[str] = []
    with Ledger(tmp_path, said.append) as ledger:
        assert ledger.present(KEYS) == set(KEYS)
    assert len(said) == 1
    assert "the header of the ledger" in said[0]
    assert file.read_bytes() == sound
    assert not (tmp_path / ASIDE).exists()


@pytest.mark.parametrize("place", [*HEADER[::3], *range(32, 44), 70, 95])
def test_of_a_damaged_header_beside_a_log_no_answer_is_lost(tmp_path: Path, place: int) -> None:
    filled(tmp_path / "sound", 3)
    ledger = open_ledger(tmp_path / "sound")
    ledger.add([entry("new")])
    shutil.copytree(tmp_path / "sound", tmp_path / "copy")
    ledger.__exit__(None, None, None)
    flip(tmp_path / "copy" / FILE, place, 0x20)
    with suppress(LedgerError), open_ledger(tmp_path / "copy"):
        """It may be set aside."""
    with open_ledger(tmp_path / "copy") as ledger:
        assert ledger.present([*KEYS, key("new")]) == {*KEYS, key("new")}


@cases("content", {"0 bytes": b"", "1 byte": b"S"})
def test_a_ledger_that_was_emptied_is_reported_and_stops_paid_calls(
    tmp_path: Path, content: bytes
) -> None:
    file = filled(tmp_path, 3)
    with open_ledger(tmp_path) as ledger, ledger.claims():
        """A run that makes calls."""
    file.write_bytes(content)
    said: list[str] = []
    for _ in range(2):
        with Ledger(tmp_path, said.append) as ledger:
            ledger.begin_calls(paid=False)
            with pytest.raises(LedgerError, match="nothing can be read of the damaged ledger"):
                ledger.begin_calls()
    assert [f"set aside as {ASIDE}" in text for text in said] == [True]
    pay_again(tmp_path)


def test_an_empty_file_that_no_run_has_used_is_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"")
    with Ledger(tmp_path, pytest.fail) as ledger:
        ledger.begin_calls()


def killed(folder: Path, name: str) -> None:
    """A process that stores an answer and is killed."""
    pid = os.fork()
    if pid == 0:
        open_ledger(folder).add([entry(name)])
        os._exit(0)  # nothing is closed
    os.waitpid(pid, 0)


@pytest.mark.parametrize("how", ["removed", "emptied"])
def test_a_log_that_vanished_is_reported_and_stops_paid_calls(tmp_path: Path, how: str) -> None:
    filled(tmp_path, 3)
    killed(tmp_path, "new")
    log = tmp_path / f"{FILE}-wal"
    log.unlink()
    if how == "emptied":
        log.touch()
    said: list[str] = []
    for _ in range(2):
        with Ledger(tmp_path, said.append) as ledger:
            assert ledger.present(KEYS) == set(KEYS)
            ledger.begin_calls(paid=False)
            with pytest.raises(LedgerError, match="lacks answers that a process had stored"):
                ledger.begin_calls()
    assert ["write-ahead log" in text for text in said] == [True, True]
    pay_again(tmp_path)
    with Ledger(tmp_path, pytest.fail):
        """Nothing more is said."""


def test_a_log_that_another_tool_has_written_into_the_file_is_not_missed(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    killed(tmp_path, "new")
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("SELECT count(*) FROM answers").fetchone()
    assert not (tmp_path / f"{FILE}-wal").exists()
    with Ledger(tmp_path, pytest.fail) as ledger:
        ledger.begin_calls()


def test_whoever_closes_last_clears_the_marks_of_those_that_were_killed(tmp_path: Path) -> None:
    killed(tmp_path, "1")
    killed(tmp_path, "2")
    assert len(list(tmp_path.glob("*.mark"))) == 2
    with Ledger(tmp_path, pytest.fail) as ledger:
        ledger.begin_calls()
        assert ledger.present(KEYS) == {key("1"), key("2")}
    assert list(tmp_path.glob("*.mark")) == []


@cases("place", {"in one place": 0, "in the other": 1})
def test_a_fingerprint_that_was_altered_is_found_before_its_answer_is_paid_for_again(
    tmp_path: Path, place: int
) -> None:
    file = filled(tmp_path, 20)
    copies = [found.start() for found in re.finditer(key("7").encode(), file.read_bytes())]
    flip(file, copies[place], 1)
    with pytest.raises(LedgerError, match="is damaged"), open_ledger(tmp_path) as ledger:
        ledger.begin_calls()
    with open_ledger(tmp_path) as ledger:
        ledger.begin_calls()
        assert len(ledger.requests()) >= 19
