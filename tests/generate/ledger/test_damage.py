"""A damaged ledger is named and left as it is; what can be read of it is used, and replaces it only with consent."""

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from pathlib import Path

import pytest

from graph_evaluator.generate.ledger.rows import FILE
from graph_evaluator.records.errors import LedgerError
from tests.builders.cases import cases
from tests.generate.entries import entry, key, open_ledger
from tests.generate.forked import FORKED

ASIDE = "answers.damaged-1.sqlite3"
NAMES = [str(number) for number in range(60)]
KEYS = [key(name) for name in NAMES]
GARBAGE = b"not a database" * 1000


def filled(folder: Path, names: Collection[str] = NAMES) -> Path:
    with open_ledger(folder) as ledger:
        ledger.add([entry(name, "x" * 2_000) for name in names])
    return folder / FILE


def overwrite(file: Path, at: int, content: bytes) -> None:
    with file.open("r+b") as handle:
        handle.seek(at)
        handle.write(content)


def flip(file: Path, place: int, bits: int = 0x20) -> None:
    overwrite(file, place, bytes([file.read_bytes()[place] ^ bits]))


def alter(file: Path, name: str, assignment: str) -> None:
    """Change one row in a way that the ledger never would."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"UPDATE answers SET {assignment} WHERE fingerprint = ?", (key(name),))


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def overwrite_pages(file: Path) -> None:
    overwrite(file, file.stat().st_size // 2 // 4096 * 4096, b"\xff" * 4096 * 5)


def alter_fingerprint(file: Path) -> None:
    flip(file, file.read_bytes().index(key("7").encode()), 1)


def make_another_database(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE other (x)")


@cases(
    "damage, least_readable",
    {
        "cut in half": (cut, 20),
        "pages overwritten": (overwrite_pages, 40),
        "an altered answer": (lambda file: alter(file, "1", "body = 'forged'"), 59),
        "bytes that are no text": (
            lambda file: alter(file, "1", "body = cast(x'7bff7d' AS TEXT)"),
            59,
        ),
        "an altered fingerprint": (alter_fingerprint, 59),
        "no database": (lambda file: file.write_bytes(GARBAGE), 0),
        "emptied": (lambda file: file.write_bytes(b""), 0),
        "another database": (make_another_database, 0),
    },
)
def test_a_damaged_ledger_is_replaced_with_consent_only_and_its_bytes_stay(
    damage: Callable[[Path], object], least_readable: int, tmp_path: Path
) -> None:
    file = filled(tmp_path)
    damage(file)
    damaged = file.read_bytes()
    for _ in range(2):
        with open_ledger(tmp_path) as ledger:
            readable = ledger.present(KEYS)
            assert least_readable <= len(readable) < len(KEYS)
            assert str(file) in (ledger.damage or "")
            ledger.add([entry("new")])
            ledger.begin_calls(stored=False)
            with pytest.raises(LedgerError, match="GRAPH_EVALUATOR_PAY_AGAIN=1"):
                ledger.begin_calls()
        assert file.read_bytes() == damaged
    with open_ledger(tmp_path) as ledger:
        assert ledger.present(KEYS) == readable
        ledger.begin_calls(pay_again=True)
        ledger.add([entry("new")])
    assert (tmp_path / ASIDE).read_bytes() == damaged
    with open_ledger(tmp_path) as ledger:
        ledger.begin_calls()
        assert ledger.present([*KEYS, key("new")]) == readable | {key("new")}


def test_the_log_beside_an_emptied_ledger_stays(tmp_path: Path) -> None:
    file, log = filled(tmp_path), tmp_path / f"{FILE}-wal"
    file.write_bytes(b"")
    log.write_bytes(b"frames")
    with open_ledger(tmp_path) as ledger:
        assert ledger.present(KEYS) == set()
        assert ledger.damage
    assert (file.read_bytes(), log.read_bytes()) == (b"", b"frames")


def killed(folder: Path, name: str) -> None:
    """A process that stores an answer and is killed."""
    pid = os.fork()
    if pid == 0:
        open_ledger(folder).add([entry(name)])
        os._exit(0)  # nothing is closed
    os.waitpid(pid, 0)


def test_what_a_killed_process_stored_is_read_from_a_damaged_ledger_and_its_log_is_kept(
    tmp_path: Path,
) -> None:
    file = filled(tmp_path)
    killed(tmp_path, "new")
    log = Path(f"{file}-wal").read_bytes()
    alter_bytes = file.read_bytes().index(b"x" * 100)
    flip(file, alter_bytes)
    damaged = file.read_bytes()
    with open_ledger(tmp_path) as ledger:
        assert len(ledger.present([*KEYS, key("new")])) == len(KEYS)
    assert file.read_bytes() == damaged
    assert Path(f"{file}-wal").read_bytes() == log
    with open_ledger(tmp_path) as ledger:
        ledger.present(KEYS)
        ledger.begin_calls(pay_again=True)
        assert len(ledger.present([*KEYS, key("new")])) == len(KEYS)
    assert (tmp_path / ASIDE).read_bytes() == damaged
    assert (tmp_path / f"{ASIDE}-wal").read_bytes() == log


@pytest.mark.parametrize("place", [*range(0, 100, 3)])
def test_a_damaged_header_beside_a_log_loses_no_answer_silently(tmp_path: Path, place: int) -> None:
    filled(tmp_path, NAMES[:3])
    killed(tmp_path, "new")
    flip(tmp_path / FILE, place)
    asked = [*KEYS[:3], key("new")]
    with suppress(LedgerError), open_ledger(tmp_path) as ledger:
        assert ledger.damage is not None or ledger.present(asked) == set(asked)


def use(folder: Path, ready: Path) -> None:
    """Use a ledger until killed."""
    with open_ledger(folder):
        ready.touch()
        while True:
            os.sched_yield()


def test_a_damaged_ledger_that_another_process_uses_is_not_replaced(tmp_path: Path) -> None:
    file = filled(tmp_path)
    ready = tmp_path / "ready"
    other = FORKED.Process(target=use, args=(tmp_path, ready))
    other.start()
    try:
        while not ready.exists():
            os.sched_yield()
        file.write_bytes(GARBAGE)
        with open_ledger(tmp_path) as ledger:
            with pytest.raises(LedgerError, match="another process uses it"):
                ledger.begin_calls(pay_again=True)
            assert file.read_bytes() == GARBAGE
    finally:
        other.kill()
        other.join()
