"""Two runs over the same cells agree on who fetches what; a dead run holds nothing."""

import subprocess
import sys
from pathlib import Path

from stages.generate.ledger.store import Ledger
from tests.generate.entries import entry, key
from tests.generate.workspace import REPOSITORY

KEYS = [key("a"), key("b"), key("c")]

HOLD = """
import sys
from pathlib import Path
from stages.generate.ledger.store import Ledger
with Ledger(Path(sys.argv[1]), print) as ledger, ledger.claims() as claims:
    claims.take(sys.argv[2:])
    print("held", flush=True)
    sys.stdin.read()
"""


def silent(_text: str) -> None:
    """Nobody listens."""


def test_what_one_run_claims_another_does_not_get_until_it_is_given_back(tmp_path: Path) -> None:
    with (
        Ledger(tmp_path, silent) as one,
        Ledger(tmp_path, silent) as two,
        one.claims() as first,
        two.claims() as second,
    ):
        assert first.take(KEYS[:2]) == set(KEYS[:2])
        assert second.take(KEYS) == {KEYS[2]}
        first.give_back([KEYS[0]])
        assert second.take(KEYS) == {KEYS[0], KEYS[2]}


def test_what_has_an_answer_is_claimed_by_nobody(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger, ledger.claims() as claims:
        ledger.add([entry("a")])
        assert claims.take(KEYS) == set(KEYS[1:])


def test_a_run_that_ends_gives_everything_back(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger:
        with ledger.claims() as first:
            first.take(KEYS)
        with ledger.claims() as second:
            assert second.take(KEYS) == set(KEYS)


def test_a_killed_run_holds_nothing_and_a_living_one_does(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path), *KEYS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
    )
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    with Ledger(tmp_path, silent) as ledger, ledger.claims() as claims:
        assert claims.take(KEYS) == set()
        holder.kill()
        holder.wait()
        assert claims.take(KEYS) == set(KEYS)
    holder.stdin.close()
    holder.stdout.close()


def test_the_lock_of_a_run_that_was_killed_before_its_first_claim_is_removed(tmp_path: Path) -> None:
    with Ledger(tmp_path, silent) as ledger, ledger.claims() as living, ledger.claims() as claims:
        left = tmp_path / "runs" / "0123.lock"
        left.touch()
        claims.take(KEYS[:1])
        assert not left.exists()
        assert len(list((tmp_path / "runs").iterdir())) == 2
        assert living.take(KEYS) == set(KEYS[1:])
