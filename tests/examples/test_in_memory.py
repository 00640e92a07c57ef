"""The example of the library works unchanged."""

import asyncio
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from examples import in_memory
from stages.generate import Call, CallFailed, Fault, Generated, Reply, generate
from stages.shared.records.params import GenerateParams, RuntimeParams
from stages.shared.shell.inputs import load_briefs


def test_the_careful_prompt_is_better() -> None:
    found = in_memory.main()
    assert found.verdict == "better"
    assert found.overall.judgement.score.difference.n == len(load_briefs())


def test_it_runs_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(in_memory.__file__, run_name="__main__")
    assert capsys.readouterr().out.strip()


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
    assert [response.cell.sample for response in found.responses] == [1, 2, 1, 2]
    for response in found.responses:
        assert response.answer.status == "parse_failed"
        assert response.measured.draws == 3


def test_a_call_that_fails_is_a_response_with_the_reason() -> None:
    async def fails(_call: Call) -> Reply:
        raise CallFailed(Fault(status="invalid_request", code="bad", message="x", scope="cell"))

    for response in generated(fails).responses:
        assert response.answer.status == "invalid_request"
        assert response.answer.failure_code == "bad"


def test_the_library_has_nothing_else() -> None:
    import stages.generate

    with pytest.raises(AttributeError):
        stages.generate.nothing  # type: ignore[attr-defined]  # noqa: B018
