"""Which records are read for the answers that a run lacks."""

from typing import Any

from stages.contracts.run import PromptRef, Run
from stages.generate.earlier_runs import EarlierRun, choose_records
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, cells, config

(MISSING,) = [planned.calls[0] for planned in cells(config("m"))]


def record(source: str, **changed: Any) -> EarlierRun:
    """A record of an older version, of the missing cell unless `changed` says otherwise."""
    fields: dict[str, Any] = {
        "run_id": "p-1",
        "git_sha": None,
        "tool_version": "1",
        "prompt": PromptRef(path=PROMPT.path, sha256=PROMPT.sha256),
        "models": {"m": "0"},
        "briefs": {MISSING.cell.brief_id: "0"},
        "samples": 1,
        "round": 1,
        "responses_sha256": "elsewhere",
    }
    run = Run(**(fields | changed))
    return EarlierRun(source=source, folder_md5="0.dir", run=run)


OTHERS = {"models": {"n": "0"}, "briefs": {}}


@cases(
    "records, chosen",
    {
        "in the given order": ([record("a"), record("b")], ["a", "b"]),
        "the answer by its fingerprint": (
            [record("a", answers={"n": f"00 {MISSING.fingerprint[:12]}"}, **OTHERS)],
            ["a"],
        ),
        "other answers": ([record("a", answers={"m": "0" * 12})], []),
        "another model and brief": ([record("a", **OTHERS)], ["a"]),
        "simulated models alone": ([record("a", simulated_models=("m",))], []),
        "another prompt": ([record("a", prompt=PromptRef(path=PROMPT.path, sha256="c" * 64))], []),
        "another round": ([record("a", round=2)], []),
        "what the working tree has": ([record("a", responses_sha256="here")], []),
        "nothing is known": ([EarlierRun(source="a", folder_md5="0.dir", run=None)], ["a"]),
    },
)
def test_records_that_may_hold_an_answer_to_a_missing_call_are_read(
    records: list[EarlierRun], chosen: list[str]
) -> None:
    names = [record.source for record in choose_records(records, [MISSING], "here")]
    assert names == chosen
