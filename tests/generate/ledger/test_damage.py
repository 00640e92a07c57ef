"""A damaged ledger is refused by name, for reading as for writing, and none of its bytes change."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest

from graph_evaluator.generate.ledger.rows import FILE
from graph_evaluator.generate.ledger.store import DamagedLedger, Ledger
from graph_evaluator.records.errors import LedgerError
from tests.builders.cases import cases
from tests.generate.entries import entry, key, open_ledger

NAMES = [str(number) for number in range(60)]
GARBAGE = b"not a database" * 1000


def filled(folder, names=NAMES):
    with open_ledger(folder) as ledger:
        ledger.add([entry(name, "x" * 2_000) for name in names])
    return folder / FILE


def overwrite(file, at, content):
    with file.open("r+b") as handle:
        handle.seek(at)
        handle.write(content)


def flip(file, place, bits=0x20):
    overwrite(file, place, bytes([file.read_bytes()[place] ^ bits]))


def alter(file, name, assignment):
    """Change one row in a way that the ledger never would."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE answers SET {assignment} WHERE fingerprint = ?", (key(name),))


def cut(file):
    os.truncate(file, file.stat().st_size // 2)


def overwrite_pages(file):
    overwrite(file, file.stat().st_size // 2 // 4096 * 4096, b"\xff" * 4096 * 5)


def alter_fingerprint(file):
    flip(file, file.read_bytes().index(key("7").encode()), 1)


def make_another_database(file):
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE other (x)")


@cases(
    "damage, reason",
    {
        "cut in half": (cut, "malformed"),
        "pages overwritten": (overwrite_pages, "answers"),
        "an altered answer": (
            lambda file: alter(file, "1", "body = 'forged'"),
            "1 answer not as written",
        ),
        "bytes that are no text": (
            lambda file: alter(file, "1", "body = cast(x'7bff7d' AS TEXT)"),
            "1 answer not as written",
        ),
        "an altered fingerprint": (alter_fingerprint, "answers"),
        "no database": (lambda file: file.write_bytes(GARBAGE), "file is not a database"),
        "emptied": (lambda file: file.write_bytes(b""), "it is empty"),
        "another database": (make_another_database, "it is not a ledger"),
    },
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_damaged_ledger_is_named_with_the_way_on_and_stays(damage, reason, read_only, tmp_path):
    file = filled(tmp_path)
    damage(file)
    damaged = file.read_bytes()
    with pytest.raises(DamagedLedger, match=f"{file} is damaged") as refused:
        Ledger(tmp_path, read_only=read_only)
    assert reason in str(refused.value)
    assert f"mv {file}* {tmp_path}/damaged" in str(refused.value)
    assert file.read_bytes() == damaged


def test_the_log_beside_an_emptied_ledger_stays(tmp_path):
    file, log = filled(tmp_path), tmp_path / f"{FILE}-wal"
    file.write_bytes(b"")
    log.write_bytes(b"frames")
    with pytest.raises(DamagedLedger):
        open_ledger(tmp_path)
    assert (file.read_bytes(), log.read_bytes()) == (b"", b"frames")


def killed(folder, name):
    """A process that stores an answer and is killed."""
    pid = os.fork()
    if pid == 0:
        open_ledger(folder).add([entry(name)])
        os._exit(0)  # nothing is closed
    os.waitpid(pid, 0)


@pytest.mark.parametrize("place", [*range(0, 100, 3)])
def test_a_damaged_header_beside_a_log_loses_no_answer_silently(tmp_path, place):
    filled(tmp_path, NAMES[:3])
    killed(tmp_path, "new")
    flip(tmp_path / FILE, place)
    keys = [key(name) for name in (*NAMES[:3], "new")]
    with suppress(LedgerError), open_ledger(tmp_path) as ledger:
        assert ledger.present(keys) == set(keys)


def test_a_ledger_that_is_only_read_keeps_what_is_added_in_memory(tmp_path):
    file = filled(tmp_path, ["a"])
    before = file.read_bytes()
    for folder, stored in ((tmp_path, ["a"]), (tmp_path / "none", [])):
        with Ledger(folder, read_only=True) as ledger:
            ledger.add([entry("b")])
            keys = [key(name) for name in (*stored, "b")]
            assert ledger.present([key("a"), key("b")]) == set(keys)
            assert [row["fingerprint"] for row in ledger.rows()] == keys
            assert ledger.paid_for("run") == (0, 0.0)
    assert file.read_bytes() == before
    assert not (tmp_path / "none").exists()


def test_a_backup_takes_the_place_of_what_the_command_in_the_message_moved(tmp_path):
    file, backup = filled(tmp_path / "a ledger", ["a"]), tmp_path / "backup"
    shutil.copy(file, backup)
    killed(file.parent, "new")
    assert Path(f"{file}-wal").stat().st_size
    file.write_bytes(GARBAGE)
    with pytest.raises(DamagedLedger) as refused:
        open_ledger(file.parent)
    command = str(refused.value).split("`")[1]
    subprocess.run(command, shell=True, check=True)
    shutil.copy(backup, file)
    with open_ledger(file.parent) as ledger:
        assert ledger.present([key("a"), key("new")]) == {key("a")}
