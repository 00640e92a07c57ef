"""The stage as a command: what it writes, says and calls."""

import json
from functools import partial

import pytest

from graph_evaluator.shell.repository import git_output
from tests.builders.cases import cases
from tests.builders.provider import answer_body
from tests.generate.workspace import Workspace, model

NO_GRAPH = (200, answer_body("I would rather not."))
REFUSED = (400, b'{"error": {"message": "no such \\u001b[31mmodel", "code": "invalid_value"}}')
NOWHERE = "https://example.invalid/v1"


def commit(workspace):
    """The commit of the project as it is."""
    git = partial(git_output, folder=workspace.folder)
    git("add", "params.yaml")
    git("commit", "-q", "--allow-empty", "-m", "state")
    return git("rev-parse", "HEAD").strip()


def test_a_second_run_calls_nothing_and_writes_the_same_bytes(server, workspace):
    first = workspace.run()
    before = workspace.outputs()
    second = workspace.run()
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert server.calls.total() == 3
    assert workspace.outputs() == before
    response = workspace.response("m/b1")
    assert response["est_cost_usd"] == pytest.approx((1000 * 2 + 500 * 8) / 1e6)
    assert response["endpoint"] == server.url
    assert "3 answers: 3 success; nothing was called" in second.stderr


def test_the_manifest_keeps_its_commit_while_nothing_else_in_it_differs(server, workspace):
    def recorded():
        """The commit that the manifest of a run names."""
        workspace.run()
        return json.loads((workspace.folder / "results/run.json").read_bytes())["git_sha"]

    assert recorded() is None
    git_output("init", "-q", folder=workspace.folder)
    first = commit(workspace)
    assert recorded() == first
    commit(workspace)
    assert recorded() == first
    workspace.write("results/run.json", "{}")
    third = commit(workspace)
    assert recorded() == third


def test_a_new_model_calls_only_its_own_cells_and_a_dropped_one_leaves_no_files(server, workspace):
    workspace.run()
    before = workspace.outputs()
    workspace.write("models/n.json", json.dumps(model("n", url=server.url)))
    workspace.run()
    assert [body["model"] for body in server.bodies] == ["m"] * 3 + ["n"] * 3
    assert workspace.response("n/b1")["status"] == "success"
    workspace.set(models=["m"])
    workspace.run()
    assert workspace.outputs() == before
    assert not (workspace.folder / "results/responses/n").exists()
    assert server.calls.total() == 6


def test_more_draws_call_again_only_where_an_answer_is_unusable_and_going_back_costs_nothing(
    server, workspace
):
    server.script["brief 2"] = [NO_GRAPH, NO_GRAPH]
    workspace.run()
    before = workspace.outputs()
    assert workspace.response("m/b2")["status"] == "parse_failed"
    workspace.set(generate={"unparsed_draws": 3})
    workspace.run()
    assert server.calls == {"brief 1": 1, "brief 2": 3, "brief 3": 1}
    response = workspace.response("m/b2")
    assert response["status"] == "success"
    assert response["draws"] == 3
    assert response["est_cost_usd"] == pytest.approx(3 * 0.006)
    workspace.set(generate={"unparsed_draws": 1})
    workspace.run()
    assert server.calls.total() == 5
    after = workspace.outputs()
    assert after | {"run.json": b""} == before | {"run.json": b""}


def test_a_cell_without_an_answer_is_reported_and_is_the_only_one_that_the_next_run_calls(
    server, workspace
):
    server.script["brief 2"] = [REFUSED, REFUSED]
    first = workspace.run()
    assert first.returncode == 0
    assert "1 answer is still missing: `dvc repro -f`" in first.stderr
    failed = workspace.response("m/b2")
    assert failed["status"] == "invalid_request"
    assert failed["failure_code"] == "invalid_value"
    assert failed["raw_text"] is None
    workspace.set(runtime={"require_all": True})
    second = workspace.run()
    assert second.returncode == 1
    assert "runtime.require_all: 1 answer is missing; the most frequent reason" in second.stderr
    assert workspace.run().returncode == 0
    assert server.calls == {"brief 1": 1, "brief 2": 3, "brief 3": 1}
    assert workspace.response("m/b2")["status"] == "success"


def test_no_answer_at_all_ends_with_an_error_that_names_the_commonest_reason_of_each_model(
    server, workspace
):
    server.answering = lambda *_: REFUSED
    server.script["brief 2"] = [(400, b'{"error": {"message": "too long"}}')] * 2
    workspace.write("models/n.json", json.dumps(model("n", url=server.url)))
    done = workspace.run()
    assert done.returncode == 1
    reasons = "no model answered; the most frequent reason of each model:\n  m: HTTP 400: no such"
    assert reasons in done.stderr
    assert "\n  n: HTTP 400" in done.stderr
    assert "\u001b" not in done.stderr


def test_a_file_in_place_of_the_results_is_one_sentence_and_no_answer_is_lost(server, workspace):
    workspace.write("results", "in the way")
    assert "results" in workspace.run().problem
    (workspace.folder / "results").unlink()
    assert workspace.run().returncode == 0
    assert server.calls.total() == 3


def test_a_missing_key_is_reported_before_anything_is_called(tmp_path):
    models = [model(name, url=NOWHERE, api_key_env="SOME_KEY") for name in "ab"]
    problem = Workspace(tmp_path, *models).run().problem
    assert "SOME_KEY: is not set: set it in the environment or in .env, for a, b" in problem
    assert not (tmp_path / "results").exists()


def test_a_dry_run_needs_no_key_calls_nothing_and_leaves_no_file(tmp_path):
    workspace = Workspace(tmp_path, model(url=NOWHERE, api_key_env="SOME_KEY"))
    done = workspace.run("--dry-run")
    assert done.returncode == 0, done.stderr
    title, _titles, _rule, row, reasons, *_ = done.stdout.splitlines()
    assert title == "Prompt prompts/draft.txt, 3 briefs, 1 sample"
    assert row.split() == ["m", "3", "0", "3", "$0.384"]
    assert reasons == "why answers are missing: no stored answer of this model (3)"
    assert not (tmp_path / ".ledger").exists()
    assert not (tmp_path / "results").exists()


def test_problems_of_all_files_are_one_message(tmp_path):
    workspace = Workspace(tmp_path, model(target_mode="quick"), generate={"samples": True})
    workspace.write("briefs/b1.md", "---\n")
    problem = workspace.run().problem
    assert "3 problems found" in problem
    for place in ("params.yaml: generate.samples", "models/m.json", "briefs/b1.md"):
        assert place in problem
    assert not (tmp_path / ".ledger").exists()


def test_an_unknown_simulated_model_is_one_message_that_lists_those_there_are(tmp_path):
    drill = model(provider="simulated", model="drill-repairs")
    problem = Workspace(tmp_path, drill).run().problem
    assert 'models/m.json: model: there is no simulated model "drill-repairs"' in problem
    assert "sim-careful, " in problem
    assert not (tmp_path / "results").exists()


@cases(
    "arguments, message",
    {
        "an override without a dry run": (["--models", "m"], "needs --dry-run"),
        "an override of what is cancelled": (
            ["--cancel-batches", "--models", "m"],
            "allow no other option",
        ),
        "a removed option": (
            ["--dry-run", "--samples", "2"],
            "is no longer an option: set generate.samples",
        ),
        "an unknown model": (["--dry-run", "--models", "n"], 'nothing in models/ matches "n"'),
    },
)
def test_a_wrong_option_is_one_message(arguments, message, workspace):
    assert message in workspace.run(*arguments).problem


@cases(
    "url, message",
    {
        "too long": ("http://x/" + "a" * 70_000, "cannot be used: URL too long"),
        "no address of a network": ("http://999.1.1.1", "cannot be used: Invalid IPv4 address"),
        "a control character": ("http://x/\x1b", "must be an address that begins with"),
        "a password": ("https://me:hunter22@x/v1", "without user, password or query"),
    },
)
def test_an_address_that_no_client_takes_is_one_message(tmp_path, url, message):
    configured = Workspace(tmp_path / "configured", model(url=url))
    environment = Workspace(tmp_path / "environment", model())
    variables = {"OPENAI_API_KEY": "sk-canary-0000", "OPENAI_BASE_URL": url}
    for done in (configured.run(), environment.run(**variables)):
        assert message in done.problem
        assert "Traceback" not in done.stderr
        assert "hunter22" not in done.stderr


@cases(
    "file, arguments",
    {
        "a brief": ("briefs/\x1b[31m.md", []),
        "a model": ("models/\x1b[31m\n.json", []),
        "an option": ("models/n.json", ["--\x1b[31m"]),
    },
)
def test_a_control_character_of_a_name_is_shown_by_its_code(workspace, file, arguments):
    workspace.write(file, "{")
    done = workspace.run(*arguments)
    assert "⟨U+001B⟩[31m" in done.problem
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    "place",
    [".ledger/claims.lock", ".ledger/writing.lock", ".ledger/answers.sqlite3", "results/run.json"],
)
def test_what_is_no_file_where_one_is_needed_is_one_sentence(place, workspace):
    file = workspace.folder / place
    file.mkdir(parents=True)
    (error,) = [line for line in workspace.run().problem.splitlines() if "error" in line]
    assert place in error
