"""The sentences at the end of a run."""

from stages.generate.forecast import SIMULATED
from stages.generate.responses.summary import RunSummary
from stages.shared.records.response import Cell
from tests.builders.cases import cases
from tests.builders.responses import response


def summary_of(*statuses: str, model_id: str = "m", simulated: bool = False) -> RunSummary:
    """The summary of so many responses; "kept" is a success whose next call has no answer."""
    summary = RunSummary()
    for sample, status in enumerate(statuses, start=1):
        is_kept = status == "kept"
        keys = {"status": "success"} if is_kept else {"status": status}
        about = {"error_message": f"failed with {status}", "simulated": simulated}
        counted = response(Cell(model_id, "b", sample), **keys, **about)
        summary.count(counted, is_complete=not is_kept)
    return summary


@cases(
    "statuses, costs_usd, lines",
    {
        "nothing called": (["success"] * 3, [], ["3 cells: 3 success; nothing was called"]),
        "at an unknown price": (
            ["success"],
            [None],
            ["1 cell: 1 success; 1 answer fetched (1 at an unknown price)"],
        ),
        "one without its next draw": (
            ["success", "server_error", "parse_failed", "server_error", "kept"],
            [0.004, 0.006],
            [
                "5 cells: 2 success, 1 parse_failed, 2 server_error; 2 answers fetched for $0.0100",
                "2 cells have no answer: `dvc repro -f` calls just those",
                "1 cell keeps its earlier answer, as the next draw has none: "
                "`dvc repro -f` calls it",
            ],
        ),
        "one without an answer": (
            ["success", "rate_limited"],
            [],
            [
                "2 cells: 1 success, 1 rate_limited; no answer was fetched",
                "1 cell has no answer: `dvc repro -f` calls just it",
            ],
        ),
    },
)
def test_every_status_is_counted_and_the_next_step_is_named(
    statuses: list[str], costs_usd: list[float | None], lines: list[str]
) -> None:
    summary = summary_of(*statuses)
    summary.paid_usd = {str(number): usd for number, usd in enumerate(costs_usd)}
    assert summary.lines() == lines


def test_simulated_answers_are_marked_and_missing_ones_are_said_last() -> None:
    lines = summary_of("success", "server_error", simulated=True).lines()
    assert SIMULATED in lines
    assert lines[-1] == "1 cell has no answer: `dvc repro -f` calls just it"


def test_the_commonest_message_of_each_model_is_kept() -> None:
    failed = ["auth_failed", "server_error", "auth_failed", "rate_limited", "success"]
    messages = summary_of(*failed, model_id="m0").commonest_messages()
    assert messages == ["m0: failed with auth_failed (2 cells)"]
