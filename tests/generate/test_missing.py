"""Which records are read for the answers that a run lacks."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from graph_evaluator.generate.missing import EarlierRun, all_records
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.response import PromptRef, Run
from graph_evaluator.shell.files import write_atomic
from graph_evaluator.shell.paths import RUN
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, cells, config

IDENTITY = ["-c", "user.name=A test", "-c", "user.email=test@example.org"]
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


def test_a_deleted_manifest_is_that_of_the_last_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = record(answers={"m": "0" * 12}).run
    assert run is not None
    write_atomic(RUN, pretty(run.to_json()))
    for command in (["init", "-q"], ["add", "."], [*IDENTITY, "commit", "-qm", "run"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    RUN.unlink()
    first = next(all_records())
    assert not first.may_hold([MISSING])
