"""What the command makes of a log, what it prints, and what it leaves alone."""

import gzip
import json
from itertools import product
from pathlib import Path

import pytest
import yaml

from graph_evaluator.ingest import __main__ as command
from graph_evaluator.ingest.reading import BriefFinder
from tests.builders.cases import cases
from tests.generate.workspace import Workspace, model

LOGS = yaml.safe_load(Path(__file__).with_name("logs.yaml").read_text("utf-8"))
SYSTEM = "Draft a better graph."
GRAPH = '{"nodes": [], "edges": []}'


class IngestWorkspace(Workspace):
    """A project whose brief b1 has the body "brief 1", and a log outside of it."""

    def __init__(self, folder, *entries):
        super().__init__(folder / "project")
        self.log = folder / "log.jsonl"
        self.write_log(*entries)

    def write_log(self, *entries):
        lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
        self.log.write_text("\n".join(lines))

    def ingest(self, *options, logs=("../log.jsonl",)):
        arguments = [*logs, "--as", "log", *options]
        return self.run(main=lambda: command.main(arguments))

    def read(self, path):
        return (self.folder / path).read_text(encoding="utf-8")

    def json(self, path):
        return json.loads(self.read(path))

    @property
    def lines(self):
        return self.read("answers/log.jsonl").encode().splitlines()

    @property
    def answers(self):
        return [json.loads(line) for line in self.lines]

    @property
    def made_briefs(self):
        files = sorted((self.folder / "briefs").glob("prod-*.md"))
        return {file.stem: file.read_text(encoding="utf-8") for file in files}

    def files(self):
        """All files that git does not ignore."""
        found = (path for path in self.folder.glob("[!.]*/**/*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}


def pair(text, output=GRAPH, **stated):
    return {"input": text, "output": output} | stated


def chat(text, system=SYSTEM):
    turns = (("system", system), ("user", text), ("assistant", GRAPH))
    return {"messages": [{"role": role, "content": content} for role, content in turns]}


def test_its_own_format_is_read_as_it_is(tmp_path):
    lines = [
        {"brief": "b1", "text": GRAPH, "cost_usd": 0.0},
        {"brief": "b2", "graph": {"nodes": [], "edges": []}},
    ]
    project = IngestWorkspace(tmp_path, *lines)
    assert project.ingest().returncode == 0
    assert project.answers == [lines[0], {"brief": "b2", "text": '{"edges":[],"nodes":[]}'}]
    assert project.run().returncode == 0


def test_inputs_match_briefs_by_their_words_and_all_others_are_named(tmp_path):
    stated = {"model": "m-1", "latency_ms": 8}
    inputs = pair("brief  1\r\n", **stated), pair("Brief 1"), pair("b3"), pair("brief 1", "no")
    project = IngestWorkspace(tmp_path, *inputs)
    files = set(project.files())
    done = project.ingest()
    first, by_id, second = project.answers
    assert first == {"brief": "b1", "model": "m-1", "latency_ms": 8.0, "text": GRAPH}
    assert (by_id["brief"], second["brief"], second["text"]) == ("b3", "b1", "no")
    assert set(project.files()) - files == {"answers/log.jsonl", "models/log.json"}
    assert '1 input that no brief matches, such as log.jsonl line 2: "Brief 1": ' in done.stdout


WRAPPED = "<brief>brief  1</brief> As JSON."


def test_an_input_belongs_to_the_one_brief_that_it_holds(tmp_path):
    project = IngestWorkspace(tmp_path, pair(WRAPPED), pair(WRAPPED.replace("1", "2")))
    done = project.ingest()
    assert [answer["brief"] for answer in project.answers] == ["b1", "b2"]
    assert '2 inputs with text around the brief: "<brief>{brief}</brief> As JSON."' in done.stdout
    assert project.read("prompts/log.txt") == "<brief>{brief}</brief> As JSON.\n"


def test_inputs_that_are_no_briefs_can_become_some(tmp_path):
    front_matter = "---\ncomplexity: complex\n---\nHire?"
    project = IngestWorkspace(tmp_path, pair("Hire Ann?"), pair(front_matter), pair("brief 1"))
    options = "--make-briefs", "--redact", "Ann"
    assert "2 new texts of the log, which git will track" in project.ingest(*options).stdout
    first = project.made_briefs
    assert sorted(first.values()) == [f"---\n---\n{front_matter}\n", "Hire [redacted]?\n"]
    assert {answer["brief"] for answer in project.answers} == {*first, "b1"}
    project.write_log(pair("Buy Hire [redacted]? too"), pair("Hire  Ann?"), pair("Sell?"))
    project.ingest(*options)
    assert first.items() < project.made_briefs.items()
    assert len(project.made_briefs) == 4


def test_made_briefs_take_part_only_where_they_are_named(tmp_path):
    project = IngestWorkspace(tmp_path, pair("Hire?"), pair("brief 1"))
    project.ingest("--make-briefs")
    project.set(models=["log"])
    for patterns, briefs in ((["*"], ["b1"]), (["prod-*"], [*project.made_briefs])):
        project.set(briefs=patterns)
        project.run()
        cells = (project.folder / "results/responses/log").iterdir()
        assert [cell.name for cell in cells] == briefs
    project.set(briefs=["b2", "b3"])
    message = project.run().problem
    assert "briefs: the run has no answer: the recorded ones are for b1, prod-" in message
    for file in (project.folder / "briefs").glob("b*.md"):
        file.unlink()
    project.set(briefs=["*"])
    message = project.run().problem
    assert 'selects no brief; "prod-*" selects those that `ingest` made from a log' in message


def test_failures_stay_in_a_log(tmp_path):
    prose = "I need more detail."
    outputs = {1: GRAPH, 2: prose, 3: None}
    entries = [{"frage": f"brief {number}", "antwort": text} for number, text in outputs.items()]
    project = IngestWorkspace(tmp_path, *entries)
    done = project.ingest("--accept-prose")
    assert [answer["text"] for answer in project.answers] == [GRAPH, prose]
    assert "unreadable: 1 of 3 records of briefs (33%)" in done.stdout


def test_one_in_twenty_records_may_be_unreadable(tmp_path):
    entries = [pair("brief 1", GRAPH.replace("[]", f"[{number}]")) for number in range(38)]
    project = IngestWorkspace(tmp_path, *entries, pair("brief 2", None), pair("brief 3", None))
    assert "unreadable: 2 of 40 records of briefs (5%)" in project.ingest("--dry-run").stdout
    project.write_log(*entries[1:], pair("brief 2", None), pair("brief 3", None))
    assert "unreadable: 2 of 39 records of briefs (5%), such as " in project.ingest().problem


@cases("stated, options, measured", LOGS["measures"])
def test_costs_and_latencies_are_taken_in_known_units_alone(tmp_path, stated, options, measured):
    project = IngestWorkspace(tmp_path, pair("brief 1", **stated), pair("brief 2", **stated))
    done = project.ingest(*options.split())
    for answer in project.answers:
        assert (answer.get("latency_ms"), answer.get("cost_usd")) == pytest.approx(measured)
    assert ("median latency: 8" in done.stdout) == (measured[0] is not None)


def test_a_key_that_is_left_for_its_unit_is_named(tmp_path):
    project = IngestWorkspace(tmp_path, pair("brief 1", latency=8.2, unit_price="2", ok=1))
    printed = project.ingest("--cost", "ok").stdout
    assert "no cost was read: the unit of ok, unit_price is not known (--cost PATH:UNIT)" in printed
    assert "no latency was read: the unit of latency is not known (--latency PATH:UNIT)" in printed


def test_paths_that_a_person_names_count_before_known_ones(tmp_path):
    turn = {"role": "user", "content": "brief 2"}
    record = {
        "input": [turn | {"content": "Hello?"}, turn],
        "output": "no",
        "mine": {"graph": GRAPH},
    }
    project = IngestWorkspace(tmp_path, json.dumps({"a": {"b.c": [record]}}))
    options = "--records a.b.c --input input.-1.content --output mine.graph"
    assert project.ingest(*options.split()).returncode == 0
    assert project.answers == [{"brief": "b2", "text": GRAPH}]


def test_the_same_command_again_changes_nothing(tmp_path):
    project = IngestWorkspace(tmp_path, chat("brief 1"), chat("new\r\none"), chat("new"), "{cut")
    project.ingest()
    files = project.files()
    assert project.ingest().stdout.endswith("nothing changed\n")
    assert project.files() == files


def test_a_second_log_adds_its_answers_and_the_config_stays(tmp_path):
    project = IngestWorkspace(tmp_path, chat("brief 1"))
    project.ingest()
    config = project.read("models/log.json").replace('"normal"', '"deep"')
    project.write("models/log.json", config)
    project.write_log(pair("brief 1", f" {GRAPH}"), pair("brief 1"), pair("brief 2"))
    assert "1  already there" in project.ingest().stdout
    assert [answer["brief"] for answer in project.answers] == ["b1", "b1", "b2"]
    assert project.read("models/log.json") == config


def test_a_dry_run_counts_every_line_and_writes_nothing(tmp_path):
    entries = (pair("brief 1"), pair("new"), pair("new"), "{cut", {"output": GRAPH})
    project = IngestWorkspace(tmp_path, *entries)
    files = project.files()
    done = project.ingest("--dry-run")
    assert project.files() == files
    states = "doubled", "matched", "unreadable", "with a graph", "without a brief"
    counts = zip((1, 1, 2, 1, 1), states, strict=True)
    assert done.stdout.startswith("".join(f"{n:>9}  {state}\n" for n, state in counts))
    assert "log.jsonl line 4: is not JSON" in done.stdout
    assert "--input input; --output output" in done.stdout
    assert 'log.jsonl line 1: {"brief":"b1","text":"{' in done.stdout


def test_matches_are_replaced_before_inputs_are_matched(tmp_path):
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
    "system, prompt",
    {
        "the run's": ("Draft a  decision graph.", "prompts/draft.txt"),
        "its own": (SYSTEM, "prompts/log.txt"),
    },
)
def test_the_system_prompt_of_a_log_is_the_prompt_of_its_model(tmp_path, system, prompt):
    project = IngestWorkspace(tmp_path, chat("brief 1", system))
    project.ingest()
    assert project.json("models/log.json")["prompt"] == prompt
    assert project.read(prompt).split() == system.split()
    assert project.run().returncode == 0


def test_an_export_of_several_models_and_prompts_is_ignored_or_split(tmp_path):
    systems, models = ("Draft.", "Think, then draft."), ("openai:gpt-x", "lab/m 2")
    runs = [*product((1, 2), systems, models)]
    records = [chat(f"brief {number}", system) | {"model": name} for number, system, name in runs]
    project = IngestWorkspace(tmp_path, *records)
    assert project.ingest("--model", "none", "--system", "none", "--dry-run").returncode == 0
    project.ingest("--as", "pf-")
    names = [path.stem for path in (project.folder / "models").glob("pf-*.json")]
    assert {name[:-7] for name in names} == {"pf-openai-gpt-x", "pf-lab-m-2"}
    configs = [project.json(f"models/{name}.json") for name in names]
    asked = {(config["model"], project.read(config["prompt"]).strip()) for config in configs}
    assert asked == {*product(models, systems)}
    assert {project.read(f"answers/{name}.jsonl").count("\n") for name in names} == {2}
    assert "nothing changed" in project.ingest("--as", "pf-").stdout


@cases("reply, status, code", LOGS["ends"])
def test_why_an_answer_ended_is_kept(tmp_path, reply, status, code):
    project = IngestWorkspace(tmp_path, pair("brief 1", reply))
    project.ingest("--accept-prose")
    assert project.run().returncode == 0
    response = project.response("log/b1")
    assert (response["status"], response["failure_code"]) == (status, code)
    assert ("vibes" in str(response["warnings"])) == ("vibes" in str(reply))


def test_a_failure_of_the_provider_is_no_answer_and_counted(tmp_path):
    reply = {"choices": [{"message": {"content": "{"}, "finish_reason": "error"}]}
    failed = [pair(f"brief {number}", reply) for number in (1, 2)]
    project = IngestWorkspace(tmp_path, *failed, pair("brief 3"))
    assert "2  failed at the provider" in project.ingest().stdout
    project.run()
    (counts,) = project.json("results/run.json")["recorded"].values()
    assert (counts["answers"], counts["without_answer"]) == (1, 2)


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
def test_damage_costs_the_damaged_line_alone(tmp_path, content, faults):
    project = IngestWorkspace(tmp_path)
    project.log.write_bytes(content.replace(b"PAIR", json.dumps(pair("brief 1")).encode()))
    printed = project.ingest().stdout.splitlines()
    named = [line.strip() for line in printed if "log.jsonl line" in line]
    assert len(named) == len(faults)
    assert all(fault in line for fault, line in zip(faults, named, strict=True))
    assert len(project.answers) == 1


NAMES = {"gen_ai.prompt": "brief 9", "1." * 50_000: "x", "gen_ai.completion": GRAPH}
LONG_NAME = {
    "attributes": [{"key": key, "value": {"stringValue": text}} for key, text in NAMES.items()]
}
HOSTILE = {
    "a deep object": (['{"input": "brief 1", "output": ' + '{"output": ' * 150 + "1" + "}" * 151], "has no output"),
    "a long list": ([pair("brief 1", [0] * 200_000)], "has no output"),
    "a long name": ([LONG_NAME], "no brief matches"),
    "white space": ([pair(" \n" * 100_000)], "has no input"),
}  # fmt: skip


@cases("entries, fault", LOGS["refused"] | HOSTILE)
def test_a_log_that_cannot_be_used_is_one_message_and_nothing_is_written(tmp_path, entries, fault):
    project = IngestWorkspace(tmp_path, *entries)
    files = project.files()
    assert fault in project.ingest().problem
    assert project.files() == files


@cases(
    "options, fault",
    {
        "a path": (("--as", "../x"), "--as: must be letters, digits, . _ -"),
        "a broken pattern": (("--redact", "("), "is not a regular expression"),
        "a slow pattern": (("--redact", "(a|aa)+$"), "takes too long"),
    },
)
def test_an_option_that_cannot_be_used_is_one_message(tmp_path, monkeypatch, options, fault):
    monkeypatch.setattr("graph_evaluator.ingest.reading.MAX_SECONDS", 0.05)
    assert fault in IngestWorkspace(tmp_path, pair("a" * 200 + "b")).ingest(*options).problem


RECORDED = {"id": "log", "display_name": "log", "provider": "recorded", "model": "log",
            "target_mode": "normal"}  # fmt: skip


@cases(
    "path, text, fault",
    {
        "answers": ("answers/log.jsonl", "{", "answers/log.jsonl: line 1: "),
        "a config": ("models/log.json", json.dumps(model("log")), "log.json: belongs to a model that is not recorded: choose another --as"),
        "another recorded model": ("models/log.json", json.dumps({**RECORDED, "answers": "answers/o.jsonl"}), "answers: is not answers/log.jsonl"),
        "a broken config": ("models/log.json", "{", "models/log.json: is not JSON"),
        "a prompt": ("prompts/log.txt", "Mine.", "prompts/log.txt: has another text"),
        "elsewhere": ("answers/log.jsonl.dvc", "outs: []", "is not here: run `dvc pull`"),
    },
)  # fmt: skip
def test_a_file_that_it_did_not_write_is_never_overwritten(tmp_path, path, text, fault):
    project = IngestWorkspace(tmp_path, chat("brief 1"))
    (project.folder / "answers").mkdir()
    project.write(path, text)
    files = project.files()
    assert fault in project.ingest().problem
    assert project.files() == files


@cases(
    "name, content, fault",
    {
        "no file": ("none.jsonl", b"", "cannot be read: No such file"),
        "half a gzip file": ("log.jsonl.gz", gzip.compress(b"{}")[:12], "cannot be read: Compressed file ended"),
        "a zip file": ("log.eval", b"PK\x03\x04", "cannot be read: File is not a zip file"),
        "a table with an open quote": ("log.csv", b'a,b\n"c,d', "cannot be read: unexpected end of data"),
        "a table in another encoding": ("log.csv", b"a,b\n\xe9,d", "cannot be read: 'utf-8' codec"),
        "JSON over many lines": ("log.json", b'{\n"a": 1,\n"b": 2\n}', "line 1: has no input"),
        "a call that failed": ("log.csv", b"input,output\nbrief 1,[ERROR] (0.00) x", "line 2: has no output"),
    },
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, content, fault):
    project = IngestWorkspace(tmp_path)
    if content:
        (tmp_path / name).write_bytes(content)
    assert fault in project.ingest(logs=(f"../{name}",)).problem


def test_a_trace_gives_its_answer_once(tmp_path):
    spans = [("t", "root"), ("t", "llm"), ("u", "llm")]
    records = [pair("brief 1", trace_id=trace, name=name) for trace, name in spans]
    project = IngestWorkspace(tmp_path, *records)
    project.ingest()
    assert len(project.answers) == 2


def test_an_input_belongs_to_the_longest_brief_in_it_and_equal_texts_are_one_brief():
    bodies = {"a": "Stay or go?", "b": "We bake. Stay or go?", "c": "Stay or go?", "d": "Buy?"}
    finder = BriefFinder(bodies)
    assert finder.find("Please:\nWe bake. Stay  or go? Thanks.") == ["b"]
    assert finder.find("Stay or go?") == finder.find("Now: Stay or go? Well.") == ["c"]
    assert finder.find("Now: Stay or go? Or: Buy?") == ["c", "d"]
