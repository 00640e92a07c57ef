"""The scores that git keeps, where the scorecards are out of reach."""

import hashlib
from pathlib import Path

import pytest

from graph_evaluator.compare.sides import recorded_cells
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.params import SCORING_VERSION, ScoringRules
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.score import rules_sha256

REPOSITORY = Path(__file__).parents[2]
HEADER = (
    "run_id,model_id,brief_id,structural_valid,overall_score,latency_ms,est_cost_usd,violation_codes,sample,status,expected_score,"
    "complexity,warnings,simulated,scoring_version,fingerprint,usable\n"
)
TABLE = (
    f"{HEADER}one,m,b01,true,0.8125,812.5,0.0125,,1,success,0.8125,simple,2,true,{SCORING_VERSION},f1,true\n"
    f"one,m,b02,false,,,,CYCLE_DETECTED;ORPHAN_NODE,2,success,0.0000,complex,0,false,{SCORING_VERSION},,false\n"
    f"one,m,b03,false,,,,,1,server_error,,simple,0,false,{SCORING_VERSION},,false\n"
).encode()
MANIFEST = b'{"run_id": "one"}'


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


RULES = ScoringRules.model_validate({"thresholds": {"readable_max_nodes": 14}})


def lock(
    table: bytes = TABLE,
    *,
    manifest: bytes = MANIFEST,
    scored: str = "c" * 32,
    reported: str | None = None,
    rules: ScoringRules = RULES,
) -> bytes:
    """A lock file by which the table was made from the scorecards and the manifest, by the rules."""
    run = {"path": "results/run.json", "md5": md5(manifest)}
    score = {
        "cmd": "score",
        "deps": [run],
        "params": {"params.yaml": {"score": rules.model_dump(mode="json")}},
        "outs": [{"path": "results/scorecards.jsonl", "md5": scored}],
    }
    report = {
        "cmd": "report",
        "deps": [run, {"path": "results/scorecards.jsonl", "md5": reported or scored}],
        "outs": [{"path": "results/scores.csv", "md5": md5(table)}],
    }
    return canonical({"schema": "2.0", "stages": {"score": score, "report": report}})


def read(table: bytes = TABLE) -> tuple[ScoredCell, ...]:
    found = recorded_cells(table, lock(table), MANIFEST)
    assert found is not None
    return found


def test_a_row_is_a_scorecard_with_what_a_comparison_takes() -> None:
    first, invalid, unanswered = read()
    assert (first.model_id, first.brief_id, first.sample) == ("m", "b01", 1)
    assert (first.expected_score, first.overall_score, first.usable) == (0.8125, 0.8125, True)
    measured = first.measured
    assert (measured.latency_ms, measured.est_cost_usd, measured.simulated) == (812.5, 0.0125, True)
    assert (invalid.expected_score, invalid.overall_score, invalid.sample) == (0.0, None, 2)
    assert invalid.violation_codes == ("CYCLE_DETECTED", "ORPHAN_NODE")
    assert (unanswered.expected_score, unanswered.answered) == (None, False)
    assert {found.scoring_rules for found in read()} == {rules_sha256(RULES)}


def test_scores_of_another_version_of_the_scoring_are_not_read() -> None:
    table = TABLE.replace(f",{SCORING_VERSION},".encode(), b",0,")
    assert recorded_cells(table, lock(table), MANIFEST) is None


def test_the_shipped_table_is_one_that_can_be_read() -> None:
    table, locked, manifest = (
        (REPOSITORY / name).read_bytes()
        for name in ("results/scores.csv", "dvc.lock", "results/run.json")
    )
    found = recorded_cells(table, locked, manifest)
    assert found is not None
    assert len(found) == table.count(b"\n") - 1


@pytest.mark.parametrize(
    ("table", "locked", "manifest"),
    [
        pytest.param(TABLE + b"\n", lock(), MANIFEST, id="a table that was edited"),
        pytest.param(TABLE, lock(), b"{}", id="a manifest of another run"),
        pytest.param(TABLE, lock(reported="d" * 32), MANIFEST, id="a table of other scorecards"),
        pytest.param(TABLE, b"stages: {}\n", MANIFEST, id="a lock file without the stages"),
        pytest.param(TABLE, b"\xff", MANIFEST, id="a lock file that is no text"),
    ],
)
def test_a_table_that_the_lock_file_does_not_prove_is_not_read(
    table: bytes, locked: bytes, manifest: bytes
) -> None:
    assert recorded_cells(table, locked, manifest) is None


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(b"model_id,brief_id\nm,b01\n", id="columns that are missing"),
        pytest.param(
            TABLE.replace(b"0.8125,simple", b"nan,simple"), id="a score that is not a number at all"
        ),
        pytest.param(TABLE.replace(b"m,b01", b"\xff,b01"), id="no text"),
    ],
)
def test_a_malformed_table_is_not_read(table: bytes) -> None:
    assert recorded_cells(table, lock(table), MANIFEST) is None
