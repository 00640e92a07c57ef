"""The sentences at the end of a run."""

from stages.generate.forecast import SIMULATED
from stages.generate.responses.summary import CellResult, RunSummary, commonest_messages
from tests.builders.cases import cases


def result(status: str, model_id: str = "m") -> CellResult:
    if status == "lacks":
        return CellResult(model_id, "success", "", simulated=False, lacks_call=True)
    return CellResult(model_id, status, f"failed with {status}", simulated=False)  # type: ignore[arg-type]


@cases(
    "statuses, costs_usd, lines",
    {
        "nothing called": (["success"] * 3, [], ["3 cells: 3 success; nothing was called"]),
        "at an unknown price": (
            ["success"],
            [None],
            ["1 cell: 1 success; 1 answer fetched (1 at an unknown price)"],
        ),
        "two answers": (
            ["success", "success"],
            [0.004, 0.008],
            ["2 cells: 2 success; 2 answers fetched for $0.0120"],
        ),
        "many statuses": (
            [
                "success",
                "server_error",
                "parse_failed",
                "success",
                "budget_stopped",
                "server_error",
            ],
            [None, None, None],
            [
                "6 cells: 2 success, 1 parse_failed, 2 server_error, 1 budget_stopped; "
                "3 answers fetched (3 at an unknown price)",
                "3 cells have no answer: `dvc repro -f` calls just those",
            ],
        ),
        "one without its repair": (
            ["success", "server_error", "lacks"],
            [0.01],
            [
                "3 cells: 2 success, 1 server_error; 1 answer fetched for $0.0100",
                "1 cell has no answer: `dvc repro -f` calls just it",
                "1 cell keeps its earlier answer, as the next draw or the repair has none: "
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
    paid_usd = {str(number): usd for number, usd in enumerate(costs_usd)}
    assert RunSummary(tuple(map(result, statuses)), paid_usd).lines() == lines


def test_that_answers_are_missing_is_said_last() -> None:
    simulated = CellResult("m", "success", "", simulated=True)
    lines = RunSummary((simulated, result("server_error"))).lines()
    assert lines[-1] == "1 cell has no answer: `dvc repro -f` calls just it"


def test_simulated_answers_are_marked() -> None:
    simulated = CellResult("m", "success", "", simulated=True)
    assert RunSummary((simulated,)).lines()[-1] == SIMULATED


def test_the_commonest_message_of_each_model_is_kept() -> None:
    failed = ["auth_failed", "server_error", "auth_failed", "rate_limited"]
    results = [result(status, "m0") for status in failed] + [result("success", "m1")]
    assert commonest_messages(results) == ["m0: failed with auth_failed (2 cells)"]
