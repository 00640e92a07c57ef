"""Runs through the Batch API, against a server with real files and state over loopback."""

import asyncio
import functools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from stages.generate.batch import collect
from stages.generate.batch.client import Batch, BatchClient
from stages.generate.batch.journal import BatchJournal, State
from stages.generate.batch.submit import parts_of
from stages.generate.calls import sdk
from stages.generate.calls.budget import Budget
from stages.generate.plan.call import Call
from stages.generate.plan.endpoint import Endpoint
from tests.builders.cases import cases
from tests.generate.batch_calls import Bench, call
from tests.generate.batch_server import GARBLED, BatchServer


class Site:
    """A running server: its folder, its address, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.server = BatchServer(folder)

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(provider="openai", url=self.server.url, key_env="KEY")

    def calls(self, count: int, **changes: Any) -> list[Call]:
        return [call(number, self.endpoint, **changes) for number in range(count)]

    def behave(self, **behaviour: Any) -> None:
        (self.folder / "behaviour.json").write_text(json.dumps(behaviour))

    def asked(self) -> Counter[str]:
        log = self.folder / "requests.log"
        return Counter(log.read_text().split("\n")[:-1]) if log.exists() else Counter()

    def submitted(self) -> Counter[str]:
        """How often each request is in the input of a batch."""
        found: Counter[str] = Counter()
        for file in (self.folder / "batches").glob("*.json"):
            batch = json.loads(file.read_text())
            lines = (self.folder / "files" / batch["input_file_id"]).read_bytes().splitlines()
            found.update(json.loads(line)["custom_id"] for line in lines)
        return found


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "server")
    with site.server:
        yield site


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def outcomes(bench: Bench, calls: list[Call], **options: Any) -> list[str]:
    """How each call of a run ended."""
    return list(asyncio.run(bench.run(calls, **options)).values())


def test_every_call_is_answered_whatever_the_order_of_the_lines(site: Site, bench: Bench) -> None:
    calls = site.calls(20)
    results = asyncio.run(bench.run(calls))
    assert list(results) == [entry.fingerprint for entry in calls]
    assert list(results.values()) == ["answered"] * 20
    for entry in calls:
        body = json.loads(bench.shelf.answers[entry.fingerprint].content.body)
        assert (
            f'"said": "{entry.turns[0].text}\u2028\u0085"'
            in body["output"][0]["content"][0]["text"]
        )


def test_answers_say_that_they_come_out_of_a_batch(site: Site, bench: Bench) -> None:
    asyncio.run(bench.run(site.calls(1)))
    (answer,) = bench.shelf.answers.values()
    assert (answer.source, answer.latency_ms, answer.attempts, answer.endpoint) == (
        "batch",
        None,
        1,
        site.server.url,
    )


def test_chat_completions_go_in_batches_too(site: Site, bench: Bench) -> None:
    endpoint = Endpoint(
        provider="openai", api="chat_completions", url=site.server.url, key_env="KEY"
    )
    assert outcomes(bench, [call(number, endpoint) for number in range(3)]) == ["answered"] * 3


def test_models_and_limits_split_the_calls_into_batches(
    site: Site, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "parts_of", functools.partial(parts_of, most_requests=2))
    calls = site.calls(5) + site.calls(2, model="n")
    results = outcomes(bench, calls)
    assert (results, site.asked()["POST /batches"]) == (["answered"] * 7, 4)


def test_unknown_repeated_and_broken_lines_change_nothing(site: Site, bench: Bench) -> None:
    site.behave(noise=True)
    assert outcomes(bench, site.calls(3)) == ["answered"] * 3
    assert len(bench.shelf.answers) == 3
    assert [text.partition(": ")[2] for text in bench.said if "cannot" in text] == [
        "1 of its lines cannot be read"
    ]


def test_a_file_of_answers_may_be_longer_than_an_answer(
    site: Site, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sdk, "LONGEST_BODY", 2_000)
    assert outcomes(bench, site.calls(20)) == ["answered"] * 20


def test_requests_that_failed_have_their_own_status(site: Site, bench: Bench) -> None:
    calls = site.calls(4)
    site.behave(fail={calls[0].fingerprint: 400, calls[2].fingerprint: 500})
    results = outcomes(bench, calls)
    assert results == ["invalid_request", "answered", "server_error", "answered"]


@pytest.mark.parametrize(
    ("end", "status"), [("expired", "timeout_failed"), ("cancelled", "server_error")]
)
def test_a_batch_that_ends_early_yields_what_was_finished(
    site: Site, bench: Bench, end: str, status: str
) -> None:
    site.behave(end=end, finished=2)
    calls = site.calls(5)
    results = outcomes(bench, calls)
    assert results == ["answered", "answered", status, status, status]
    site.behave()
    rest = calls[2:]
    assert outcomes(bench, rest) == ["answered"] * 3
    assert bench.shelf.again == 0


def test_the_wait_looks_again_until_the_end(site: Site, bench: Bench) -> None:
    site.behave(looks=5)
    began = bench.clock.now
    asyncio.run(bench.run(site.calls(1)))
    assert [text.partition(": ")[2].partition(",")[0] for text in bench.said] == [
        "in_progress",
        "completed",
    ]
    assert bench.clock.now - began == 5 * 30.0


def test_a_second_run_submits_nothing_for_calls_in_an_open_batch(site: Site, bench: Bench) -> None:
    site.behave(looks=3)
    calls = site.calls(3)
    asyncio.run(stopped_while_waiting(bench, calls))
    results = outcomes(bench, [*calls, call(9, site.endpoint)])
    assert (results, max(site.submitted().values())) == (["answered"] * 4, 1)


async def stopped_while_waiting(bench: Bench, calls: list[Call]) -> None:
    bench.clock.stopped = True
    task = asyncio.create_task(bench.run(calls))
    await bench.clock.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    bench.clock.stopped = False


def test_a_stop_speaks_of_submitted_batches_only_when_there_may_be_one(
    site: Site, bench: Bench
) -> None:
    async def stop_during(step: str) -> list[str]:
        site.behave(stall={step: [0]})
        task = asyncio.create_task(bench.run(site.calls(1)))
        while not site.asked()[step]:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        return [said for said in bench.said if "continue at the service" in said]

    assert (
        asyncio.run(stop_during("POST /files")),
        len(asyncio.run(stop_during("POST /batches"))),
    ) == ([], 1)


def test_calls_of_other_runs_in_the_same_batch_can_still_be_collected(
    site: Site, bench: Bench
) -> None:
    site.behave(looks=2)
    calls = site.calls(4)
    asyncio.run(stopped_while_waiting(bench, calls))
    assert outcomes(bench, calls[:2]) == ["answered"] * 2
    assert outcomes(bench, calls[2:]) == ["answered"] * 2
    assert (len(bench.shelf.answers), max(site.submitted().values())) == (4, 1)


def test_without_waiting_only_what_has_ended_is_collected_and_nothing_is_submitted(
    site: Site, bench: Bench
) -> None:
    site.behave(looks=2)
    calls = site.calls(2)
    asyncio.run(stopped_while_waiting(bench, calls))
    site.behave(looks=9)
    failures = asyncio.run(bench.failures(calls, wait=False))
    assert [failure.code for failure in failures.values()] == ["in_batch"] * 2
    site.behave(looks=1)
    assert outcomes(bench, calls, wait=False) == ["answered"] * 2


@cases(
    "faults",
    {
        "sending the file": {"POST /files": [500, 0, 429]},
        "creating the batch": {"POST /batches": [503, 0, 429]},
        "looking": {"GET /batches/": [500, 0, 503, 429]},
        "fetching": {"GET /files": [500, 0, 503]},
    },
)
def test_faults_on_the_way_are_survived(
    site: Site, bench: Bench, faults: dict[str, list[int]]
) -> None:
    site.behave(faults=faults)
    results = outcomes(bench, site.calls(3))
    assert (results, max(site.submitted().values())) == (["answered"] * 3, 1)


@pytest.mark.parametrize("garble", sorted(GARBLED))
@pytest.mark.parametrize("step", ["POST /files", "POST /batches", "GET /batches/", "GET /files"])
def test_a_reply_that_cannot_be_read_is_asked_for_again_and_nothing_is_submitted_twice(
    site: Site, bench: Bench, step: str, garble: str
) -> None:
    calls = site.calls(5)
    site.behave(garble={step: [garble] * 2}, fail={calls[1].fingerprint: 400})
    results = outcomes(bench, calls)
    answered, failed = ["answered"], ["invalid_request"]
    assert results == answered + failed + answered * 3
    assert (max(site.submitted().values()), bench.shelf.again) == (1, 0)


@pytest.mark.parametrize("garble", sorted(GARBLED))
def test_an_unreadable_list_does_not_say_that_there_is_no_batch(
    site: Site, bench: Bench, garble: str
) -> None:
    site.behave(lose_replies={"POST /batches": [0]}, garble={"GET /batches": [garble] * 3})
    results = outcomes(bench, site.calls(3))
    assert (results, site.asked()["POST /batches"]) == (["answered"] * 3, 1)


def test_a_page_in_place_of_the_answers_of_an_expired_batch_is_fetched_again(
    site: Site, bench: Bench
) -> None:
    site.behave(end="expired", finished=2, garble={"GET /files": ["html"]})
    results = outcomes(bench, site.calls(5))
    assert results == ["answered"] * 2 + ["timeout_failed"] * 3


def test_a_file_that_stays_cut_is_given_up_for_this_run_and_read_by_a_later_one(
    site: Site, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, cell_timeout_s=200)
    calls = site.calls(3)
    site.behave(garble={"GET /files": ["cut"] * 99})
    failures = asyncio.run(bench.failures(calls))
    assert {failure.code for failure in failures.values()} == {"cut_file"}
    site.behave()
    others = [entry for entry in calls if entry.fingerprint not in bench.shelf.answers]
    assert outcomes(bench, others) == ["answered"] * len(others)
    assert max(site.submitted().values()) == 1


def test_a_wait_that_the_service_asks_for_is_kept(site: Site, bench: Bench) -> None:
    site.behave(faults={"GET /batches/": [429]}, retry_after="50")
    began = bench.clock.now
    assert outcomes(bench, site.calls(1)) == ["answered"]
    assert (bench.clock.now - began, site.asked()["GET /batches/batch_1"]) == (3 * 30.0, 2)


def test_a_clock_that_was_set_back_does_not_make_a_batch_wait(site: Site, bench: Bench) -> None:
    calls = site.calls(2)
    site.behave(stall={"POST /batches": [0]}, finished=0)
    asyncio.run(stopped_during_creation(site, bench, calls))
    for file in (site.folder / "batches").glob("*.json"):
        file.unlink()
    site.behave()
    bench.clock.now -= 30 * 86_400
    began = bench.clock.now
    assert outcomes(bench, calls) == ["answered"] * 2
    assert bench.clock.now - began < 120


async def stopped_during_creation(site: Site, bench: Bench, calls: list[Call]) -> None:
    task = asyncio.create_task(bench.run(calls))
    while not site.asked()["POST /batches"]:
        await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.wait([task])


@pytest.mark.parametrize("step", ["POST /files", "POST /batches", "GET /batches/", "GET /files"])
def test_a_step_that_never_succeeds_is_given_up_when_the_time_of_a_cell_is_over(
    site: Site, tmp_path: Path, step: str
) -> None:
    bench = Bench(tmp_path, cell_timeout_s=200)
    site.behave(faults={step: [500] * 99})
    assert outcomes(bench, site.calls(2)) == ["server_error"] * 2
    site.behave()
    assert outcomes(bench, site.calls(2)) == ["answered"] * 2
    assert bench.clock.now < 1_800_000_000 + 600


def test_a_creation_that_fails_several_times_uploads_the_file_once(
    site: Site, bench: Bench
) -> None:
    site.behave(faults={"POST /batches": [500, 429, 500]})
    results = outcomes(bench, site.calls(3))
    assert (results, site.asked()["POST /files"], site.asked()["POST /batches"]) == (
        ["answered"] * 3,
        1,
        4,
    )


def test_without_waiting_a_batch_whose_state_is_not_available_says_why(
    site: Site, bench: Bench
) -> None:
    site.behave(looks=9)
    calls = site.calls(1)
    asyncio.run(stopped_while_waiting(bench, calls))
    site.behave(faults={"GET /batches/": [500]})
    (failure,) = asyncio.run(bench.failures(calls, wait=False)).values()
    assert (failure.status, "is not available: HTTP 500" in failure.message) == (
        "server_error",
        True,
    ), failure.message


def test_a_creation_whose_reply_is_lost_is_found_and_not_repeated(site: Site, bench: Bench) -> None:
    site.behave(lose_replies={"POST /batches": [0]})
    results = outcomes(bench, site.calls(3))
    assert (results, site.asked()["POST /batches"]) == (["answered"] * 3, 1)


@cases(
    "step, created",
    {
        "before creating": ("uploaded", 0),
        "after creating": ("submitted", 1),
    },
)
def test_a_run_that_died_between_two_steps_is_continued(
    site: Site, bench: Bench, step: str, created: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = BatchJournal.note

    def dies(journal: BatchJournal, key: str, state: State, **noted: Any) -> None:
        if state == step:
            raise KeyboardInterrupt
        note(journal, key, state, **noted)

    calls = site.calls(3)
    with monkeypatch.context() as patch:
        patch.setattr(BatchJournal, "note", dies)
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(bench.run(calls))
    assert site.asked()["POST /batches"] == created
    assert outcomes(bench, calls) == ["answered"] * 3
    assert max(site.submitted().values()) == 1


def test_a_refused_key_stops_its_calls_at_once(site: Site, bench: Bench) -> None:
    site.behave(faults={"POST /files": [401] * 9})
    calls = site.calls(2) + site.calls(2, model="n")
    failures = asyncio.run(bench.failures(calls))
    assert [failure.status for failure in failures.values()] == ["auth_failed"] * 4
    assert site.asked()["POST /files"] == 1
    assert "sk-canary" not in str(failures)


def test_an_endpoint_without_batches_is_reported(site: Site, bench: Bench) -> None:
    site.behave(faults={"POST /files": [404] * 9})
    failures = asyncio.run(bench.failures(site.calls(2)))
    assert [failure.status for failure in failures.values()] == ["invalid_request"] * 2
    assert all("runtime.mode" in failure.message for failure in failures.values())


def test_batches_that_are_too_large_for_the_queue_are_submitted_in_smaller_ones(
    site: Site, bench: Bench
) -> None:
    site.behave(token_limit=3)
    results = outcomes(bench, site.calls(10))
    assert (results, len(bench.shelf.answers), bench.shelf.again) == (
        ["answered"] * 10,
        10,
        0,
    )


def test_a_single_call_that_is_too_large_for_the_queue_is_given_up(
    site: Site, bench: Bench
) -> None:
    site.behave(token_limit=0)
    assert outcomes(bench, site.calls(3)) == ["rate_limited"] * 3


def test_a_batch_that_the_service_does_not_know_is_not_submitted_again(
    site: Site, bench: Bench
) -> None:
    site.behave(looks=9)
    calls = site.calls(2)
    asyncio.run(stopped_while_waiting(bench, calls))
    site.behave(faults={"GET /batches/": [404] * 9})
    assert outcomes(bench, calls) == ["invalid_request"] * 2
    site.behave()
    assert outcomes(bench, calls) == ["answered"] * 2
    assert max(site.submitted().values()) == 1


def test_a_batch_that_stays_unknown_for_two_days_is_given_up(site: Site, bench: Bench) -> None:
    site.behave(looks=9)
    calls = site.calls(1)
    asyncio.run(stopped_while_waiting(bench, calls))
    site.behave(faults={"GET /batches/": [404]})
    bench.clock.now += 49 * 3600
    assert outcomes(bench, calls) == ["invalid_request"]
    assert outcomes(bench, calls) == ["answered"]


def test_the_budget_holds(site: Site, bench: Bench) -> None:
    bench.budget = Budget(0.05)
    results = outcomes(bench, site.calls(4))
    assert results == ["answered", "answered", "budget_stopped", "budget_stopped"]
    assert bench.budget.spent_usd == pytest.approx(0.0006)


def test_an_answer_that_asks_for_a_further_draw_gets_it(site: Site, bench: Bench) -> None:
    first, second = call(1, site.endpoint), call(1, site.endpoint, draw=2)
    bench.shelf.further[first.fingerprint] = second
    results = asyncio.run(bench.run([first]))
    assert results == {first.fingerprint: "answered", second.fingerprint: "answered"}


def test_everything_that_happens_is_an_event(site: Site, bench: Bench) -> None:
    calls = site.calls(2)
    site.behave(fail={calls[1].fingerprint: 400})
    asyncio.run(bench.run(calls))
    assert Counter(event.kind for event in bench.events) == {"answered": 1, "failed": 1}


def test_without_waiting_a_further_draw_is_left_to_others(site: Site, bench: Bench) -> None:
    first, second = call(1, site.endpoint), call(1, site.endpoint, draw=2)
    site.behave(looks=2)
    asyncio.run(stopped_while_waiting(bench, [first]))
    bench.shelf.further[first.fingerprint] = second
    results = asyncio.run(bench.run([first], wait=False))
    assert (list(results), site.asked()["POST /batches"]) == ([first.fingerprint], 1)


def test_without_waiting_a_batch_that_found_no_room_is_not_submitted_again(
    site: Site, bench: Bench
) -> None:
    site.behave(token_limit=1)
    calls = site.calls(2)
    asyncio.run(stopped_before_looking(bench, calls))
    assert outcomes(bench, calls, wait=False) == ["rate_limited"] * 2
    assert site.asked()["POST /batches"] == 1


async def stopped_before_looking(bench: Bench, calls: list[Call]) -> None:
    async def stop(_client: BatchClient, _batch_id: str) -> Batch:
        raise asyncio.CancelledError

    with mock.patch.object(BatchClient, "state", stop), pytest.raises(asyncio.CancelledError):
        await bench.run(calls)
