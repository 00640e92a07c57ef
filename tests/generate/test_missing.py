"""Which records are read for the answers that a run lacks."""

from typing import Any

from stages.generate.missing import EarlierRun
from stages.shared.records.response import PromptRef, Run
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, cells, config

(MISSING,) = [planned.calls[0] for planned in cells(config("m"))]


def record(**changed: Any) -> EarlierRun:
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
    }
    run = Run(**(fields | changed))
    return EarlierRun(source="a", folder_md5="0.dir", run=run)


OTHERS = {"models": {"n": "0"}, "briefs": {}}


@cases(
    "of_run, may_hold",
    {
        "the answer by its fingerprint": (
            record(answers={"n": f"00 {MISSING.fingerprint[:12]}"}, **OTHERS),
            True,
        ),
        "other answers": (record(answers={"m": "0" * 12}), False),
        "another model and brief": (record(**OTHERS), True),
        "simulated models alone": (record(simulated_models=("m",)), False),
        "another prompt": (record(prompt=PromptRef(path=PROMPT.path, sha256="c" * 64)), False),
        "another round": (record(round=2), False),
        "nothing is known": (EarlierRun(source="a", folder_md5="0.dir", run=None), True),
    },
)
def test_a_record_that_may_hold_the_answer_to_a_missing_call_is_read(
    of_run: EarlierRun, may_hold: bool
) -> None:
    assert of_run.may_hold([MISSING]) == may_hold
