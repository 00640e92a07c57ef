"""Both sides read through git and DVC, without a checkout and without a model."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from dvc.repo import Repo

from graph_evaluator.compare.comparer import Comparer
from graph_evaluator.compare.revisions import NoResults, Revisions
from graph_evaluator.records.errors import InputError
from graph_evaluator.records.json_text import canonical
from graph_evaluator.records.params import Params
from graph_evaluator.records.response import Cell
from graph_evaluator.records.run_results import PromptRef
from graph_evaluator.score import rules_sha256
from graph_evaluator.shell.inputs import load_inputs
from tests.builders.responses import response
from tests.compare.cards import BASE, BETTER, card, cards, lines, manifest
from tests.compare.repository import Results
from tests.score.drafts import draft

pytestmark = pytest.mark.pipeline

PARAMS = Params.model_validate({"prompt": "prompts/v20.txt", "models": ["*"], "briefs": ["*"]})
TODAY = rules_sha256(PARAMS.score, {})


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Two runs; only for copying."""
    made = Results(tmp_path_factory.mktemp("template") / "repository")
    made.record(manifest(run_id="one"), cards(BASE, rules=TODAY), tag="v1")
    made.record(
        manifest(run_id="two", prompt=PromptRef(path="prompts/v21.txt", sha256="bb")),
        cards(BETTER, rules=TODAY),
        tag="v2",
    )
    return made


@pytest.fixture
def results(template, tmp_path):
    shutil.copytree(template.folder, tmp_path / "repository", symlinks=True)
    return Results(tmp_path / "repository")


def comparer(results):
    return Comparer(Revisions(results.folder), PARAMS)


def compared(results, base, head):
    return comparer(results).compare(base, head)


def unmeasured(results, base, head):
    with pytest.raises(NoResults) as raised:
        comparer(results).compare(base, head)
    return raised.value


def answer(brief="b01", graph=None, **fields):
    """An answer with a graph, which is empty unless it is given."""
    return response(Cell("m", brief, 1), parsed_graph={} if graph is None else graph, **fields)


def answers(graph=None):
    """An answer to each of the ten briefs."""
    return [answer(f"b{index:02}", graph) for index in range(1, 11)]


def record_old(results, responses=(), tag="old"):
    """A run whose scores were made by other rules."""
    results.record(manifest(run_id="old"), cards(BASE, rules="of long ago"), responses, tag=tag)


def commit(results, message):
    results.git("add", "-A")
    results.git("commit", "-q", "-m", message)


@pytest.mark.parametrize(
    ("base", "head", "verdict"),
    [
        ("v1", "v2", "better"),
        ("main", "main~1", "worse"),
        ("HEAD", "v2", "no meaningful difference"),
    ],
    ids=["tags", "branch and its parent", "the same commit"],
)
def test_git_names_are_compared_and_the_working_tree_is_left_alone(results, base, head, verdict):
    before = {file: file.stat().st_mtime_ns for file in (results.folder / "results").rglob("*")}
    assert compared(results, base, head).verdict == verdict
    assert {
        file: file.stat().st_mtime_ns for file in (results.folder / "results").rglob("*")
    } == before


def test_every_unknown_name_is_reported_with_the_nearest(results):
    with pytest.raises(InputError, match='did you mean "main"') as raised:
        comparer(results).compare("mian", "v9")
    assert [problem.file for problem in raised.value.problems] == ['"mian"', '"v9"']


def test_results_that_are_stored_nowhere_could_not_be_measured_and_the_message_says_what_to_do(
    results,
):
    results.lose_cache()
    found = unmeasured(results, "v1", "v2")
    assert "nor in a remote that can be reached: run `dvc push`" in found.reasons[0]
    assert "results/scorecards.jsonl of v1" in found.reasons[0]


def test_results_are_read_from_the_remote_when_the_cache_has_none(results):
    results.push()
    results.lose_cache()
    assert compared(results, "v2", "v2").verdict == "no meaningful difference"


def test_a_revision_before_the_first_run_could_not_be_measured(results):
    results.git("rm", "-q", "-r", "results")
    results.git("rm", "-q", "dvc.lock")
    commit(results, "declared, never run")
    found = unmeasured(results, "main", "v2")
    assert "it has no results" in str(found)


@pytest.mark.parametrize(
    ("base", "head", "rescored"),
    [
        pytest.param("old", "old", (True, True), id="both by the same old rules"),
        pytest.param("old", "v2", (True, False), id="an older base"),
        pytest.param("old", "older", (True, True), id="both older, and not alike"),
    ],
)
def test_scores_of_different_rules_are_computed_again_from_the_answers(
    results, base, head, rescored
):
    record_old(results, answers())
    older = cards(BASE, rules="of longer ago")
    results.record(manifest(run_id="older"), older, answers(), tag="older")
    found = compared(results, base, head)
    assert (found.baseline.rescored, found.candidate.rescored) == rescored
    for side in (found.baseline, found.candidate):
        note = f"The answers of {side.name} were scored again"
        assert any(line.startswith(note) for line in lines(found)) is side.rescored
        assert {card.expected_score == 0.0 for card in side.cells} == {side.rescored}


def test_where_checks_that_fail_differ_both_sides_are_scored_again_without_any(
    results, monkeypatch
):
    monkeypatch.chdir(results.folder)
    source = (
        "import pathlib\npathlib.Path('ran').touch()\ndef check(graph, brief):\n    return False"
    )
    results.write(briefs={"checks/strict.py": source})
    params = Params.model_validate(
        PARAMS.model_dump() | {"score": {"checks": {"strict": {"fails": True}}}}
    )
    failing = {"strict": hashlib.sha256(source.encode()).hexdigest()}
    record_old(results, answers(draft()))
    strict = cards(BETTER, rules=rules_sha256(params.score, failing))
    results.record(manifest(run_id="strict"), strict, answers(draft()), tag="strict")
    found = Comparer(Revisions(results.folder), params).compare("old", "strict")
    assert (found.baseline.rescored, found.candidate.rescored) == (True, True)
    assert all(cell.usable for cell in found.candidate.cells)
    alike = Comparer(Revisions(results.folder), params).compare("strict", "strict")
    assert (alike.baseline.rescored, alike.candidate.rescored) == (False, False)
    assert not Path("ran").exists()


def test_answers_are_scored_again_against_the_prompt_of_their_revision(results):
    text = f"Draft a graph such as this one: {json.dumps(draft())}"
    prompt = PromptRef(path="prompts/v20.txt", sha256=hashlib.sha256(text.encode()).hexdigest())
    results.write(briefs={"prompts/v20.txt": text})
    run = manifest(run_id="parrot", prompt=prompt)
    results.record(run, cards(BASE, rules="of version 1"), answers(draft()), tag="parrot")
    results.write(briefs={"prompts/v20.txt": "Draft a graph."})
    results.record(manifest(run_id="three"), cards(BASE, rules=TODAY), answers(draft()), tag="v3")
    found = compared(results, "parrot", "v3")
    assert (found.baseline.rescored, found.candidate.rescored) == (True, False)
    assert {cell.codes for cell in found.baseline.cells} == {("prompt_copy",)}
    assert found.overall.baseline.form.value == 0.0


@pytest.mark.parametrize(("more", "is_same"), [("", True), (" By May.", False)])
def test_the_later_front_matter_serves_both_sides_where_the_body_is_the_same(
    results, more, is_same
):
    results.record(manifest(run_id="then"), cards(BASE, rules=TODAY), answers(draft()), tag="then")
    stated = "concepts: {churn: [seats]}\neffects: [churn lowers goal]"
    text = f"---\n{stated}\n---\n\nShould we?{more}\n"
    results.write(briefs={f"briefs/b{index:02}.md": text for index in range(1, 11)})
    now = manifest(run_id="now", briefs={"b01": "changed"})
    stating = cards(BASE, rules=TODAY, states_effects=True)
    results.record(now, stating, answers(draft()), tag="now")
    found = compared(results, "then", "now")
    assert {cell.states_effects for cell in found.baseline.cells} == {is_same}
    assert {cell.states_effects for cell in found.candidate.cells} == {True}


def test_scorecards_that_lack_a_field_were_written_by_an_older_version(results):
    without_status = card(0.8, rules=TODAY).to_json()
    del without_status["status"]
    results.record(manifest(run_id="old"), [], answers(), tag="empty")
    scorecards = results.folder / "results/scorecards.jsonl"
    scorecards.unlink()
    scorecards.write_text(canonical(without_status) + "\n")
    with Repo(str(results.folder)) as repo:
        repo.commit(f"{results.folder}/dvc.yaml:score", force=True)
    results.git("commit", "-q", "-a", "-m", "old")
    older = "of main was written by an older version, or is damaged: run `dvc repro` there"
    reason = str(unmeasured(results, "main", "v2"))
    assert f"results/scorecards.jsonl {older}" in reason


def test_scores_of_other_rules_without_their_answers_could_not_be_measured(results):
    record_old(results)
    found = unmeasured(results, "old", "v2")
    assert "different rules" in str(found)


@pytest.mark.parametrize(
    ("scored", "rules", "verdict"),
    [
        pytest.param("b", TODAY, "better", id="of the present answers"),
        pytest.param("b", "of long ago", "worse", id="by rules that were changed since"),
        pytest.param("another ", TODAY, None, id="of other answers"),
    ],
)
def test_the_working_tree_is_compared_by_todays_rules_when_its_scores_are_of_its_answers(
    results, scored, rules, verdict, monkeypatch
):
    monkeypatch.chdir(results.folder)
    results.write(briefs={"prompts/v20.txt": "You draft graphs.\n", "models/m.json": MODEL})
    prompt, models, briefs = load_inputs(PARAMS)
    run = manifest(
        run_id="three",
        prompt=PromptRef(path=prompt.path, sha256=prompt.sha256),
        models={"m": models[0].sha256},
        briefs={brief.id: brief.sha256 for brief in briefs},
    )
    names = sorted(run.briefs)
    responses = [answer(name, fingerprint=f"b{name}") for name in names]
    scorecards = [
        card(score, brief=name, rules=rules, fingerprint=f"{scored}{name}")
        for name, score in zip(names, BETTER, strict=True)
    ]
    before = run.model_copy(update={"run_id": "before"})
    results.record(before, cards(BASE, rules=TODAY), tag="before")
    results.record(run, scorecards, responses, tag="v3")
    if verdict:
        assert compared(results, "before", "workspace").verdict == verdict
    else:
        found = unmeasured(results, "before", "workspace")
        assert "the scores do not belong to the present answers: run `dvc repro`" in str(found)


@pytest.mark.parametrize("out", ["results/scorecards.jsonl", "results/responses"])
def test_a_working_tree_with_results_that_the_lock_file_does_not_name_could_not_be_measured(
    results, out, monkeypatch
):
    monkeypatch.chdir(results.folder)
    results.record(manifest(run_id="three"), cards(BASE, rules=TODAY), [answer()], tag="v3")
    place = results.folder / out
    changed = place if place.is_file() else place / "m" / "b01" / "response.json"
    changed.unlink()  # it may be a link into the cache
    changed.write_text("{}", encoding="utf-8")
    found = unmeasured(results, "v1", "workspace")
    assert (
        str(found)
        == f"{out} is not what dvc.lock names: run `dvc checkout`, or `dvc repro` if the change is yours"
    )


def test_the_history_by_todays_rules_scores_only_runs_of_other_rules_again(results):
    results.record(manifest(run_id="old"), cards(BETTER, rules="of long ago"), answers(), tag="old")
    steps, skipped = comparer(results).history("HEAD", limit=20)
    assert [(step.run_id, step.verdict, step.form.value == 0.0) for step in steps] == [
        ("one", None, False),
        ("two", "better", False),
        ("old", "worse", True),
    ]
    assert skipped == []


def test_what_is_no_root_of_a_repository_is_reported(results, tmp_path):
    shutil.rmtree(results.folder / ".git")
    for folder in (results.folder / "results", results.folder, tmp_path):
        with pytest.raises(InputError, match="is not the root of a DVC repository with git"):
            Revisions(folder)


MODEL = '{"id": "m", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}'
