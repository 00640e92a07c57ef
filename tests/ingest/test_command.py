"""What the command makes of a log, what it prints, and what it leaves alone."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from graph_evaluator.ingest import __main__ as command
from tests.builders.cases import cases
from tests.generate.workspace import Done, Workspace, model

SYSTEM = "Draft a better graph."
GRAPH = '{"nodes": [], "edges": []}'


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

    def json(self, path: str) -> Any:
        return json.loads(self.read(path))

    @property
    def lines(self) -> list[bytes]:
        return self.read("answers/log.jsonl").encode().splitlines()

    @property
    def answers(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    @property
    def made_briefs(self) -> dict[str, str]:
        files = sorted((self.folder / "briefs").glob("prod-*.md"))
        return {file.stem: file.read_text(encoding="utf-8") for file in files}

    def files(self) -> dict[str, bytes]:
        """All files that git does not ignore."""
        found = (path for path in self.folder.glob("[!.]*/**/*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}


def pair(text: Any, output: Any = GRAPH, **stated: Any) -> dict[str, Any]:
    return {"input": text, "output": output} | stated


def chat(text: str, system: str = SYSTEM) -> dict[str, Any]:
    turns = (("system", system), ("user", text), ("assistant", GRAPH))
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def problem(done: Done) -> str:
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


def test_its_own_format_is_read_as_it_is(tmp_path: Path) -> None:
    lines: list[dict[str, Any] | str] = [
        {"brief": "b1", "text": GRAPH, "cost_usd": 0.0},
        {"brief": "b2", "graph": {"nodes": [], "edges": []}},
    ]
    project = IngestWorkspace(tmp_path, *lines)
    assert project.ingest().returncode == 0
    assert project.answers == [lines[0], {"brief": "b2", "text": '{"edges":[],"nodes":[]}'}]
    assert project.run().returncode == 0
    assert project.json("models/log.json")["answers"] == "answers/log.jsonl"


def test_inputs_match_briefs_by_their_words_and_all_others_are_named(tmp_path: Path) -> None:
    project = IngestWorkspace(
        tmp_path,
        pair("brief  1\r\n", model="m-1", latency_ms=8),
        pair("Brief 1"),
        pair("b3"),
        pair("brief 1", "no"),
    )
    files = set(project.files())
    done = project.ingest()
    assert done.returncode == 0, done.stderr
    first, by_id, second = project.answers
    assert first == {"brief": "b1", "model": "m-1", "latency_ms": 8.0, "text": GRAPH}
    assert (by_id["brief"], second["brief"], second["text"]) == ("b3", "b1", "no")
    assert set(project.files()) - files == {"answers/log.jsonl", "models/log.json"}
    assert '1 input that no brief matches, such as log.jsonl line 2: "Brief 1": ' in done.stdout


WRAPPED = "<brief>brief  1</brief> As JSON."


def test_an_input_belongs_to_the_one_brief_that_it_holds(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair(WRAPPED), pair(WRAPPED.replace("1", "2")))
    done = project.ingest()
    assert [answer["brief"] for answer in project.answers] == ["b1", "b2"]
    assert '2 inputs with text around the brief: "<brief>{brief}</brief> As JSON."' in done.stdout
    assert project.read("prompts/log.txt") == "<brief>{brief}</brief> As JSON.\n"


@cases(
    "inputs, fault",
    {
        "two briefs": (["brief 1 or brief 2"] * 2, "has b1 and b2 in one input"),
        "two texts around briefs": ([WRAPPED, "Draft: brief 2"], '"Draft: {brief}" (1): '),
        "with and without": ([WRAPPED, "brief 2"], 'differs: "<brief>{brief}</brief> As JSON." (1), "" (1)'),
        "within a word": (["brief 12", "xbrief 1"], "2 inputs that no brief matches, such as"),
    },
)  # fmt: skip
def test_inputs_that_are_not_of_one_brief_and_one_prompt_are_refused(
    tmp_path: Path, inputs: list[str], fault: str
) -> None:
    assert fault in problem(IngestWorkspace(tmp_path, *map(pair, inputs)).ingest())


def test_inputs_that_are_no_briefs_can_become_some(tmp_path: Path) -> None:
    front_matter = "---\ncomplexity: complex\n---\nHire?"
    project = IngestWorkspace(tmp_path, pair("Hire Ann?"), pair(front_matter), pair("brief 1"))
    assert (
        "briefs/ gets 2 new texts of the log, which git will track"
        in project.ingest("--make-briefs", "--redact", "Ann").stdout
    )
    first = project.made_briefs
    assert sorted(first.values()) == [f"---\n---\n{front_matter}\n", "Hire [redacted]?\n"]
    assert {answer["brief"] for answer in project.answers} == {*first, "b1"}
    project.write_log(pair("Buy Hire [redacted]? too"), pair("Hire  Ann?"), pair("Sell?"))
    project.ingest("--make-briefs", "--redact", "Ann")
    assert first.items() < project.made_briefs.items()
    assert len(project.made_briefs) == 4


def test_made_briefs_take_part_only_where_they_are_named(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("Hire?"), pair("brief 1"))
    project.ingest("--make-briefs")
    project.set(models=["log"])
    project.run()
    cells = project.folder / "results/responses/log"
    assert [cell.name for cell in cells.iterdir()] == ["b1"]
    project.set(briefs=["prod-*"])
    project.run()
    assert [cell.name for cell in cells.iterdir()] == [*project.made_briefs]
    project.set(briefs=["b2", "b3"])
    message = project.run().problem
    assert "briefs: the run has no cell: what is recorded is for b1, prod-" in message
    for file in (project.folder / "briefs").glob("b*.md"):
        file.unlink()
    project.set(briefs=["*"])
    message = project.run().problem
    assert 'chooses no brief: those that `ingest` made of a log are chosen by "prod-*"' in message


def test_failures_stay_in_a_log(tmp_path: Path) -> None:
    prose = "I need more detail."
    unknown = [{"frage": "brief 1", "antwort": GRAPH}, {"frage": "brief 2", "antwort": prose}]
    project = IngestWorkspace(tmp_path, *unknown, {"frage": "brief 3", "antwort": None})
    done = project.ingest("--accept-prose")
    assert [answer["text"] for answer in project.answers] == [GRAPH, prose]
    assert "unreadable: 1 of 3 records of briefs (33%)" in done.stdout


def test_more_than_one_in_twenty_unreadable_records_stop_it(tmp_path: Path) -> None:
    entries = [pair("brief 1", f'{{"nodes": [{number}], "edges": []}}') for number in range(38)]
    project = IngestWorkspace(tmp_path, *entries, pair("brief 2", None), pair("brief 3", None))
    assert "unreadable: 2 of 40 records of briefs (5%)" in project.ingest("--dry-run").stdout
    project.write_log(*entries[1:], pair("brief 2", None), pair("brief 3", None))
    assert (
        "unreadable: 2 of 39 records of briefs (5%), such as log.jsonl line 38: has no output: "
        "--output leads to it; log.jsonl line 39: has no output: --output leads to it; "
        "tried: --input input; --output output"
    ) in problem(project.ingest())


@cases(
    "stated, options, measured",
    {
        "names": ({"latencyMs": 8, "cost_usd": 0.5}, (), (8, 0.5)),
        "Portkey": ({"ai_org": "openai", "response_time": 8, "cost": 2.5}, (), (8, 0.025)),
        "LiteLLM": ({"call_type": "completion", "response_time": 8, "response_cost": 2}, (), (8000, 2)),
        "no unit": ({"latency": 8, "cost": 2.5}, (), (None, None)),
        "options": ({"t": 8, "c": 2}, ("--latency", "t:s", "--cost", "c:cents"), (8000, 0.02)),
        "names in options": ({"a": {"took_ns": 8e6, "fee_cents": 2}}, ("--latency", "a.took_ns", "--cost", "a.fee_cents"), (8, 0.02)),
        "another currency": ({"cost_eur": 2, "latency_days": 8}, (), (None, None)),
        "none": ({"latency_ms": 8, "cost_usd": 2}, ("--latency", "none", "--cost", "none"), (None, None)),
        "0 is unknown": ({"latency_ms": 0, "response_cost": 0}, (), (None, None)),
    },
)  # fmt: skip
def test_costs_and_latencies_are_taken_in_known_units_alone(
    tmp_path: Path, stated: dict[str, Any], options: tuple[str, ...], measured: Any
) -> None:
    project = IngestWorkspace(tmp_path, pair("brief 1", **stated), pair("brief 2", **stated))
    done = project.ingest(*options)
    for answer in project.answers:
        assert (answer.get("latency_ms"), answer.get("cost_usd")) == pytest.approx(measured)
    assert ("median latency: 8" in done.stdout) == (measured[0] is not None)


def test_a_key_that_is_left_for_its_unit_is_named(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("brief 1", latency=8.2, unit_price="2", ok=1))
    printed = project.ingest("--dry-run").stdout
    assert "no cost was read: the unit of unit_price is not known (--cost PATH:UNIT)" in printed
    assert "no latency was read: the unit of latency is not known (--latency PATH:UNIT)" in printed
    printed = project.ingest("--dry-run", "--cost", "ok").stdout
    assert "the unit of unit_price, ok is not known" in printed


def test_paths_that_a_person_names_count_before_known_ones(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "brief 2"}
    record = {
        "input": [turn | {"content": "Hello?"}, turn],
        "output": "no",
        "mine": {"graph": GRAPH},
        "ms": 8,
    }
    project = IngestWorkspace(tmp_path, json.dumps({"a": {"b.c": [record]}}))
    paths = {
        "records": "a.b.c",
        "input": "input.-1.content",
        "output": "mine.graph",
        "latency": "ms",
    }
    done = project.ingest(*(f"--{field}={path}" for field, path in paths.items()))
    assert done.returncode == 0, done.stderr
    assert project.answers == [{"brief": "b2", "latency_ms": 8.0, "text": GRAPH}]


def test_the_same_command_again_changes_nothing(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, chat("brief 1"), chat("new\r\none"), chat("new"), "{cut")
    project.ingest()
    files = project.files()
    again = project.ingest()
    assert again.stdout.endswith("nothing changed\n")
    assert project.files() == files


def test_a_second_log_adds_its_answers_and_the_config_stays(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, chat("brief 1"))
    project.ingest()
    config = project.read("models/log.json").replace('"normal"', '"deep"')
    project.write("models/log.json", config)
    project.write_log(pair("brief 1", f" {GRAPH}"), pair("brief 1"), pair("brief 2"))
    assert "1  already there" in project.ingest().stdout
    assert [answer["brief"] for answer in project.answers] == ["b1", "b1", "b2"]
    assert project.read("models/log.json") == config
    assert project.run().returncode == 0


def test_a_dry_run_counts_every_line_and_writes_nothing(tmp_path: Path) -> None:
    entries = (pair("brief 1"), pair("new"), pair("new"), "{cut", {"output": GRAPH})
    project = IngestWorkspace(tmp_path, *entries)
    files = project.files()
    done = project.ingest("--dry-run")
    assert project.files() == files
    states = "doubled", "input that is no brief", "matched", "unreadable", "with a graph"
    counts = zip((1, 1, 1, 2, 1), states, strict=True)
    assert done.stdout.startswith("".join(f"{n:>9}  {state}\n" for n, state in counts))
    assert "log.jsonl line 4: is not JSON" in done.stdout
    assert "log.jsonl line 5: has no input" in done.stdout
    assert "--input input; --output output" in done.stdout
    assert 'log.jsonl line 1: {"brief":"b1","text":"{' in done.stdout


def test_answers_without_a_graph_stop_it(tmp_path: Path) -> None:
    project = IngestWorkspace(
        tmp_path, *[pair(f"brief {n}", f"I cannot {n}.") for n in (1, 2, 3)], pair("brief 1")
    )
    message = problem(project.ingest())
    assert "3 of 4 outputs have no nodes and edges" in message
    assert 'log.jsonl line 1: {"brief":"b1","text":"I cannot 1."' in message
    assert "tried: --input input; --output output" in message
    assert project.ingest("--accept-prose").returncode == 0
    assert len(project.answers) == 4


def test_an_example_in_a_prompt_is_no_answer(tmp_path: Path) -> None:
    prompt = f"Answer like {GRAPH}: brief 1"
    records: list[dict[str, Any]] = [
        {"prompt": prompt, "output": None},
        {"full": prompt, "output": "Sorry."},
        {"request": {"instructions": prompt, "input": "brief 1"}, "error": "429"},
    ]
    for number, record in enumerate(records):
        problem(IngestWorkspace(tmp_path / str(number), record).ingest())


def test_matches_are_replaced_before_inputs_are_matched(tmp_path: Path) -> None:
    escaped = r'{"nodes": [{"label": "Jos\u00e9"}], "edges": []}'
    project = IngestWorkspace(
        tmp_path,
        pair("Hire José or Ann?", {"nodes": ["Ann"], "edges": ["ann@example.com"]}, model="Ann"),
        pair("Hire Bob or Ann?", escaped),
        pair("Hire [redacted] or [redacted]?", "key sk-abcdef0123456789 in an answer"),
    )
    options = ("--make-briefs", "--redact", "José|Ann|Bob", "--redact", r"[\w.]+@[\w.]+")
    project.ingest(*options)
    assert len(project.made_briefs) == 1
    written = b"".join(project.files().values())
    words = (b"Jos", b"Ann", b"Bob", b"ann@", b"sk-abc")
    assert [word for word in words if word in written] == []
    assert "nothing changed" in project.ingest(*options).stdout


@cases(
    "pattern, fault",
    {
        "broken": ("(", "is not a regular expression"),
        "slow": ("(a|aa)+$", "takes too long"),
    },
)
def test_a_bad_pattern_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, fault: str
) -> None:
    monkeypatch.setattr("graph_evaluator.ingest.redacting.MAX_SECONDS", 0.05)
    project = IngestWorkspace(tmp_path, pair("a" * 200 + "b"))
    assert fault in problem(project.ingest("--redact", pattern))


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
    assert project.json("models/log.json")["prompt"] == prompt
    assert project.read(prompt).split() == system.split()
    assert project.run().returncode == 0


def test_several_models_and_prompts_are_one_question_each(tmp_path: Path) -> None:
    first, second = chat("brief 1") | {"model": "a"}, chat("brief 2", "Other.") | {"model": "b"}
    project = IngestWorkspace(tmp_path, first, second)
    message = problem(project.ingest())
    assert (
        '--model: differs: "a" (1), "b" (1): `--as log-` makes a recorded model of each' in message
    )
    assert '--system: differs: "Draft a better graph." (1), "Other." (1): ' in message
    assert project.ingest("--model", "none", "--system", "none").returncode == 0
    assert "prompt" not in project.json("models/log.json")


def test_an_export_of_several_models_and_prompts_is_split_by_one_command(tmp_path: Path) -> None:
    records = [
        chat(f"brief {number}", system) | {"model": name}
        for number in (1, 2)
        for system in ("Draft.", "Think, then draft.")
        for name in ("openai:gpt-x", "lab/m 2")
    ]
    project = IngestWorkspace(tmp_path, *records)
    project.ingest("--as", "pf-")
    names = {path.stem: path for path in (project.folder / "models").glob("pf-*.json")}
    assert {name[:-7] for name in names} == {"pf-openai-gpt-x", "pf-lab-m-2"}
    configs = [project.json(f"models/{name}.json") for name in names]
    assert sorted(config["model"] for config in configs) == ["lab/m 2"] * 2 + ["openai:gpt-x"] * 2
    assert {project.read(config["prompt"]) for config in configs} == {
        "Draft.\n",
        "Think, then draft.\n",
    }
    for name in names:
        lines = project.read(f"answers/{name}.jsonl").splitlines()
        assert [json.loads(line)["brief"] for line in lines] == ["b1", "b2"]
    assert "nothing changed" in project.ingest("--as", "pf-").stdout
    project.set(models=["pf-*"])
    assert project.run().returncode == 0


def test_an_id_is_never_a_path_or_a_pattern(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path, pair("a"))
    assert "--as: must be letters, digits, . _ -" in problem(project.ingest("--as", "../x"))


@cases(
    "reply, status, code",
    {
        "Anthropic": ({"role": "assistant", "content": "{", "stop_reason": "max_tokens"}, "truncated", "max_output_tokens"),
        "Inspect": ({"choices": [{"message": {"role": "assistant", "content": GRAPH}, "stop_reason": "model_length"}]}, "truncated", "model_length"),
        "Gemini": ({"candidates": [{"finishReason": "SAFETY", "index": 0}]}, "refused", "content_filter"),
        "a refusal": ({"choices": [{"message": {"role": "assistant", "content": None, "refusal": "No."}}]}, "refused", "refusal"),
        "unknown": ({"choices": [{"message": {"role": "assistant", "content": GRAPH}, "finish_reason": "vibes"}]}, "success", None),
        "finished": ({"choices": [{"message": {"role": "assistant", "content": GRAPH}, "finish_reason": "tool_calls"}]}, "success", None),
    },
)  # fmt: skip
def test_why_an_answer_ended_is_kept(
    tmp_path: Path, reply: Any, status: str, code: str | None
) -> None:
    project = IngestWorkspace(tmp_path, pair("brief 1", reply))
    project.ingest("--accept-prose")
    assert project.run().returncode == 0
    response = project.json("results/responses/log/b1/response.json")
    assert (response["status"], response["failure_code"]) == (status, code)
    assert ("vibes" in str(response["warnings"])) == ("vibes" in str(reply))


def test_a_failure_of_the_provider_is_no_answer_and_counted(tmp_path: Path) -> None:
    failed = {
        "choices": [{"message": {"role": "assistant", "content": "{"}, "finish_reason": "error"}]
    }
    project = IngestWorkspace(
        tmp_path, *[pair(f"brief {n}", failed) for n in (1, 2)], pair("brief 3")
    )
    assert "2  failure of the provider" in project.ingest().stdout
    assert project.run().returncode == 0
    (counts,) = project.json("results/run.json")["recorded"].values()
    assert (counts["answers"], counts["without_answer"]) == (1, 2)


@cases(
    "entries, fault",
    {
        "nothing of use": (["{cut", "5"], "has no answer that can be used"),
        "other keys": ([{"a": 1, "b": "c"}], "has no answer that can be used; log.jsonl line 1: has no input"),
        "an unknown brief": ([{"brief": "b9", "output": "x"}], 'names the brief "b9", which does not exist'),
        "several turns": ([{"messages": [*chat("a")["messages"], *chat("b")["messages"]]}], "has several turns"),
        "a picture": ([pair([{"role": "user", "content": [{"type": "image_url"}]}])], "has no input"),
        "NUL and a lone surrogate": ([pair("a\0b"), pair("\ud800")], "line 2: has a NUL character or a lone"),
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
        "answers": ("answers/log.jsonl", "{", "answers/log.jsonl: line 1: "),
        "a config": ("models/log.json", json.dumps(model("log")), "answers: is not answers/log.jsonl"),
        "a broken config": ("models/log.json", "{", "models/log.json: is not JSON"),
        "a prompt": ("prompts/log.txt", "Mine.", "prompts/log.txt: has another text"),
        "elsewhere": ("answers/log.jsonl.dvc", "outs: []", "is not here: run `dvc pull`"),
    },
)  # fmt: skip
def test_a_file_that_it_did_not_write_is_never_overwritten(
    tmp_path: Path, path: str, text: str, fault: str
) -> None:
    project = IngestWorkspace(tmp_path, chat("brief 1"))
    (project.folder / "answers").mkdir()
    project.write(path, text)
    files = project.files()
    assert fault in problem(project.ingest())
    assert project.files() == files


@cases(
    "content, faults",
    {
        "a line that is cut off": (b"PAIR\n{\"input\": \"a", ["line 2: is not JSON"]),
        "a first line that is cut off": (b"{\"input\": \"a\nPAIR\n", ["line 1: is not JSON"]),
        "another encoding": (b'{"input": "\xe9"}\nPAIR', ["line 1: is not JSON"]),
        "40 MB": (b"PAIR\n" + b"x" * 40_000_000 + b"\n\n5\n", ["line 2: is not JSON", "line 4: is no"]),
        "Windows": (b"\xef\xbb\xbfPAIR\r\n\r\nPAIR\r\n", []),
    },
)  # fmt: skip
def test_damage_costs_the_damaged_line_alone(
    tmp_path: Path, content: bytes, faults: list[str]
) -> None:
    project = IngestWorkspace(tmp_path)
    project.log.write_bytes(content.replace(b"PAIR", json.dumps(pair("brief 1")).encode()))
    done = project.ingest()
    assert done.returncode == 0, done.stderr
    named = [line.strip() for line in done.stdout.splitlines() if "log.jsonl line" in line]
    assert len(named) == len(faults)
    assert all(fault in line for fault, line in zip(faults, named, strict=True))
    assert len(project.answers) == 1


def test_damage_costs_the_damaged_row_alone(tmp_path: Path) -> None:
    project = IngestWorkspace(tmp_path)
    table = b'input,output\nbrief 1,"{""nodes"": [], ""edges"": []}"\nc'
    (tmp_path / "log.csv").write_bytes(table)
    done = project.ingest(logs=("../log.csv",))
    assert "line 3: has not as many cells" in done.stdout
    assert len(project.answers) == 1


@cases(
    "name, content, fault",
    {
        "no file": ("none.jsonl", None, "cannot be read: No such file"),
        "half a gzip file": ("log.jsonl.gz", gzip.compress(b"{}")[:12], "cannot be read: Compressed file ended"),
        "a zip file": ("log.eval", b"PK\x03\x04", "cannot be read: File is not a zip file"),
        "a table with an open quote": ("log.csv", b'a,b\n"c,d', "cannot be read: unexpected end of data"),
        "a table in another encoding": ("log.csv", b"a,b\n\xe9,d", "cannot be read: 'utf-8' codec"),
        "gzip": ("log.gz", gzip.compress(b'{"a": 1}'), "line 1: has no input"),
        "UTF-16": ("log.json", '{"a": 1}'.encode("utf-16"), "line 1: has no input"),
        "JSON over many lines": ("log.json", b'{\n"a": 1,\n"b": 2\n}', "line 1: has no input"),
        "nothing": ("log.jsonl", b"", "the log: is empty"),
        "a call that failed": ("log.csv", b"input,output\nbrief 1,[ERROR] (0.00) x", "line 2: has no output"),
    },
)  # fmt: skip
def test_an_error_names_what_was_found(
    tmp_path: Path, name: str, content: bytes | None, fault: str
) -> None:
    project = IngestWorkspace(tmp_path)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert fault in problem(project.ingest(logs=(f"../{name}",)))


def otlp(**attributes: str) -> dict[str, Any]:
    pairs = [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()]
    return {"attributes": pairs}


@cases(
    "record, fault",
    {
        "a deep object": ('{"input": "brief 1", "output": ' + '{"output": ' * 150 + "1" + "}" * 151, "has no output"),
        "a long list": (pair("brief 1", [0] * 200_000), "has no output"),
        "a long name": (otlp(**{"gen_ai.prompt": "brief 9", "1." * 50_000 + "!": "x", "gen_ai.completion": GRAPH}), "no brief matches"),
        "white space": (pair(" \n" * 100_000), "has no input"),
    },
)  # fmt: skip
def test_a_hostile_line_takes_no_time(tmp_path: Path, record: Any, fault: str) -> None:
    assert fault in problem(IngestWorkspace(tmp_path, record).ingest("--accept-prose"))


def test_several_columns_with_graphs_are_one_question(tmp_path: Path) -> None:
    other = '{"nodes": [{}], "edges": []}'
    project = IngestWorkspace(tmp_path, {"frage": "brief 1", "[a] x": GRAPH, "[b] x": other})
    assert "has several outputs: --output chooses one" in problem(project.ingest())
    assert project.ingest("--output", "[b] x").returncode == 0


def test_a_trace_gives_its_answer_once(tmp_path: Path) -> None:
    spans = [("t", "root"), ("t", "llm"), ("u", "llm")]
    records = [pair("brief 1", trace_id=trace, name=name) for trace, name in spans]
    project = IngestWorkspace(tmp_path, *records)
    project.ingest()
    assert len(project.answers) == 2
