"""`graph-evaluator score`: any directory of responses becomes sorted scorecards, and what is wrong
is one clear message.
"""

import json

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.score.__main__ import main
from graph_evaluator.shell.paths import folder_sha256
from graph_evaluator.shell.results import load_response
from tests.builders.cases import cases
from tests.score.drafts import draft

PARAMS = 'prompt: p.txt\nmodels: ["*"]\nbriefs: ["*"]\n'


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "briefs").mkdir()
    for name in ("a-brief", "b-brief"):
        (tmp_path / f"briefs/{name}.md").write_text(
            "---\nhas_numeric_target: true\ncomplexity: moderate\n---\nWhat to charge?\n"
        )
    (tmp_path / "params.yaml").write_text(PARAMS)
    (tmp_path / "p.txt").write_text("Draft a graph.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(project, file, **fields):
    path = project / "results/responses" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fields))
    return path


def answer(model="m", brief="a-brief", **fields):
    return {
        "model_id": model,
        "brief_id": brief,
        "status": "success",
        "parsed_graph": draft(),
        **fields,
    }


def write_manifest(project, **fields):
    run = {"run_id": "r", "git_sha": None, "tool_version": "1", "prompt": {"path": "p.txt", "sha256": "x"}, "models": {},
           "briefs": {}, "samples": 1, "round": 1}  # fmt: skip
    (project / "results/run.json").write_text(json.dumps(run | fields))


def scorecards(project):
    lines = (project / "results/scorecards.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def cells(project):
    return [(card["model_id"], card["brief_id"], card["sample"]) for card in scorecards(project)]


def messages():
    with pytest.raises(InputError) as caught:
        main([])
    return [str(problem) for problem in caught.value.problems]


def test_a_directory_made_by_hand_is_scored(project, capsys):
    put(
        project, "m/a-brief/response.json", **answer(latency_ms=None, attempts=None, note="by hand")
    )
    main([])
    (card,) = scorecards(project)
    assert card["structural_valid"] is True
    assert card["overall_score"] == pytest.approx(1.0)
    assert card["complexity"] == "moderate"
    same = "note: a-brief, b-brief have the same text, and count as 2 independent briefs\n"
    assert capsys.readouterr().out == f"1 response scored in results/scorecards.jsonl\n{same}"


def test_lines_are_sorted_by_cell(project, capsys):
    for sample in (10, 2, 1):
        file = "response.json" if sample == 1 else f"response-{sample}.json"
        put(project, f"m/a-brief/{file}", **answer())
    put(project, "m/b-brief/response.json", **answer(brief="b-brief"))
    put(project, "k/a-brief/response.json", **answer(model="k"))
    main([])
    assert cells(project) == [
        ("k", "a-brief", 1),
        ("m", "a-brief", 1),
        ("m", "a-brief", 2),
        ("m", "a-brief", 10),
        ("m", "b-brief", 1),
    ]
    assert capsys.readouterr().out.startswith("5 responses ")


@cases(
    "fields, fault",
    {
        "unknown status": ({"status": "sucess"}, "status: should be 'success', "),
        "no such brief": (
            {"status": "refused", "brief_id": "a-brif"},
            'brief_id: there is no brief "a-brif" (did you mean "a-brief"?)',
        ),
    },
)
def test_a_file_that_is_no_response_is_reported_with_its_key(project, fields, fault):
    put(project, "m/b-brief/response.json", **answer(brief="b-brief"))
    ids = {"model_id": "m", "brief_id": "a-brief"}
    put(project, "m/a-brief/response.json", **ids | fields)
    (message,) = messages()
    assert message.startswith(f"results/responses/m/a-brief/response.json: {fault}")
    assert not (project / "results/scorecards.jsonl").exists()


def test_a_file_that_cannot_be_read_is_a_problem_as_any_other(project):
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load_response(project)


def test_two_files_of_one_cell_are_an_error_and_the_old_scorecards_stay(project):
    put(project, "m/a-brief/response.json", **answer())
    main([])
    before = (project / "results/scorecards.jsonl").read_bytes()
    put(project, "other/response.json", **answer())
    assert messages() == [
        "scorecards.jsonl: m/a-brief/1: more than one file has this model, brief and sample"
    ]
    assert (project / "results/scorecards.jsonl").read_bytes() == before


@pytest.mark.parametrize("folder", ["results", "results/responses/m"])
def test_without_responses_there_is_nothing_to_score(project, folder):
    (project / folder).mkdir(parents=True)
    assert messages() == [
        "results/responses: there is no response*.json below it: run generate first"
    ]


def test_responses_of_another_run_are_refused_and_nothing_is_written(project):
    put(project, "m/a-brief/response.json", **answer())
    write_manifest(project, responses_sha256=folder_sha256(project / "results/responses"))
    main([])
    put(project, "m/a-brief/response.json", **answer(status="refused"))
    (project / "results/scorecards.jsonl").unlink()
    (message,) = messages()
    assert message.startswith(
        "results/responses: is not what results/run.json was written with: run `dvc checkout`"
    )
    assert not (project / "results/scorecards.jsonl").exists()
    (project / "results/responses").rename(project / "elsewhere")
    assert messages() == [
        "results/responses: is missing: run `dvc pull` to fetch it, or `dvc repro` to make it"
    ]
    (project / "elsewhere").rename(project / "results/responses")
    run = project / "results/run.json"
    run.write_text(run.read_text().replace('"samples": 1, ', ""))
    assert "samples: is missing" in messages()[0]
    write_manifest(project)
    main([])
    assert len(scorecards(project)) == 1
