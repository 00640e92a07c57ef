"""The example of the library works unchanged."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import in_memory
from stages.contracts.params import GenerateParams, RuntimeParams
from stages.generate import Call, CallFailed, Fault, Generated, Reply, generate
from stages.shell.inputs import load_briefs


def test_the_careful_prompt_is_better() -> None:
    found = in_memory.main()
    assert (found.verdict, found.scores.difference.n) == ("better", len(load_briefs()))


def test_it_runs_from_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples.in_memory"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip()


def test_it_is_short() -> None:
    lines = Path(in_memory.__file__).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 50


def generated(call: Callable[..., object], **settings: int) -> Generated:
    return asyncio.run(
        generate(
            "Draft.",
            [in_memory.MODEL],
            load_briefs(["01-*", "02-*"]),
            call=call,  # type: ignore[arg-type]
            settings=GenerateParams.model_validate(settings),
            runtime=RuntimeParams(max_attempts=1),
        )
    )


def test_the_library_takes_samples_and_further_draws() -> None:
    found = generated(in_memory.call, samples=2, unparsed_draws=3)
    assert [
        (response.status, response.sample, response.measured.draws) for response in found.responses
    ] == [("parse_failed", sample, 3) for _ in range(2) for sample in (1, 2)]


def test_a_call_that_fails_is_a_response_with_the_reason() -> None:
    async def fails(_call: Call) -> Reply:
        raise CallFailed(
            Fault(status="invalid_request", code="bad", message="no such model", scope="cell")
        )

    assert {
        (response.status, response.failure_code) for response in generated(fails).responses
    } == {("invalid_request", "bad")}


def test_the_library_has_nothing_else() -> None:
    import stages.generate

    with pytest.raises(AttributeError):
        stages.generate.nothing  # type: ignore[attr-defined]  # noqa: B018
