"""Whether gains in quality hold: the head is called on briefs with `purpose: reliability`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stages.compare.pairing import Pairing, pair
from stages.settle.looks import take_look
from tests.builders.provider import answer_body
from tests.compare.cards import card
from tests.generate.workspace import model
from tests.settle.designs import design
from tests.settle.settling import (
    BAD,
    PRICE,
    PROMPTS,
    SettleWorkspace,
    better_graphs,
    clearly_better,
    counting,
    settling,
)

LOOKS = (*PROMPTS, "--max-usd", "9", "--looks", "1,2")
NEEDED = 8
"""Answers that exclude the share of failures that would undo the gain of `better_graphs`."""


def failing_one(name: str, nth: int) -> tuple[int, bytes]:
    return (200, answer_body(BAD)) if name == "new reliability 3" else better_graphs(name, nth)


def test_better_graphs_and_usable_answers_to_new_briefs_are_better_overall(tmp_path: Path) -> None:
    with settling(tmp_path, better_graphs, NEEDED + 1) as (server, workspace):
        done = workspace.settle(*LOOKS, "--reliability")
        first = (tmp_path / "results/settle.json").read_bytes()
        again = workspace.settle(*LOOKS, "--reliability")
    assert (done.returncode, again.returncode) == (0, 0), done.stderr
    asked = [name for name in server.calls if "reliability" in name]
    assert sorted(asked) == [f"new reliability {number}" for number in range(1, NEEDED + 1)]
    assert set(server.calls.values()) == {1}
    settlement = workspace.settlement()
    assert (settlement["verdict"], settlement["calls"]) == ("better", 16 + NEEDED)
    assert settlement["looks"][0]["verdict"] == "better where usable"
    assert settlement["looks"][0]["answers_to_exclude"] == NEEDED
    check = settlement["reliability"]
    assert (check["planned"], check["answered"], check["failed"]) == (NEEDED, NEEDED, [])
    assert "100% (8/8) of the answers to new briefs are usable" in done.stdout
    assert (tmp_path / "results/settle.json").read_bytes() == first


def test_one_failure_leaves_it_better_where_usable_with_the_interval_of_failures(
    tmp_path: Path,
) -> None:
    with settling(tmp_path, failing_one, NEEDED) as (server, workspace):
        done = workspace.settle(*LOOKS, "--reliability")
    assert done.returncode == 3
    assert sum(server.calls.values()) == 16 + NEEDED
    check = workspace.settlement()["reliability"]
    assert (check["answered"], check["failed"]) == (NEEDED, ["r3"])
    assert check["low"] < 1 / 8 < check["undoing_share"] < check["high"]
    assert "88% (7/8) of the answers to new briefs are usable, so that 1% to 45%" in done.stdout


def test_a_failure_of_one_of_the_models_counts(tmp_path: Path) -> None:
    def failing_model(name: str, nth: int) -> tuple[int, bytes]:
        if name == "new reliability 3" and nth == 2:
            return 200, answer_body(BAD)
        return better_graphs(name, nth)

    with counting(failing_model) as server:
        bounded = {"max_output_tokens": 1000}
        models = [model(name, url=server.url, params=bounded) for name in ("a", "b")]
        workspace = SettleWorkspace(tmp_path, None, *models)
        workspace.add_reliability_briefs(NEEDED)
        workspace.settle(*LOOKS, "--reliability")
    assert sum(server.calls.values()) == 2 * (16 + NEEDED)
    check = workspace.settlement()["reliability"]
    assert (check["answered"], check["failed"]) == (NEEDED, ["r3"])


def test_it_is_asked_for_and_a_settlement_without_it_keeps_its_verdict(tmp_path: Path) -> None:
    with settling(tmp_path, better_graphs, NEEDED) as (server, workspace):
        without = workspace.settle(*LOOKS)
        assert sum(server.calls.values()) == 16
        done = workspace.settle(*LOOKS, "--reliability")
        settled = workspace.settlement()
        again = workspace.settle(*LOOKS)
    assert (without.returncode, done.returncode, again.returncode) == (3, 0, 0)
    assert "8 answers to new briefs without a failure would exclude that" in without.stdout
    hint = "--reliability counts usable answers to 8 briefs with purpose: reliability"
    assert f"{hint} (briefs/ has 8)." in without.stdout
    assert hint not in done.stdout
    assert sum(server.calls.values()) == settled["calls"] == 16 + NEEDED
    assert workspace.settlement() == settled


def test_briefs_added_to_too_few_complete_the_planned_number(tmp_path: Path) -> None:
    with settling(tmp_path, better_graphs, NEEDED - 1) as (server, workspace):
        too_few = workspace.settle(*LOOKS, "--reliability")
        workspace.add_reliability_briefs(NEEDED)
        done = workspace.settle(*LOOKS, "--reliability")
    assert (too_few.returncode, done.returncode) == (3, 0)
    assert "8 usable answers would exclude that" in too_few.stdout
    assert set(server.calls.values()) == {1}


def test_a_cap_that_ends_it_is_kept_to_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with settling(tmp_path, better_graphs, NEEDED, runtime={"max_concurrency": 2}) as (
        server,
        workspace,
    ):
        cap = (16 + 4) * PRICE + 0.005
        capped = workspace.settle(
            *PROMPTS, "--max-usd", f"{cap}", "--looks", "1,2", "--reliability"
        )
        calls = sum(server.calls.values())
        stopped = workspace.settlement()
        done = workspace.settle(*LOOKS, "--reliability")
    assert (capped.returncode, done.returncode) == (3, 0)
    assert 16 < calls <= 20
    assert stopped["usd"] <= cap
    assert stopped["reliability"]["answered"] == calls - 16
    assert "not all were called" in stopped["reason"]
    assert set(server.calls.values()) == {1}


def test_nothing_is_counted_where_the_expected_score_is_clear(tmp_path: Path) -> None:
    with settling(tmp_path, clearly_better, 3) as (server, workspace):
        planned = workspace.settle(*LOOKS, "--reliability", "--dry-run")
        done = workspace.settle(*LOOKS, "--reliability")
    assert "--reliability adds at most 3 calls" in planned.stdout
    assert done.returncode == 0
    assert not [name for name in server.calls if "reliability" in name]
    assert workspace.settlement()["reliability"] is None


@pytest.mark.parametrize("briefs", [0, 1], ids=["no brief", "a mistake in one"])
def test_what_it_lacks_is_reported_before_anything_is_called(tmp_path: Path, briefs: int) -> None:
    with settling(tmp_path, better_graphs) as (server, workspace):
        message = "--reliability: no brief in briefs/ has purpose: reliability"
        if briefs:
            workspace.write("briefs/r1.md", "---\npurpose: reliability\noptions: []\n---\nx\n")
            message = "briefs/r1.md: options: is not allowed with purpose: reliability"
        done = workspace.settle(*LOOKS, "--reliability")
    assert done.returncode == 2
    assert message in done.stderr
    assert not server.calls


def remove_failing_brief(workspace: SettleWorkspace) -> None:
    (workspace.folder / "briefs/r3.md").unlink()


def reword_failing_brief(workspace: SettleWorkspace) -> None:
    workspace.write("briefs/r3.md", "---\npurpose: reliability\n---\nreliability 5\n")


@pytest.mark.parametrize(
    "change", [remove_failing_brief, reword_failing_brief], ids=["removed", "changed"]
)
def test_a_failed_check_is_not_repeated_with_other_briefs(
    tmp_path: Path, change: Callable[[SettleWorkspace], None]
) -> None:
    with settling(tmp_path, failing_one, NEEDED + 1) as (server, workspace):
        workspace.settle(*LOOKS, "--reliability")
        before = workspace.settlement()
        change(workspace)
        refused = workspace.settle(*LOOKS, "--reliability")
        without = workspace.settle(*LOOKS)
    assert refused.returncode == 2
    assert "was planned with briefs/r3.md as they were then: restore" in refused.stderr
    assert sum(server.calls.values()) == 16 + NEEDED
    assert without.returncode == 3
    after = workspace.settlement()
    assert after["reliability"] == before["reliability"]
    assert (after["verdict"], after["reason"]) == (before["verdict"], before["reason"])


def test_briefs_that_come_first_by_name_do_not_replace_those_planned(tmp_path: Path) -> None:
    with settling(tmp_path, failing_one, NEEDED) as (_, workspace):
        workspace.settle(*LOOKS, "--reliability")
        before = workspace.settlement()
        workspace.write("briefs/a.md", "---\npurpose: reliability\n---\nreliability 9\n")
        again = workspace.settle(*LOOKS, "--reliability")
    assert again.returncode == 3
    assert workspace.settlement() == before
    assert list(before["reliability"]["briefs"]) == [f"r{n}" for n in range(1, NEEDED + 1)]


def test_what_was_spent_on_a_brief_that_is_gone_still_counts(tmp_path: Path) -> None:
    with settling(tmp_path, failing_one, NEEDED) as (_, workspace):
        workspace.settle(*LOOKS, "--reliability")
        before = workspace.settlement()
        remove_failing_brief(workspace)
        workspace.settle(*LOOKS)
    after = workspace.settlement()
    assert (after["calls"], after["usd"]) == (before["calls"], before["usd"])


def base_failing_once() -> Pairing:
    """Graphs of 0.5 and 0.55; the base failed on one of 16 briefs."""
    noise = [0.01 * (-1) ** brief for brief in range(16)]
    base = [card(0.5, brief=f"b{brief:02}", fingerprint=f"a{brief}") for brief in range(15)]
    base.append(card(codes=("CYCLE",), brief="b15", fingerprint="a15"))
    head = [
        card(0.55 + move, brief=f"b{brief:02}", fingerprint=f"b{brief}")
        for brief, move in enumerate(noise)
    ]
    return pair(base, head)


def test_the_planned_number_does_not_rely_on_failures_of_the_base() -> None:
    look = take_look(design((1,)), 0, base_failing_once(), 32)
    assert look.base_failures == 1 / 16
    assert look.undoing_share == pytest.approx(0.05 / 0.55, abs=0.002)
