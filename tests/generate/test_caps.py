"""Caps hold for all processes that share a ledger, and for a month."""

import os
import time

import pytest

from graph_evaluator.generate.calls.booking import RUN, Budget
from graph_evaluator.generate.ledger.locks import Reservations, Reserved
from graph_evaluator.generate.ledger.store import Ledger
from tests.builders.provider import CountingServer
from tests.generate.calls.examples import call
from tests.generate.entries import entry
from tests.generate.forked import ended, fork
from tests.generate.workspace import Workspace, model

CALL_USD = 0.004
PRICING = {"input_per_1m": 0, "output_per_1m": 8, "source": "a test"}
NOW, LONG_AGO = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "2020-01-01T00:00:00Z"


def capped(folder, server, *, briefs=12, **runtime):
    """A project whose calls cost `CALL_USD` at most, and each answer that much."""
    config = model(url=server.url, params={"max_output_tokens": 500}, pricing=PRICING)
    runtime = {"warm_prompt_cache": False, "max_concurrency": 4, **runtime}
    return Workspace(folder, config, briefs=briefs, runtime=runtime)


def test_four_runs_at_once_keep_one_cap(tmp_path):
    with CountingServer(latency_s=0.1) as server:
        projects = [capped(tmp_path / str(n), server, max_cost_usd=0.03) for n in range(4)]
        for number, project in enumerate(projects):
            project.set(generate={"round": number + 1})
        shared = tmp_path / "ledger"
        with Ledger(shared):
            pass
        going_on = Reservations(shared / "budgets")  # so that all four are at the same time as it
        going_on.note(Reserved(RUN, 0))
        runs = [fork(project, GRAPH_EVALUATOR_LEDGER=str(shared)) for project in projects]
        assert {ended(run) for run in runs} <= {0, 1}
        going_on.close()
        assert server.calls.total() == 0.03 // CALL_USD
    assert [file for file in os.listdir(tmp_path / "ledger/budgets") if file != "gate"] == []


def test_a_month_has_a_cap_over_all_runs(server, tmp_path):
    project = capped(tmp_path, server, briefs=4, max_cost_usd_month=0.014)
    first = project.run()
    assert server.calls.total() == 3
    messages = [project.response(f"m/b{number}")["error_message"] for number in range(1, 5)]
    assert "of runtime.max_cost_usd_month ($0.0140) are spent" in "".join(filter(None, messages))
    left = "$0.00200 of runtime.max_cost_usd_month ($0.0140) are left"
    assert left in first.stderr
    assert left in project.run("--dry-run").stdout
    project.run()
    assert server.calls.total() == 3


@pytest.mark.parametrize("purpose", ["run", "settle:1"])
def test_every_purpose_counts_towards_a_month_until_it_is_over(tmp_path, purpose):
    with Ledger(tmp_path) as ledger:
        ledger.add([entry("a", arrived_at=NOW) | {"purpose": purpose, "booked_usd": 0.7}])
        ledger.add([entry("b", arrived_at=LONG_AGO) | {"purpose": purpose, "booked_usd": 0.7}])
        budget = Budget(None, "briefs:1", month_cap_usd=1.0)
        with budget.shared(ledger):
            assert budget.when_affordable(call(cost_upper_usd=0.2)) == "now"
            assert budget.when_affordable(call(cost_upper_usd=0.4)) == "never"


def test_what_another_process_has_reserved_comes_back_when_it_ends(tmp_path):
    with Ledger(tmp_path) as ledger:
        budget = Budget(1.0, "settle:1")
        with budget.shared(ledger):
            other = Reservations(tmp_path / "budgets")
            other.note(Reserved("settle:1", 0, 0.9))
            asked = call(cost_upper_usd=0.5)
            assert not budget.reserve(asked)
            assert budget.when_affordable(asked) == "later"
            other.close()
            assert budget.when_affordable(asked) == "now"
            assert budget.reserve(asked)
