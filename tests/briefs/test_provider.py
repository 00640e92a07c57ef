"""`briefs code` with a provider: only what both answers say is written."""

import json

from graph_evaluator.briefs import __main__ as command
from tests.briefs.test_command import EFFECTS, a_response
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model


def test_codes_of_one_answer_alone_are_listed_for_a_person(tmp_path):
    codes = ({"1": "waste", "2": None}, {"1": "waste", "2": "noise"})
    with CountingServer(
        lambda _, nth: (200, answer_body(json.dumps({"labels": codes[nth - 1]})))
    ) as server:
        coder = model("coder", url=server.url, params={"max_output_tokens": 500})
        project = Workspace(tmp_path, coder, briefs=0)
        project.write("briefs/b1.md", f"{EFFECTS}Buy an oven?\n")
        cell = project.folder / "results/responses/m/b1"
        cell.mkdir(parents=True)
        (cell / "response.json").write_bytes(a_response("m", "b1"))
        asked = ("code", "--by", "coder", "--max-usd", "5")
        done = project.run(main=lambda: command.main(asked), OPENAI_API_KEY="k")
    assert "codebooks/b1.yaml: 1 label coded" in done.stdout
    assert "b1: code by hand: Ovens\n" in done.stdout
    assert "Ovens" not in (project.folder / "codebooks/b1.yaml").read_text()
