"""The example of the library works unchanged."""

import asyncio

from examples import in_memory
from graph_evaluator.generate import CallFailed, Fault, fetch
from graph_evaluator.records.params import GenerateParams, RuntimeParams
from graph_evaluator.shell.inputs import load_briefs


def test_the_careful_prompt_is_better():
    judgement = in_memory.main().judgement
    assert judgement.verdict == "better"
    assert judgement.form.difference.n == len(load_briefs())


def fetched(call, **settings):
    return asyncio.run(
        fetch(
            "Draft.",
            [in_memory.MODEL],
            load_briefs(["01-*", "02-*"]),
            call=call,
            settings=GenerateParams.model_validate(settings),
            runtime=RuntimeParams(max_attempts=1),
        )
    )


def test_the_library_takes_samples_and_further_draws():
    responses = fetched(in_memory.call, samples=2, unparsed_draws=3)
    assert [response.cell.sample for response in responses] == [1, 2, 1, 2]
    for response in responses:
        assert response.answer.status == "parse_failed"
        assert len(response.answers) == 3


def test_a_call_that_fails_is_a_response_with_the_reason():
    async def fails(_call):
        raise CallFailed(Fault(status="invalid_request", code="bad", message="x", scope="cell"))

    for response in fetched(fails):
        assert response.answer.status == "invalid_request"
        assert response.answer.failure_code == "bad"
