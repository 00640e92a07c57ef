"""`briefs code` and `briefs draft`, with a simulated model and with a provider: from stored graphs to written files."""

import json
import shutil
from pathlib import Path

import pytest

from graph_evaluator.briefs import __main__ as command
from graph_evaluator.briefs.__main__ import main
from graph_evaluator.records.errors import InputError
from graph_evaluator.shell.inputs import load_briefs, load_codebooks
from tests import REPOSITORY
from tests.briefs.test_checking import EFFECTS, a_response, project
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model

__all__ = ["project"]
PAID = ("--by", "simulated-coder", "--max-usd", "1")


@pytest.fixture(autouse=True)
def _coder(project, monkeypatch):
    monkeypatch.setenv("GRAPH_EVALUATOR_LEDGER", str(project / "ledger"))
    (project / "models").mkdir()
    shutil.copy(REPOSITORY / "models/simulated-coder.json", project / "models")


def test_labels_are_coded_once(capsys):
    main(["code", *PAID])
    assert "7 labels" not in capsys.readouterr().out
    book = load_codebooks(load_briefs())["baker"]
    assert book.coded_by == ("simulated-coder",)
    assert book.labels == {"Bread thrown away": ("waste",), "Ovens": (), "Queue at noon": ()}
    assert book.options == {"Buy an oven": "oven", "Status quo": None}
    main(["code", *PAID])
    assert capsys.readouterr().out.startswith("0 labels without a code; 0 calls")


def test_a_dry_run_says_what_it_would_cost_and_writes_nothing(capsys):
    main(["code", "--by", "simulated-coder", "--dry-run"])
    assert capsys.readouterr().out.startswith("5 labels without a code; 2 calls")
    assert not Path("codebooks").exists()
    assert not Path("ledger").exists()


def test_a_cap_that_stops_a_call_writes_nothing(capsys):
    with pytest.raises(Exception, match=r"budget_stopped.*the same command continues"):
        main(["code", "--by", "simulated-coder", "--max-usd", "0.000001"])
    assert not Path("codebooks").exists()
    assert "0 calls" in capsys.readouterr().out


def test_a_draft_is_shown_and_written_only_with_the_option(capsys):
    file = Path("briefs/short.md")
    file.write_text("The oven is old, the oven is slow. Buy an oven?\n")
    main(["draft", "short", *PAID])
    assert "oven raises goal" in capsys.readouterr().out
    assert "oven raises goal" not in file.read_text()
    main(["draft", "short", *PAID, "--write"])
    assert "- oven raises goal\n" in file.read_text()


def test_wrong_options_are_named_with_the_nearest():
    with pytest.raises(InputError) as refused:
        main(["code", "bakr", "shrt", "--by", "simulated-coder", "--dry-run"])
    assert len(refused.value.problems) == 2
    assert '"bakr" (did you mean "baker"?)' in str(refused.value)
    with pytest.raises(InputError, match="nobody"):
        main(["draft", "baker", "--by", "nobody", "--dry-run"])


def test_codes_of_one_answer_alone_are_listed_for_a_person(tmp_path):
    codes = ({"1": "waste", "2": None}, {"1": "waste", "2": "noise"})
    with CountingServer(
        lambda _, nth: (200, answer_body(json.dumps({"labels": codes[nth - 1]})))
    ) as server:
        coder = model("coder", url=server.url, params={"max_output_tokens": 500})
        project = Workspace(tmp_path / "provider", coder, briefs=0)
        project.write("briefs/b1.md", f"{EFFECTS}Buy an oven?\n")
        cell = project.folder / "results/responses/m/b1"
        cell.mkdir(parents=True)
        (cell / "response.json").write_bytes(a_response("m", "b1"))
        asked = ("code", "--by", "coder", "--max-usd", "5")
        done = project.run(main=lambda: command.main(asked), OPENAI_API_KEY="k")
    assert "codebooks/b1.yaml: 1 label coded" in done.stdout
    assert "b1: code by hand: Ovens\n" in done.stdout
    assert "Ovens" not in (project.folder / "codebooks/b1.yaml").read_text()
