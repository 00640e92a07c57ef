"""A run in which half of the briefs are too short to check their graphs by their words."""

import csv
import io
from pathlib import Path

from stages.commands.briefs.__main__ import main as show_briefs
from tests.generate.workspace import REPOSITORY, Workspace, model

CHECKED = ("01-simple-binary", "07-clinic-no-shows")
SHORT = {
    "dog": "---\n---\nAdopt the stray dog, or leave the garden to the hedgehogs?\n",
    "lease": "---\noptions: [[renew], [move]]\n---\nRenew the kiosk lease, or move to the harbour?\n",
}


def test_unchecked_graphs_are_counted_and_named_wherever_results_are_shown(tmp_path: Path) -> None:
    simulated = model("m", provider="simulated", model="sim-careful")
    workspace = Workspace(tmp_path, simulated, briefs=0)
    for name in CHECKED:
        workspace.write(f"briefs/{name}.md", (REPOSITORY / f"briefs/{name}.md").read_text())
    for name, text in SHORT.items():
        workspace.write(f"briefs/{name}.md", text)
    assert "words: dog, lease; would help" in " ".join(workspace.run("--dry-run").stdout.split())
    for stage in ("generate", "score", "report"):
        process = workspace.spawn(command_name=stage)
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    results = {
        name: content.decode(errors="replace") for name, content in workspace.outputs().items()
    }
    rows = csv.DictReader(io.StringIO(results["scores.csv"]))
    assert {row["brief_id"] for row in rows if row["unchecked"] == "true"} == set(SHORT)
    for page in ("summary.md", "site/index.html"):
        assert results[page].count("too short: it has") == len(SHORT)
    cell = results["site/cell/m/lease-1.html"]
    assert "Unchecked are its words; options_kept compared it with its brief." in cell
    assert workspace.run("check", main=show_briefs).stdout.count("no: too short") == len(SHORT)
