"""The stage as a command: what it writes, says and calls."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders.cases import cases
from tests.builders.provider import CountingServer, answer_body
from tests.generate.workspace import Workspace, model


def test_a_second_run_calls_nothing_and_writes_the_same_bytes(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        first = workspace.run()
        before = workspace.outputs()
        second = workspace.run()
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert sum(server.calls.values()) == 3
    assert workspace.outputs() == before
    assert "3 cells: 3 success; nothing was called" in second.stderr


def test_briefs_of_reliability_are_called_once_each_and_only_when_asked_for(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url), generate={"samples": 2})
        workspace.run()
        before = workspace.outputs()
        for name in ("r1", "r2"):
            workspace.write(f"briefs/{name}.md", f"---\npurpose: reliability\n---\n{name}\n")
        workspace.run()
        assert workspace.outputs() == before
        workspace.set(generate={"samples": 2, "reliability": False})
        workspace.run()
        assert workspace.outputs() == before
        workspace.set(generate={"samples": 2, "reliability": True})
        done = workspace.run()
    assert "8 cells: 8 success" in done.stderr
    assert server.calls == {"brief 1": 2, "brief 2": 2, "brief 3": 2, "r1": 1, "r2": 1}


def test_a_response_holds_what_the_contract_promises(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=1)
        workspace.run()
    response = workspace.response("m/b1")
    assert response["status"] == "success"
    assert response["parsed_graph"] == {"nodes": [], "edges": []}
    assert response["est_cost_usd"] == pytest.approx((1000 * 2 + 500 * 8) / 1e6)
    assert response["pricing_source"] == "a test"
    assert response["endpoint"] == server.url
    assert (response["attempts"], response["draws"]) == (1, 1)


def test_the_manifest_keeps_its_commit_while_nothing_else_in_it_differs(tmp_path: Path) -> None:
    def commit() -> str:
        run_git(tmp_path, "commit", "-q", "--allow-empty", "-m", "state")
        return run_git(tmp_path, "rev-parse", "HEAD")

    def recorded() -> str:
        sha: str = json.loads((tmp_path / "results/run.json").read_bytes())["git_sha"]
        return sha

    with CountingServer() as server:
        workspace = Workspace(tmp_path, model("a", url=server.url))
        run_git(tmp_path, "init", "-q")
        first = commit()
        workspace.run()
        assert recorded() == first
        commit()
        workspace.run()
        assert recorded() == first
        (tmp_path / "results/responses/a/b1/response.json").unlink()
        workspace.run()
        assert recorded() == first
        third = commit()
        workspace.write("models/b.json", json.dumps(model("b", url=server.url)))
        workspace.run()
        assert recorded() == third
        (tmp_path / "results/run.json").write_text("{}")
        fourth = commit()
        workspace.run()
        assert recorded() == fourth


def run_git(folder: Path, *arguments: str) -> str:
    """What git says in a folder."""
    identity = ["-c", "user.name=A test", "-c", "user.email=test@example.org"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_switching_the_prompt_away_and_back_costs_nothing_the_third_time(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        before = workspace.outputs()
        workspace.write("prompts/other.txt", "Draft something else.\n")
        workspace.set(prompt="prompts/other.txt")
        workspace.run()
        assert workspace.outputs() != before
        workspace.set(prompt="prompts/draft.txt")
        workspace.run()
    assert workspace.outputs() == before
    assert sum(server.calls.values()) == 6


def test_a_new_model_calls_only_its_own_cells_and_a_dropped_one_leaves_no_files(
    tmp_path: Path,
) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model("a", url=server.url))
        workspace.run()
        before = workspace.outputs()
        workspace.write("models/b.json", json.dumps(model("b", url=server.url)))
        workspace.run()
        assert [body["model"] for body in server.bodies].count("b") == 3
        assert (tmp_path / "results/responses/b/b1/response.json").is_file()
        workspace.set(models=["a"])
        workspace.run()
    assert workspace.outputs() == before
    assert not (tmp_path / "results/responses/b").exists()
    assert len(server.bodies) == 6


def test_more_draws_call_again_only_where_an_answer_is_unusable_and_going_back_costs_nothing(
    tmp_path: Path,
) -> None:
    def answering(brief: str, nth: int) -> tuple[int, bytes]:
        return 200, answer_body("I would rather not." if brief == "brief 2" and nth < 3 else "{}")

    with CountingServer(answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        before = workspace.outputs()
        assert workspace.response("m/b2")["status"] == "parse_failed"
        workspace.set(generate={"unparsed_draws": 3})
        workspace.run()
        assert server.calls == {"brief 1": 1, "brief 2": 3, "brief 3": 1}
        response = workspace.response("m/b2")
        assert (response["status"], response["draws"]) == ("success", 3)
        assert response["est_cost_usd"] == pytest.approx(3 * 0.006)
        workspace.set(generate={"unparsed_draws": 1})
        workspace.run()
    assert sum(server.calls.values()) == 5
    drawn = {name: content for name, content in workspace.outputs().items() if name != "run.json"}
    assert drawn == {name: content for name, content in before.items() if name != "run.json"}


def test_pulled_responses_are_adopted_before_a_run_with_another_prompt_replaces_them(
    tmp_path: Path,
) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model("a", url=server.url))
        workspace.run()
        shutil.rmtree(tmp_path / ".ledger")
        first = (tmp_path / "prompts/draft.txt").read_text()
        workspace.write("prompts/draft.txt", "Another prompt.\n")
        workspace.run()
        calls = sum(server.calls.values())
        workspace.write("prompts/draft.txt", first)
        workspace.run()
        assert sum(server.calls.values()) == calls


def test_a_pulled_response_is_adopted_and_not_paid_for_again(tmp_path: Path) -> None:
    def answering(brief: str, nth: int) -> tuple[int, bytes]:
        return 200, answer_body("no graph" if brief == "brief 1" and nth == 1 else "{}")

    with CountingServer(answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url), generate={"unparsed_draws": 2})
        workspace.run()
        before = workspace.outputs()
        for file in (tmp_path / ".ledger").iterdir():
            file.unlink() if file.is_file() else file.rmdir()
        again = workspace.run()
    assert sum(server.calls.values()) == 4
    assert workspace.outputs() == before
    assert "nothing was called" in again.stderr


def test_a_cell_without_an_answer_is_reported_and_is_the_only_one_that_the_next_run_calls(
    tmp_path: Path,
) -> None:
    def answering(brief: str, nth: int) -> tuple[int, bytes]:
        if brief == "brief 2" and nth == 1:
            return 400, b'{"error": {"message": "no such thing", "code": "invalid_value"}}'
        return 200, answer_body()

    with CountingServer(answering) as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        first = workspace.run()
        assert first.returncode == 0
        assert "1 cell has no answer: `dvc repro -f` calls just it" in first.stderr
        failed = workspace.response("m/b2")
        assert (failed["status"], failed["failure_code"], failed["raw_text"]) == (
            "invalid_request",
            "invalid_value",
            None,
        )
        workspace.run()
    assert server.calls == {"brief 1": 1, "brief 2": 2, "brief 3": 1}
    assert workspace.response("m/b2")["status"] == "success"


def test_a_cell_without_an_answer_is_an_error_where_all_are_required(tmp_path: Path) -> None:
    def answering(brief: str, nth: int) -> tuple[int, bytes]:
        if brief == "brief 2":
            return 400, b'{"error": {"message": "no such thing"}}'
        return 200, answer_body()

    with CountingServer(answering) as server:
        done = Workspace(tmp_path, model(url=server.url), runtime={"require_all": True}).run()
    assert done.returncode == 1
    assert "runtime.require_all: 1 cell has no answer; the commonest reason" in done.stderr


@cases(
    "models, notes",
    {
        "simulated models only": (["sim"], 1),
        "a model with a key": (["sim", "m"], 0),
    },
)
def test_a_key_that_no_model_of_the_run_uses_is_reported_once(
    models: list[str], notes: int, tmp_path: Path
) -> None:
    simulated = model("sim") | {"provider": "simulated", "model": "sim-careful"}
    with CountingServer() as server:
        keyed = model("m", url=server.url, api_key_env="A_KEY")
        workspace = Workspace(tmp_path, simulated, keyed, models=models)
        done = workspace.run(A_KEY="sk-of-a-test-0123456789")
    assert done.stderr.count("A_KEY is set, but all models are simulated") == notes


def test_no_answer_at_all_ends_with_an_error_that_names_the_commonest_reason_of_each_model(
    tmp_path: Path,
) -> None:
    def answering(brief: str, nth: int) -> tuple[int, bytes]:
        message = "too long" if brief == "brief 2" else "no such \u001b[31mmodel"
        return 400, json.dumps({"error": {"message": message}}).encode()

    with CountingServer(answering) as server:
        done = Workspace(tmp_path, model(url=server.url), model("n", url=server.url)).run()
    assert done.returncode == 1
    assert (
        "no cell has an answer; the commonest reason of each model:\n  m: HTTP 400: no such"
        in done.stderr
    )
    assert "\n  n: HTTP 400" in done.stderr
    assert "\u001b" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_in_place_of_the_results_is_one_sentence_and_no_answer_is_lost(
    tmp_path: Path,
) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        (tmp_path / "results").write_text("in the way")
        done = workspace.run()
        assert done.returncode == 2
        kept = "results cannot be written (File exists); every answer is kept in the ledger"
        assert kept in done.stderr
        assert "Traceback" not in done.stderr
        (tmp_path / "results").unlink()
        assert workspace.run().returncode == 0
    assert sum(server.calls.values()) == 3


def empty(ledger: Path) -> None:
    ledger.write_bytes(b"")


def alter(ledger: Path) -> None:
    with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("UPDATE answers SET body = cast(x'7b22ff7d' AS TEXT) WHERE rowid = 2")


@cases(
    "damage, reported",
    {
        "an emptied ledger": (empty, "had 0 bytes; it is set aside as answers.damaged-1.sqlite3"),
        "an altered answer": (alter, "cannot be used, kept in its table damaged_answers"),
    },
)
def test_damage_is_reported_and_the_answers_are_taken_from_the_responses(
    tmp_path: Path, damage: Callable[[Path], None], reported: str
) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        before = workspace.outputs()
        damage(tmp_path / ".ledger/answers.sqlite3")
        done = workspace.run()
    assert (done.returncode, reported in done.stderr) == (0, True)
    assert sum(server.calls.values()) == 3
    assert workspace.outputs() == before


def test_a_ledger_of_which_nothing_can_be_read_is_not_paid_for_again_without_consent(
    tmp_path: Path,
) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        (tmp_path / ".ledger/answers.sqlite3").write_bytes(b"not a database" * 1000)
        (tmp_path / "results/responses/m/b2/response.json").unlink()
        assert "it is set aside as answers.damaged-1.sqlite3" in workspace.run().stderr
        stopped = workspace.run()
        assert stopped.returncode == 2
        assert "GRAPH_EVALUATOR_PAY_AGAIN=1" in stopped.stderr
        assert sum(server.calls.values()) == 3
        assert workspace.run(GRAPH_EVALUATOR_PAY_AGAIN="1").returncode == 0
        assert workspace.run().returncode == 0
    assert server.calls == {"brief 1": 1, "brief 2": 2, "brief 3": 1}


def test_a_response_that_was_edited_or_whose_price_changed_is_written_again(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        workspace.run()
        before = workspace.outputs()
        (tmp_path / "results/responses/m/b1/response.json").write_text("{}")
        workspace.run()
        assert workspace.outputs() == before
        pricing = {"input_per_1m": 4.0, "output_per_1m": 16.0, "source": "a test"}
        workspace.write("models/m.json", json.dumps(model(url=server.url, pricing=pricing)))
        workspace.run()
        assert workspace.response("m/b1")["est_cost_usd"] == pytest.approx(0.012)
    assert sum(server.calls.values()) == 3


def test_a_missing_key_is_reported_before_anything_is_called(tmp_path: Path) -> None:
    workspace = Workspace(
        tmp_path,
        model("a", url="https://example.invalid/v1", api_key_env="SOME_KEY"),
        model("b", url="https://example.invalid/v1", api_key_env="SOME_KEY"),
    )
    done = workspace.run()
    assert done.returncode == 2
    assert "SOME_KEY: is not set, and a, b need it" in done.stderr
    assert not (tmp_path / "results").exists()


def test_a_dry_run_needs_no_key_calls_nothing_and_leaves_no_file(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, model(url="https://example.invalid/v1", api_key_env="SOME_KEY"))
    done = workspace.run("--dry-run")
    assert done.returncode == 0, done.stderr
    heading, _, row, reasons, *_, hint = done.stdout.splitlines()
    assert heading == "Prompt draft, 1 model, 3 briefs, 1 sample:"
    assert row.split() == ["m", "3", "0", "3", "$0.384"]
    assert reasons == "why not stored: nothing stored (3)"
    assert hint == "Each cell: --cells"
    assert not (tmp_path / ".ledger").exists()
    assert not (tmp_path / "results").exists()


def test_a_dry_run_names_the_field_that_made_a_cell_miss(tmp_path: Path) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url), briefs=1)
        workspace.run()
        assert " stored " in workspace.run("--dry-run", "--cells").stdout
        workspace.write(
            "models/m.json", json.dumps(model(url=server.url, params={"temperature": 0.5}))
        )
        assert "settings.temperature" in workspace.run("--dry-run").stdout
        options = ("--cells", "--samples", "2", "--briefs", "b1", "--models", "m")
        done = workspace.run("--dry-run", *options)
    rows = [line.split()[:4] for line in done.stdout.splitlines() if line.startswith("b1")]
    assert rows == [["b1", sample, "to", "call"] for sample in "12"]
    assert "2 cells: 0 answered already, 2 to call" in done.stdout
    assert sum(server.calls.values()) == 1


def test_the_forecast_names_the_settings_that_differ_from_the_last_commit(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, model(url="http://127.0.0.1:1/v1"), briefs=1)
    assert "last commit" not in workspace.run("--dry-run").stdout
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "add", "params.yaml")
    run_git(tmp_path, "commit", "-q", "-m", "state")
    workspace.set(generate={"samples": 2})
    done = workspace.run("--dry-run")
    assert (
        "note: not as in the last commit: generate.samples 2 (was 1); `git checkout params.yaml`"
        in done.stdout
    )
    assert "2 cells: 0 answered already, 2 to call: $0.0" in done.stdout


def test_problems_of_all_files_are_one_message(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, model(target_mode="quick"), generate={"samples": True})
    workspace.write("briefs/b1.md", "no front-matter")
    done = workspace.run()
    assert done.returncode == 2
    assert "3 problems found" in done.stderr
    assert all(
        part in done.stderr
        for part in ("params.yaml: generate.samples", "models/m.json", "briefs/b1.md")
    )
    assert not (tmp_path / ".ledger").exists()


@cases(
    "arguments, message",
    {
        "cells without a dry run": (["--cells"], "goes with --dry-run"),
        "an override without a dry run": (["--models", "m"], "goes with --dry-run"),
        "an override of what is cancelled": (["--cancel-batches", "--models", "m"], "goes alone"),
        "no samples": (["--dry-run", "--samples", "0"], "must be 1 to 1000"),
        "an unknown model": (["--dry-run", "--models", "n"], 'nothing in models/ matches "n"'),
    },
)
def test_a_wrong_option_is_one_message(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = Workspace(tmp_path, model()).run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_environments_base_url_is_honoured_and_shown(tmp_path: Path) -> None:
    with CountingServer() as server:
        done = Workspace(tmp_path, model(), briefs=1).run(OPENAI_BASE_URL=server.url)
    assert sum(server.calls.values()) == 1
    assert f"OPENAI_BASE_URL is set: calls go to {server.url}" in done.stderr


@pytest.mark.parametrize("kind", ["a folder", "a link to itself"])
@pytest.mark.parametrize(
    "place",
    [
        ".ledger/open.lock",
        ".ledger/claims.lock",
        ".ledger/writing.lock",
        ".ledger/answers.sqlite3",
        "results/run.json",
    ],
)
def test_what_is_no_file_where_one_is_needed_is_one_sentence(
    tmp_path: Path, place: str, kind: str
) -> None:
    with CountingServer() as server:
        workspace = Workspace(tmp_path, model(url=server.url))
        file = tmp_path / place
        file.parent.mkdir()
        if kind == "a folder":
            file.mkdir()
        else:
            file.symlink_to(file.name)
        done = workspace.run()
    assert done.returncode == 2
    (error,) = [line for line in done.stderr.splitlines() if "error" in line]
    assert place in error


def test_a_path_that_is_too_long_is_one_short_sentence(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, model(), prompt="prompts/" + "x" * 5_000 + ".txt")
    done = workspace.run()
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "File name too long" in done.stderr
    assert len(done.stderr) < 300
