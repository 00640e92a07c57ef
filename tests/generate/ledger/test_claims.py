"""Two processes over the same cells agree on who fetches what; a dead one holds nothing."""

from multiprocessing import Pipe

import pytest

from tests.generate.entries import entry, key, open_ledger
from tests.generate.forked import FORKED

KEYS = [key("a"), key("b"), key("c")]


def serve(folder, connection):
    """What the other process does."""
    with open_ledger(folder) as ledger, ledger.claims() as claims:
        while True:
            action, keys = connection.recv()
            connection.send(getattr(claims, action)(keys))


class Other:
    """Another process with claims on the same ledger."""

    def __init__(self, folder):
        self._connection, theirs = Pipe()
        self.process = FORKED.Process(target=serve, args=(folder, theirs))
        self.process.start()

    def ask(self, action, *keys):
        self._connection.send((action, keys))
        return self._connection.recv()

    def kill(self):
        self.process.kill()
        self.process.join()


@pytest.fixture
def other(tmp_path):
    other = Other(tmp_path)
    yield other
    other.kill()


def test_what_one_run_claims_another_does_not_get_until_it_is_given_back(tmp_path, other):
    with open_ledger(tmp_path) as ledger, ledger.claims() as claims:
        assert other.ask("take", *KEYS[:2]) == set(KEYS[:2])
        assert claims.take(KEYS) == {KEYS[2]}
        other.ask("give_back", KEYS[0])
        assert claims.take(KEYS) == {KEYS[0], KEYS[2]}
        assert other.ask("take", *KEYS) == {KEYS[1]}
    assert other.ask("take", *KEYS) == set(KEYS)


def test_a_killed_run_holds_nothing_and_what_has_an_answer_is_claimed_by_nobody(tmp_path, other):
    assert other.ask("take", *KEYS) == set(KEYS)
    with open_ledger(tmp_path) as ledger, ledger.claims() as claims:
        assert claims.take(KEYS) == set()
        other.kill()
        ledger.add([entry("a")])
        assert claims.take(KEYS) == set(KEYS[1:])
