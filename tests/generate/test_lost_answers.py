"""No answer that was paid for is called again without consent, whatever happened to the ledger and to the results."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graph_evaluator.shell.repository import git_output
from tests.builders.cases import cases
from tests.generate.workspace import Workspace, model

CELLS = 8
SIMULATED = {
    "id": "sim",
    "display_name": "sim",
    "provider": "simulated",
    "model": "sim-careful",
    "target_mode": "fast",
}
LEDGER = ".ledger/answers.sqlite3"


@pytest.fixture
def project(server, tmp_path):
    """A project with a finished run; no call is counted yet."""
    models = [model(url=server.url), SIMULATED]
    project = Workspace(tmp_path / "project", *models, briefs=CELLS // 2, models=["m"])
    project.set(generate={"samples": 2})
    assert project.run().returncode == 0
    server.calls.clear()
    return project


def content(project):
    """Every file that a person could miss: the results, and the ledger with its log."""
    files = sorted((project.folder / ".ledger").glob("*.sqlite3*"))
    kept = {file.name: file.read_bytes() for file in files if not file.name.endswith("-shm")}
    return project.outputs() | {name: raw for name, raw in kept.items() if raw}


def flip(file, place):
    with file.open("r+b") as handle:
        handle.seek(place)
        (byte,) = handle.read(1)
        handle.seek(place)
        handle.write(bytes([byte ^ 0x21]))


def cut(file):
    os.truncate(file, file.stat().st_size // 2)


LOSSES = {
    "gone": Path.unlink,
    "gone with its folder": lambda file: shutil.rmtree(file.parent),
    "moved aside": lambda file: file.rename(file.with_name("damaged")),
}


def assert_nothing_is_paid_twice(project, server):
    """Neither without consent, when at most the message is new, nor for more than what is lost."""
    before = content(project)
    done = project.run()
    assert server.calls.total() == 0
    if done.returncode == 0:
        return
    after = content(project)
    assert {name: after[name] for name in before} == before
    if "is damaged" in done.problem:
        for file in (project.folder / ".ledger").glob("*.sqlite3*"):
            file.unlink()
        done = project.run()
    assert "GRAPH_EVALUATOR_PAY_AGAIN=1" in done.problem
    lost = int(done.stderr.rpartition(" would cost money")[0].split()[-2])
    assert project.run(GRAPH_EVALUATOR_PAY_AGAIN="1").returncode == 0
    assert server.calls.total() == lost
    assert project.run().returncode == 0
    assert server.calls.total() == lost


@pytest.mark.parametrize("tenth", range(10))
def test_one_flipped_byte_anywhere_in_the_ledger(tenth, project, server):
    size = (project.folder / LEDGER).stat().st_size
    flip(project.folder / LEDGER, size * tenth // 10 + 7 * tenth)
    shutil.rmtree(project.folder / "results/responses")
    assert_nothing_is_paid_twice(project, server)


@cases("loss", LOSSES)
def test_a_lost_ledger_without_results(loss, project, server):
    shutil.rmtree(project.folder / "results/responses")
    loss(project.folder / LEDGER)
    assert_nothing_is_paid_twice(project, server)


@cases("loss", LOSSES)
def test_a_lost_ledger_is_filled_from_results(loss, project, server):
    loss(project.folder / LEDGER)
    before = project.outputs()
    assert project.run().returncode == 0
    assert (server.calls.total(), project.outputs()) == (0, before)
    shutil.rmtree(project.folder / "results")
    assert project.run().returncode == 0
    assert server.calls.total() == 0


@cases("options", {"a run": (), "a dry run": ("--dry-run",), "of simulated models": ("sim",)})
def test_a_damaged_ledger_is_refused_whatever_is_run_and_nothing_changes(options, project, server):
    if options == ("sim",):
        project.set(models=["sim"])
        options = ()
    cut(project.folder / LEDGER)
    (project.folder / "results/responses/m/b2/response-2.json").unlink()
    before = content(project)
    done = project.run(*options)
    assert (done.returncode, server.calls.total(), content(project)) == (2, 0, before)
    assert f"the ledger {project.folder / LEDGER} is damaged" in done.problem
    assert f"mv {project.folder / LEDGER}*" in done.problem


def test_of_a_damaged_ledger_is_said_what_nothing_else_has(project):
    cut(project.folder / LEDGER)
    assert "have every answer of this run" in project.run().problem
    (project.folder / "results/responses/m/b2/response-2.json").unlink()
    assert "those lack 1 answer of this run: m/b2/response-2.json" in project.run().problem


def test_a_manifest_that_only_git_has_counts(project, server):
    for command in (["init", "-q"], ["add", "results/run.json"], ["commit", "-qm", "run"]):
        git_output(*command, folder=project.folder)
    for lost in (".ledger", "results"):
        shutil.rmtree(project.folder / lost)
    assert_nothing_is_paid_twice(project, server)
    assert server.calls.total() == CELLS


def test_the_message_names_what_is_lost_and_a_dry_run_shows_it(project, server):
    (project.folder / LEDGER).unlink()
    (project.folder / "results/responses/m/b2/response-2.json").unlink()
    message = "1 answer that was paid for is neither in the ledger"
    forecast = project.run("--dry-run").stdout
    assert "a run would stop" in forecast
    for printed in (project.run().problem, forecast):
        assert message in printed
        assert "m/b2/response-2.json" in printed


def test_what_was_never_paid_for_is_called(project, server):
    (project.folder / LEDGER).unlink()
    shutil.rmtree(project.folder / "results/responses")
    project.write("prompts/draft.txt", "Another prompt.\n")
    assert project.run().returncode == 0
    assert server.calls.total() == CELLS


@cases("changed", {"at no price": {"input_per_1m": 0.0, "output_per_1m": 0.0}, "unpriced": None})
def test_a_model_that_costs_nothing_is_called_again(changed, project, server):
    file = project.folder / "models/m.json"
    config = json.loads(file.read_text())
    del config["pricing"]
    if changed is not None:
        config["pricing"] = changed | {"source": "a test"}
    file.write_text(json.dumps(config))
    (project.folder / LEDGER).unlink()
    shutil.rmtree(project.folder / "results/responses")
    assert project.run().returncode == 0
    assert server.calls.total() == CELLS


@cases(
    "lost, message, calls",
    {
        "every answer": ("=", "does not keep what is stored", 1),
        "every earlier answer": ("<>", "has lost 7 answers that were paid for in this run", CELLS),
    },
)
def test_a_run_whose_ledger_loses_answers_ends_and_pays_for_no_cell_twice(
    lost, message, calls, project, server
):
    with closing(sqlite3.connect(project.folder / LEDGER)) as connection, connection:
        forget = f"DELETE FROM answers WHERE fingerprint {lost} new.fingerprint"
        connection.execute(f"CREATE TRIGGER lose AFTER INSERT ON answers BEGIN {forget}; END")
    project.set(generate={"samples": 2}, runtime={"max_concurrency": 1})
    project.write("prompts/draft.txt", "Another prompt.\n")
    before = project.outputs()
    done = project.run()
    assert (done.returncode, project.outputs()) == (2, before)
    assert message in done.problem
    assert server.calls.total() == calls
