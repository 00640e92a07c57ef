"""The ledger: the store of every answer that was ever paid for, by request fingerprint. Append-only, durable, shared.

One SQLite file in WAL mode, `.ledger/answers.sqlite3`, that several processes use at once. Reading is done here; writing in
`writer`, the agreement between runs in `claims`, what happens to a damaged file in `damage`. The whole file is looked through when
it is opened; where its `seal` says that nothing has touched it since the last time, only before an answer is added or paid for.
"""

import sqlite3
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from stages.contracts.errors import LedgerError
from stages.generate.call import Answer
from stages.generate.ledger.claims import Claims
from stages.generate.ledger.damage import set_aside, take_over
from stages.generate.ledger.file import FILE, INSERT, SELECT, Damaged, explained, look_through, open_file
from stages.generate.ledger.reserve import DiskReserve
from stages.generate.ledger.row import LedgerRow, answer_of, values_of
from stages.generate.ledger.seal import seal, sealed

if TYPE_CHECKING:
    from stages.generate.ledger.writer import LedgerWriter

_CHUNK = 500


class Ledger:
    """An open ledger; use it as a context.

    Args:
        folder: Where it lives; it is made when it is not there.
        say: Told, in one sentence, when answers of a damaged ledger were taken over.

    Raises:
        LedgerError: from here and from every method: it cannot be used as it is; the message says why and what to do.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        self._folder = folder
        self.file = folder / FILE
        self._writer: LedgerWriter | None = None
        self._looked_through = not sealed(self.file)
        try:
            self._connection = open_file(folder, check=self._looked_through)
        except Damaged as damage:
            self._give_up(damage)
        try:
            for name, count in take_over(self._connection, folder):
                say(f"took over {count} readable answer{'' if count == 1 else 's'} from the damaged ledger {name}")
        except sqlite3.Error as error:
            self._raise(error)

    def __enter__(self) -> "Ledger":
        """The ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is waiting to be written, and close."""
        if self._writer is not None:
            self._writer.close()
        self._connection.close()
        if error is None:
            seal(self.file)

    def present(self, fingerprints: Sequence[str]) -> frozenset[str]:
        """Which of these the ledger has an answer to."""
        found: set[str] = set()
        for row in self._select("SELECT fingerprint FROM answers", fingerprints):
            found.add(str(row[0]))
        return frozenset(found)

    def read(self, fingerprints: Sequence[str]) -> dict[str, Answer]:
        """The answers to these, where there are any."""
        return {answer.fingerprint: answer for answer, _ in self._answers(self._select(SELECT, fingerprints))}

    def requests(self) -> list[str]:
        """The canonical requests of all answers, oldest first."""
        return [str(row[0]) for row in self._rows("SELECT request FROM answers ORDER BY rowid", ())]

    def output_tokens(self, model: str, *, most: int = 500) -> list[tuple[str, int]]:
        """The canonical request and the output tokens of the last answers of a model, newest first."""
        query = (
            "SELECT request, output_tokens FROM answers "
            "WHERE model = ? AND output_tokens IS NOT NULL ORDER BY rowid DESC LIMIT ?"
        )
        return [(str(request), int(str(tokens))) for request, tokens in self._rows(query, (model, most))]

    def add(self, rows: Sequence[LedgerRow]) -> None:
        """Take in answers that others paid for; what is already there stays as it is."""
        self._look_through()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(INSERT, map(values_of, rows))
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._raise(error)

    def begin_writing(self) -> None:
        """Make ready for answers: fails before the first call when there is no room for them, or answers may be hidden."""
        self._look_through()
        reserve = DiskReserve(self._folder)
        reserve.take()
        if self._writer is None:
            from stages.generate.ledger.writer import LedgerWriter  # which loads asyncio

            try:
                self._writer = LedgerWriter(self._folder, self.file, reserve)
            except Damaged as damage:
                self._give_up(damage)

    async def put(self, row: LedgerRow) -> None:
        """Return when the answer is on disk; several that wait together share one commit."""
        if self._writer is None:
            raise LedgerError("begin_writing comes before put")
        await self._writer.put(row)

    def claims(self) -> Claims:
        """The claims of a new run."""
        return Claims(self._connection, self._folder, self.file, uuid.uuid4().hex)

    def _look_through(self) -> None:
        """Look through the whole file, if it was opened on the word of its seal."""
        if self._looked_through:
            return
        try:
            look_through(self._connection)
        except sqlite3.Error as error:
            self._raise(error)
        except Damaged as damage:
            self._give_up(damage)
        self._looked_through = True

    def _select(self, query: str, fingerprints: Sequence[str]) -> Iterator[tuple[object, ...]]:
        for start in range(0, len(fingerprints), _CHUNK):
            chunk = fingerprints[start : start + _CHUNK]
            yield from self._rows(f"{query} WHERE fingerprint IN ({', '.join('?' * len(chunk))})", chunk)

    def _rows(self, query: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(query, tuple(values)).fetchall()
        except sqlite3.Error as error:
            self._raise(error)

    def _answers(self, rows: Iterator[tuple[object, ...]]) -> Iterator[tuple[Answer, str]]:
        for row in rows:
            found = answer_of(row)
            if found is None:
                self._give_up(Damaged(f"the answer {str(row[0])[:12]} is not what was written"))
            yield found

    def _raise(self, error: sqlite3.Error) -> NoReturn:
        reason = explained(error, self.file)
        if isinstance(reason, Damaged):
            self._give_up(reason)
        raise reason from None

    def _give_up(self, damage: Damaged) -> NoReturn:
        if hasattr(self, "_connection"):
            self._connection.close()
        aside = set_aside(self._folder)
        raise LedgerError(
            f"the ledger {self.file} is damaged ({damage}); it is set aside as {aside.name}, nothing of it is deleted. "
            "The next run begins a new ledger and takes over every answer that can still be read; "
            "what it lacks it would pay for again"
        ) from None
