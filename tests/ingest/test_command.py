"""What the command makes of a log, what it prints, and what it leaves alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from stages.ingest import __main__ as command
from stages.score import __main__ as score_stage
from tests.builders.cases import cases
from tests.builders.provider import CountingServer
from tests.generate.workspace import Done, Workspace, model

SYSTEM = "Draft a better graph."


class IngestWorkspace(Workspace):
    """A project whose brief b1 has the body "brief 1", and a log outside of it."""

    def __init__(self, folder: Path, *entries: dict[str, Any] | str) -> None:
        super().__init__(folder / "project")
        self.log = folder / "log.jsonl"
        self.write_log(*entries)

    def write_log(self, *entries: dict[str, Any] | str) -> None:
        lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
        self.log.write_text("\n".join(lines))

    def ingest(self, *options: str, logs: tuple[str, ...] = ("../log.jsonl",)) -> Done:
        arguments = [*logs, "--as", "log", *options]
        return self.run(main=lambda: command.main(arguments))

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    @property
    def answers(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read("answers/log.jsonl").splitlines()]

    def files(self) -> dict[str, bytes]:
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}


def pair(text: str, output: Any = "{}", **stated: Any) -> dict[str, Any]:
    return {"input": text, "output": output} | stated


def chat(text: str, system: str = SYSTEM) -> dict[str, Any]:
    turns = (("system", system), ("user", text), ("assistant", "{}"))
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def problem(done: Done) -> str:
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


def test_inputs_match_briefs_by_their_words_and_new_ones_become_traffic(tmp_path: Path) -> None:
    project = IngestWorkspace(
        tmp_path,
        pair("brief  1\r\n", model="m-1", latency_ms=8),
        pair("Brief 1"),
        {"brief": "b2", "output": {"nodes": []}},
        pair("brief 1", "no"),
    )
    done = project.ingest()
    assert done.returncode == 0, done.stderr
    first, traffic, graph, second = project.answers
    assert first == {"brief": "b1", "sample": 1, "model": "m-1", "latency_ms": 8.0, "text": "{}"}
    assert (second["brief"], second["sample"], second["text"]) == ("b1", 2, "no")
    assert graph == {"brief": "b2", "sample": 1, "graph": {"nodes": []}}
    text = project.read(f"briefs/{traffic['brief']}.md")
    assert text == "---\npurpose: traffic\n---\n\nBrief 1\n"
    report = project.read("answers/log.report.txt").splitlines()[1:]
    assert report == [
        "log.jsonl line 1: matched b1, sample 1",
        f"log.jsonl line 2: new {traffic['brief']}, sample 1",
        "log.jsonl line 3: matched b2, sample 1",
        "log.jsonl line 4: matched b1, sample 2",
    ]


def test_the_model_is_scored_and_nothing_is_called_for_its_traffic(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("brief 1", model="m-1"), pair("traffic 1"))
    project.ingest()
    with CountingServer() as server:
        project.write("models/called.json", json.dumps(model("called", url=server.url)))
        assert project.run().returncode == 0
        assert server.calls == {"brief 1": 1, "brief 2": 1, "brief 3": 1}
    assert project.run(main=lambda: score_stage.main([])).returncode == 0
    cards = [json.loads(line) for line in project.read("results/scorecards.jsonl").splitlines()]
    assert [card["model_id"] for card in cards].count("log") == 2


def test_the_same_command_again_changes_nothing(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, chat("brief 1"), chat("new"), chat("new"), "{cut")
    first = project.ingest()
    files = project.files()
    again = project.ingest()
    assert "1 brief with purpose: traffic" in first.stdout
    assert again.stdout.endswith("nothing changed\n")
    assert project.files() == files


def test_a_longer_log_replaces_the_answers_and_keeps_the_config(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("new"))
    project.ingest()
    config = project.read("models/log.json").replace('"normal"', '"deep"')
    project.write("models/log.json", config)
    project.write_log(pair("new"), pair("newer"))
    assert project.ingest().returncode == 0
    assert len(project.answers) == 2
    assert project.read("models/log.json") == config


def test_a_dry_run_counts_every_line_and_writes_nothing(tmp_path: Path) -> None:
    entries = (pair("brief 1"), pair("new"), pair("new"), "{cut", pair("", "x"))
    project = IngestWorkspace(tmp_path, *entries)
    files = project.files()
    done = project.ingest("--dry-run")
    assert project.files() == files
    counts = [line.split() for line in done.stdout.splitlines()[:4]]
    assert counts == [["1", "doubled"], ["1", "matched"], ["1", "new"], ["2", "unreadable"]]
    assert "log.jsonl line 4: unreadable is not JSON" in done.stdout
    assert "log.jsonl line 5: unreadable has no input" in done.stdout


def test_of_many_lines_that_cannot_be_used_the_first_are_named(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("new"), *["{cut"] * 25)
    lines = project.ingest("--dry-run").stdout.splitlines()
    named = [line for line in lines if "unreadable is not JSON" in line]
    assert len(named) == 20
    assert "log.jsonl line 21:" in named[-1]


def test_matches_are_replaced_before_inputs_are_matched(tmp_path: Path) -> None:
    escaped = r'{"label": "Jos\u00e9"}'
    project = IngestWorkspace(
        tmp_path,
        pair("Hire José or Ann?", {"Ann": ["ann@example.com"]}, model="Ann"),
        pair("Hire Bob or Ann?", escaped),
        pair("Hire [redacted] or [redacted]?", "key sk-abcdef0123456789 in an answer"),
    )
    options = ("--redact", "José|Ann|Bob", "--redact", r"[\w.]+@[\w.]+")
    done = project.ingest(*options)
    assert len({answer["brief"] for answer in project.answers}) == 1
    written = b"".join(project.files().values())
    words = (b"Jos", b"Ann", b"Bob", b"ann@", b"sk-abc")
    assert [word for word in words if word in written] == []
    assert "9  matches" in done.stdout
    assert "nothing changed" in project.ingest(*options).stdout


@cases(
    "pattern, fault",
    {"broken": ("(", "is not a regular expression"), "empty": ("x*", "matches an empty text")},
)
def test_a_bad_pattern_is_one_message(tmp_path: Path, pattern: str, fault: str) -> None:
    project = IngestWorkspace(tmp_path, pair("new"))
    message = problem(project.ingest("--redact", pattern, "--redact", "["))
    assert "2 problems found" in message
    assert fault in message


@cases(
    "system, prompt",
    {
        "the run's": ("Draft a  decision graph.", "prompts/draft.txt"),
        "its own": (SYSTEM, "prompts/log.txt"),
    },
)
def test_the_system_prompt_of_a_log_is_the_prompt_of_its_model(
    tmp_path: Path, system: str, prompt: str
) -> None:
    project = IngestWorkspace(tmp_path, chat("brief 1", system))
    project.ingest()
    assert json.loads(project.read("models/log.json"))["prompt"] == prompt
    assert project.read(prompt).split() == system.split()
    assert project.run().returncode == 0


def promptfoo(provider: str) -> dict[str, Any]:
    return {
        "prompt": {"raw": "brief 1"},
        "vars": {},
        "provider": {"id": provider},
        "response": {"output": provider},
    }


def test_one_provider_of_several_is_chosen(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, promptfoo("a:x"), promptfoo("b:y"))
    assert "providers: choose one with --provider: a:x, b:y" in problem(project.ingest())
    assert project.ingest("--provider", "b:y").returncode == 0
    assert [answer["text"] for answer in project.answers] == ["b:y"]
    assert "line 1: other provider" in project.read("answers/log.report.txt")


@cases(
    "entries, fault",
    {
        "nothing of use": (["{cut", pair("", "x")], "has no answer that can be used\n  log.jsonl line 1"),
        "two prompts": ([chat("a"), chat("b", "Other."), pair("c")],
                        "system prompts: 3 different ones, or none in some lines, first at log.jsonl line 1, "
                        "log.jsonl line 2, log.jsonl line 3: make a log for each"),
        "an unknown brief": ([{"brief": "b9", "output": "x"}], "names a brief that does not exist"),
        "a brief of another input": ([{"brief": "b1", "input": "brief 2", "output": "x"}],
                                     "names a brief whose text is not its input"),
        "NUL": ([pair("a\0b")], "has an input with a NUL character"),
        "half a pair": ([pair("\ud800")], "has an input with half a surrogate pair"),
        "too long": ([pair("x" * 1_000_001)], "has an input of more than 1,000,000 bytes"),
    },
)  # fmt: skip
def test_a_log_that_cannot_be_used_is_one_message_and_nothing_is_written(
    tmp_path: Path, entries: list[dict[str, Any] | str], fault: str
) -> None:
    project = IngestWorkspace(tmp_path, *entries)
    files = project.files()
    assert fault in problem(project.ingest())
    assert project.files() == files


@cases(
    "path, text, fault",
    {
        "answers": ("answers/log.jsonl", "{}", "answers/log.jsonl: was not written by this command"),
        "a report": ("answers/log.report.txt", "mine", "was not written by this command"),
        "a config": ("models/log.json", json.dumps(model("log")), 'answers: is not "answers/log'),
        "a broken config": ("models/log.json", "{", "models/log.json: is not JSON"),
        "a prompt": ("prompts/log.txt", "Mine.", "prompts/log.txt: has another text"),
        "a brief": ("briefs/log-11507a0e2f5e.md", "---\n---\nMine.", "has another text"),
        "elsewhere": ("answers/log.jsonl.dvc", "outs: []", "is not here: run `dvc pull`"),
    },
)  # fmt: skip
def test_a_file_that_it_did_not_write_is_never_overwritten(
    tmp_path: Path, path: str, text: str, fault: str
) -> None:
    project = IngestWorkspace(tmp_path, chat("new"))
    (project.folder / "answers").mkdir()
    project.write(path, text)
    files = project.files()
    assert fault in problem(project.ingest())
    assert project.files() == files


def test_answers_that_were_changed_by_hand_are_kept(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("new"))
    project.ingest()
    project.write("answers/log.jsonl", "{}\n")
    assert "or was changed" in problem(project.ingest())


def test_a_config_with_another_prompt_is_not_changed(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("new"))
    project.ingest()
    project.write_log(chat("new"))
    assert 'prompt: must be "prompts/log.txt", the system prompt' in problem(project.ingest())


@pytest.mark.parametrize("arguments", [["--as", "../x"], ["--as", "x" * 81]])
def test_an_id_is_never_a_path(tmp_path: Path, arguments: list[str]) -> None:
    project = IngestWorkspace(tmp_path, pair("a"))
    assert "--as: must be at most 80 letters" in problem(project.ingest(*arguments))


def test_a_project_without_briefs_begins_with_those_of_its_log(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("a"))
    for file in (project.folder / "briefs").iterdir():
        file.unlink()
    assert project.ingest().returncode == 0
    assert project.run().returncode == 0
