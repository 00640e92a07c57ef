"""Runs through the Batch API, against a server with real files and state over loopback."""

import json
from collections import Counter

import pytest

from graph_evaluator.generate.batch.journal import fingerprints_out
from graph_evaluator.generate.calls import callers
from graph_evaluator.generate.calls.booking import Budget
from tests.builders.batch_provider import UNREADABLE
from tests.builders.cases import cases

STEPS = ["POST /files", "POST /batches", "GET /batches/", "GET /files"]


def test_every_call_is_answered_whatever_the_lines_are(service, bench, monkeypatch):
    monkeypatch.setattr(callers, "LONGEST_BODY", 2_000)
    service.behave(noise=True)
    calls = bench.calls(20)
    assert bench.outcomes(calls) == ["answered"] * 20
    assert len(bench.answers) == 20
    for asked in calls:
        answer = bench.answers[asked.fingerprint]
        text = json.loads(answer.received or "")["output"][0]["content"][0]["text"]
        assert f'"said": "{asked.text}\u2028\u0085"' in text
        assert answer.measured.service_tier == "batch"
        assert answer.measured.latency_ms is None
        assert answer.measured.attempts == 1
        assert answer.measured.endpoint == service.url


def test_requests_that_failed_have_their_own_status(service, bench):
    calls = bench.calls(5)
    statuses = {0: 400, 2: 500, 4: 200}
    service.behave(fail={calls[place].fingerprint: code for place, code in statuses.items()})
    results = ["invalid_request", "answered", "server_error", "answered", "server_error"]
    assert bench.outcomes(calls) == results
    assert Counter(bench.events) == {"answered": 2, "failed": 3}


@pytest.mark.parametrize(
    ("end", "status"), [("expired", "timeout_failed"), ("cancelled", "server_error")]
)
def test_a_batch_that_ends_early_yields_what_was_finished(service, bench, end, status):
    service.behave(end=end, finished=2, garble={"GET /files": ["html"]})
    calls = bench.calls(5)
    assert bench.outcomes(calls) == ["answered"] * 2 + [status] * 3
    service.behave()
    assert bench.outcomes(calls[2:]) == ["answered"] * 3
    assert bench.again == 0


def test_calls_in_an_open_batch_are_collected_by_several_runs_and_not_submitted_again(
    service, bench
):
    service.behave(looks=3)
    calls = bench.calls(4)
    bench.stop_while_waiting(calls)
    assert bench.outcomes([*calls[:2], bench.call("another")]) == ["answered"] * 3
    assert bench.outcomes(calls[2:]) == ["answered"] * 2
    assert len(bench.answers) == 5
    assert service.most_submitted() == 1


def test_without_waiting_only_what_has_ended_is_collected_and_nothing_is_submitted(service, bench):
    service.behave(looks=9)
    calls = bench.calls(2)
    bench.stop_while_waiting(calls)
    failures = bench.faults(calls, wait=False)
    assert [failure.code for failure in failures.values()] == ["in_batch"] * 2
    service.behave(faults={"GET /batches/": [500]})
    for failure in bench.faults(calls, wait=False).values():
        assert failure.status == "server_error"
        assert "is not available: HTTP 500" in failure.message
    service.behave(text="no graph")
    following = bench.call("brief 0", draw=2)
    bench.further[calls[0].fingerprint] = following
    assert bench.outcomes(calls, wait=False) == ["answered"] * 2
    assert service.asked["POST /batches"] == 1


@pytest.mark.parametrize("garble", UNREADABLE)
@pytest.mark.parametrize("step", STEPS)
def test_a_reply_that_cannot_be_read_is_asked_for_again_and_nothing_is_submitted_twice(
    service, bench, step, garble
):
    calls = bench.calls(5)
    service.behave(garble={step: [garble] * 2}, fail={calls[1].fingerprint: 400})
    assert bench.outcomes(calls) == ["answered", "invalid_request"] + ["answered"] * 3
    assert service.most_submitted() == 1
    assert bench.again == 0


@cases(
    "counts, left_out, garbled",
    {
        "more than there are requests": ({"completed": 9}, [], []),
        "more failures than requests": ({"failed": 9}, [], ["cut", "html", "empty"]),
        "more than the files hold": ({}, [1], ["empty"]),
        "none, where a line is missing": ({"total": 0, "completed": 0}, [1], ["cut"]),
    },
)
def test_an_ended_batch_is_settled_by_its_files_whatever_it_counts(
    service, bench, counts, left_out, garbled
):
    calls = bench.calls(3)
    missing = [calls[number].fingerprint for number in left_out]
    service.behave(counts=counts, leave_out=missing, garble={"GET /files": garbled})
    began = bench.clock.now
    failures = bench.faults(calls)
    assert {key: failure.code for key, failure in failures.items()} == dict.fromkeys(
        missing, "batch_completed"
    )
    assert len(bench.answers) == 3 - len(missing)
    assert bench.clock.now - began < 300
    service.behave()
    others = [call for call in calls if call.fingerprint in missing]
    assert bench.outcomes(others) == ["answered"] * len(missing)
    assert service.asked["POST /batches"] == 1 + len(missing)


def test_a_file_that_stays_cut_is_given_up_for_this_run_and_read_by_a_later_one(service, bench):
    bench.settings = {"cell_timeout_s": 200}
    calls = bench.calls(3)
    service.behave(garble={"GET /files": ["cut"] * 99})
    assert {failure.code for failure in bench.faults(calls).values()} == {"cut_file"}
    service.behave()
    others = [entry for entry in calls if entry.fingerprint not in bench.answers]
    assert bench.outcomes(others) == ["answered"] * len(others)
    assert service.most_submitted() == 1


@pytest.mark.parametrize("garble", ["html", "unlisted"])
def test_a_batch_whose_creation_was_not_confirmed_is_looked_for_and_not_submitted_again(
    service, bench, garble
):
    bench.settings = {"batch_poll_s": 20}
    service.behave(garble={"POST /batches": ["lost"], "GET /batches": [garble]})
    assert bench.outcomes(bench.calls(3)) == ["answered"] * 3
    assert service.asked["POST /batches"] == 1


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_never_succeeds_is_given_up_when_the_time_of_a_cell_is_over(
    service, bench, step
):
    bench.settings = {"cell_timeout_s": 200}
    service.behave(faults={step: [500] * 99})
    assert bench.outcomes(bench.calls(2)) == ["server_error"] * 2
    service.behave()
    assert bench.outcomes(bench.calls(2)) == ["answered"] * 2
    assert bench.clock.now < 1_800_000_000 + 600


@cases(
    "refusal, status, words",
    {
        "a refused key": (401, "auth_failed", "KEY"),
        "an endpoint without batches": (404, "invalid_request", "injected 404"),
    },
)
def test_a_service_that_refuses_files_stops_the_calls_and_says_why(
    service, bench, refusal, status, words
):
    service.behave(faults={"POST /files": [refusal] * 9})
    failures = bench.faults(bench.calls(2) + bench.calls(2, model="n"))
    assert len(failures) == 4
    for failure in failures.values():
        assert failure.status == status
        assert words in failure.message
        assert "sk-canary" not in failure.message


def test_a_batch_that_has_no_room_in_the_queue_is_rate_limited_and_a_smaller_one_is_answered(
    service, bench
):
    service.behave(token_limit=3)
    assert bench.outcomes(bench.calls(4)) == ["rate_limited"] * 4
    assert bench.outcomes(bench.calls(3)) == ["answered"] * 3


@cases(
    "hours, fault, status, batches",
    {
        "unknown at first": (0, 404, "invalid_request", 1),
        "unknown for two days": (49, 404, "invalid_request", 2),
        "not available for two days": (49, 500, "server_error", 1),
    },
)
def test_only_a_batch_that_stays_unknown_to_the_service_is_given_up_after_two_days(
    service, bench, hours, fault, status, batches
):
    bench.settings = {"cell_timeout_s": 20}
    calls = bench.calls(2)
    bench.stop_while_waiting(calls)
    bench.clock.now += hours * 3600
    service.behave(faults={"GET /batches/": [fault] * 2})
    assert bench.outcomes(calls) == [status] * 2
    service.behave()
    assert bench.outcomes(calls) == ["answered"] * 2
    assert service.asked["POST /batches"] == batches


def test_the_budget_holds(bench):
    bench.budget = Budget(0.0025)
    results = ["answered", "answered", "budget_stopped", "budget_stopped"]
    assert bench.outcomes(bench.calls(4)) == results
    assert bench.budget.spent_usd("runtime.max_cost_usd") == pytest.approx(0.0005)
    assert fingerprints_out(bench.folder / "ledger") == set()


def test_what_was_reserved_for_a_request_that_failed_is_free_for_others(service, bench):
    bench.budget = Budget(0.02)
    failing, answered = bench.calls(2)
    service.behave(text="no graph", fail={failing.fingerprint: 400})
    bench.further[answered.fingerprint] = bench.call("brief 1", draw=2)
    assert bench.outcomes([failing, answered]) == ["invalid_request", "answered", "answered"]


def test_a_batch_that_the_service_refuses_says_why_and_repeats_no_key(service, bench):
    calls = bench.calls(2)
    bench.stop_while_waiting(calls)
    message = "Line 2 asks for no model of the key sk-canary-000000"
    errors = {"data": [{"code": "of_sk-canary-000000", "message": message}]}
    for batch in service.batches.values():
        batch |= {"status": "failed", "errors": errors}
    for failure in bench.faults(calls).values():
        assert (failure.status, failure.code) == ("invalid_request", "http_400")
        assert "Line 2 asks for no model of the key [key]" in failure.message
    assert service.asked["POST /batches"] == 1
