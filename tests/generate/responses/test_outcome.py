"""The sentences at the end of a run."""

from collections.abc import Sequence

import pytest

from stages.generate.calls.faults import Fault
from stages.generate.library import Memory
from stages.generate.plan.cells import PlannedCell
from stages.generate.responses.response import Outcome, responses_of
from tests.generate.asking import cells, config
from tests.generate.entries import body, paid

USAGE = {"input_tokens": 1_000, "output_tokens": 500}


def outcome(
    statuses: Sequence[str],
    *,
    called: int = 0,
    models: Sequence[dict[str, object]] = ({},),
    usage: object = USAGE,
) -> tuple[Outcome, dict[str, float | None]]:
    """A run whose cells have these statuses; the costs of the first `called` answers."""
    configs = [config(f"m{number}", **changed) for number, changed in enumerate(models)]
    planned: list[PlannedCell] = cells(*configs, briefs=len(statuses) // len(configs))
    memory = Memory()
    failures: dict[str, Fault] = {}
    costs_usd: dict[str, float | None] = {}
    for cell, status in zip(planned, statuses, strict=True):
        key = cell.fingerprints[0]
        if status in ("success", "parse_failed"):
            text = body("{}" if status == "success" else "no", usage=usage)
            memory.answers[key] = paid(key, text)
            costs_usd[key] = cell.model.prices.cost(memory.answers[key]).usd
        else:
            message = f"failed with {status}"
            failures[key] = Fault(status=status, code="c", message=message, attempts=1)  # type: ignore[arg-type]
    counted = Outcome()
    for response in responses_of(planned, memory, failures):
        counted.count(response)
    return counted, dict(list(costs_usd.items())[:called])


@pytest.mark.parametrize(
    ("statuses", "called", "usage", "lines"),
    [
        (["success"] * 3, 0, {}, ["3 cells: 3 success; nothing was called"]),
        (["success"], 1, {}, ["1 cell: 1 success; 1 answer fetched (1 at an unknown price)"]),
        (
            ["success", "success"],
            2,
            {"input_tokens": 1_000, "output_tokens": 500},
            ["2 cells: 2 success; 2 answers fetched for $0.0120"],
        ),
        (
            [
                "success",
                "server_error",
                "parse_failed",
                "success",
                "budget_stopped",
                "server_error",
            ],
            3,
            {},
            [
                "6 cells: 2 success, 1 parse_failed, 2 server_error, 1 budget_stopped; "
                "3 answers fetched (3 at an unknown price)",
                "3 cells have no answer: `dvc repro -f` calls just those",
            ],
        ),
        (
            ["success", "rate_limited"],
            0,
            {},
            [
                "2 cells: 1 success, 1 rate_limited; no answer was fetched",
                "1 cell has no answer: `dvc repro -f` calls just it",
            ],
        ),
    ],
    ids=[
        "nothing called",
        "at an unknown price",
        "two answers",
        "many statuses",
        "one without an answer",
    ],
)
def test_every_status_is_counted_and_the_next_step_is_named(
    statuses: list[str], called: int, usage: object, lines: list[str]
) -> None:
    counted, costs_usd = outcome(statuses, called=called, usage=usage)
    assert counted.lines(costs_usd) == lines


def test_the_commonest_message_of_each_model_is_kept() -> None:
    counted, _ = outcome(
        ["auth_failed", "server_error", "auth_failed", "rate_limited"] + ["success"] * 4,
        models=[{}, {}],
    )
    assert counted.commonest_messages() == ["m0: failed with auth_failed (2 cells)"]
