"""The notebook reads what a run leaves."""

import runpy

from graph_evaluator.records.json_text import line
from graph_evaluator.report.exports import scores_csv
from tests import REPOSITORY
from tests.builders.cases import cases
from tests.builders.scorecards import card, findings, invalid, unanswered, unfaithful

NOTEBOOK = REPOSITORY / "examples/notebook.py"
CARDS = (
    card("a", "01", 0.75),
    invalid("a", "02", "FORBIDDEN_EDGE", "ORPHAN_NODE"),
    unfaithful("b", "01", "grounding"),
    unanswered("rate_limited", "b", "02"),
)


@cases("cells", {"findings": 4, "nothing was found": 1})
def test_it_reads_scores_and_findings_as_they_are_written(cells, tmp_path, monkeypatch, capsys):
    written = CARDS[:cells]
    (tmp_path / "results").mkdir()
    (tmp_path / "results/scores.csv").write_bytes(scores_csv(findings(*written)))
    cards = b"".join(line(one.to_json()) for one in written)
    (tmp_path / "results/scorecards.jsonl").write_bytes(cards)
    monkeypatch.chdir(tmp_path)
    values = runpy.run_path(str(NOTEBOOK), run_name="__main__")
    assert len(values["scores"]) == len(written)
    codes = ["FORBIDDEN_EDGE", "ORPHAN_NODE", "grounding", "NO_GRAPH"]
    assert values["failed"]["code"].tolist() == (codes if cells == 4 else [])
    printed = capsys.readouterr().out
    assert ("FORBIDDEN_EDGE" in printed) is (cells == 4)
