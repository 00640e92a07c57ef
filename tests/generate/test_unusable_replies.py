"""A reply that was probably paid for and cannot be used costs little, is kept and counted, and is not paid for again unasked."""

import json
import sqlite3
import time
from contextlib import closing

from graph_evaluator.generate.fetching import PAY_AGAIN
from graph_evaluator.generate.ledger.rows import FILE
from tests.builders.cases import cases
from tests.builders.faulty_replies import WHOLE
from tests.builders.provider import answer_body
from tests.generate.workspace import Workspace, model

SLOW_S = 1.0
USAGE = {"prompt_tokens": 500_000, "completion_tokens": 0}
BILLED = json.dumps({"choices": [], "usage": USAGE}).encode()


def slow(brief, nth):
    """An answer after the deadline of the call."""
    time.sleep(SLOW_S)
    return 200, answer_body()


def kept(workspace):
    """The bodies of the ledger's rows, and what is booked for them."""
    with closing(sqlite3.connect(workspace.folder / ".ledger" / FILE)) as connection:
        rows = connection.execute("SELECT body, booked_usd FROM answers ORDER BY rowid")
        return [(json.loads(body), usd) for body, usd in rows]


@cases(
    "content, arrived, sum_of_run",
    {
        "JSON and an event": (WHOLE + b"\n\ndata: {}", '"data: {}"', "for $0.0120"),
        "no choices": (BILLED, "no choices", "for $2.00"),
        "a page": (b"<title>Sign in</title>", "Sign in", "(2 at an unknown price)"),
        "an answer after the deadline": (None, "no complete answer within", "(2 at"),
    },
)
def test_an_unusable_reply_is_called_for_twice_kept_and_not_paid_for_again_unasked(
    server, workspace, content, arrived, sum_of_run
):
    server.answering = slow if content is None else lambda _brief, _nth: (200, content)
    timeout_s = SLOW_S / 2 if content is None else 30.0
    workspace.set(briefs=["b1"], runtime={"timeout_s": timeout_s})
    first = workspace.run()
    assert (first.returncode, server.calls.total()) == (1, 2)
    assert arrived in first.stderr
    assert f"none was fetched; 2 replies paid for but unusable {sum_of_run}" in first.stderr
    failures = kept(workspace)
    assert [failure["received"] for failure, _ in failures] == [(content or b"").decode()] * 2
    assert all(usd > 0 for _, usd in failures)
    assert workspace.response("m/b1")["status"] in ("server_error", "timeout_failed")

    second = workspace.run()
    assert (second.returncode, server.calls.total()) == (1, 2)
    assert "1 call is not made: " in second.stderr
    forecast = " ".join(workspace.run("--dry-run").stdout.split())
    assert f"{PAY_AGAIN}=1 in the environment calls again" in forecast
    assert "1 answer: 0 stored; nothing to call" in forecast

    server.answering = lambda _brief, _nth: (200, answer_body())
    third = workspace.run(GRAPH_EVALUATOR_PAY_AGAIN="1")
    assert (third.returncode, server.calls.total()) == (0, 3)
    assert workspace.run().returncode == 0
    assert server.calls.total() == 3


def test_the_calls_and_the_known_cost_of_unusable_replies_are_in_what_was_spent(server, workspace):
    server.script["brief 1"] = [(200, BILLED), (200, answer_body())]
    server.script["brief 2"] = [(200, b"<p>"), (200, answer_body())]
    workspace.run()
    total = workspace.run("--spent", COLUMNS="200").stdout.splitlines()
    (line,) = [row for row in total if "all" in row.split()]
    assert [word for word in line.split() if word not in "│|"][-5:] == [
        "5",
        "503,000",
        "1,500",
        "1",
        "$1.02",
    ]
    assert workspace.run().returncode == 0
    assert server.calls.total() == 5


def test_what_unusable_replies_cost_counts_towards_the_cap(server, workspace):
    server.answering = lambda _brief, _nth: (200, BILLED)
    workspace.set(runtime={"max_cost_usd": 1.9, "warm_prompt_cache": False, "max_concurrency": 1})
    done = workspace.run()
    assert server.calls.total() == 1
    assert "$1.00 of runtime.max_cost_usd ($1.90) are spent" in done.stderr


def test_a_free_call_is_simply_made_again(server, workspace):
    free = model(url=server.url, pricing={"input_per_1m": 0, "output_per_1m": 0, "source": "free"})
    workspace.write("models/m.json", json.dumps(free))
    server.answering = lambda _brief, nth: (200, b"<p>" if nth <= 2 else answer_body())
    assert workspace.run().returncode == 1
    assert workspace.run().returncode == 0
    assert server.calls.total() == 9


def test_a_model_whose_replies_are_all_unusable_is_given_up_after_a_few_cells(
    server, tmp_path_factory
):
    many = Workspace(tmp_path_factory.mktemp("p"), model(url=server.url), briefs=30)
    many.set(runtime={"max_concurrency": 1, "warm_prompt_cache": False})
    server.answering = lambda _brief, _nth: (200, b"data: [DONE]")
    assert many.run().returncode == 1
    assert server.calls.total() <= 12
