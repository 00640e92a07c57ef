"""Every format of a log gives the same answers to the same inputs."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from stages.contracts.errors import InputError
from stages.ingest.exchanges import Exchange, ExchangeReader, Unreadable
from stages.ingest.log_files import Columns, read_entries
from tests.builders.api_bodies import completion_body, response_body
from tests.builders.cases import cases

INPUT = "Should we open on Sundays?"
SYSTEM = "Draft a decision graph."
CHAT = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": INPUT}]


def exchanges(log: Path, columns: Columns | None = None) -> list[Exchange]:
    """What is in a log, each of whose entries can be used."""
    columns = columns or Columns()
    reader = ExchangeReader(columns)
    records = [entry.record for entry in read_entries(log, columns) if entry.record]
    return [exchange for exchange in map(reader.read, records) if exchange]


def exchange(record: dict[str, Any], columns: Columns | None = None) -> Exchange:
    """What one entry says."""
    read = ExchangeReader(columns or Columns()).read(record)
    assert read is not None
    return read


def faults(file: Path, content: bytes) -> list[tuple[int, str]]:
    """The lines of a log that cannot be read, and why."""
    file.write_bytes(content)
    return [(entry.number, entry.fault) for entry in read_entries(file, Columns()) if entry.fault]


def promptfoo(prompt: str = "Draft: BRIEF", **changed: Any) -> dict[str, Any]:
    """A result as promptfoo 0.120 writes it, with what it had of no use here."""
    return {
        "cost": 0.012,
        "error": "Expected output to be valid",
        "failureReason": 1,
        "gradingResult": {"pass": False, "score": 0, "reason": "", "componentResults": []},
        "id": "3a1f",
        "latencyMs": 8200,
        "namedScores": {},
        "prompt": {"raw": prompt.replace("BRIEF", INPUT), "label": "Draft: {{brief}}"},
        "promptId": "9c", "promptIdx": 0, "provider": {"id": "openai:gpt-5.4", "label": "ours"},
        "response": {"output": "{}", "tokenUsage": {"total": 30, "prompt": 10, "completion": 20},
                     "cached": False, "cost": 0.012, "finishReason": "stop"},
        "score": 0, "success": False, "testIdx": 0,
        "testCase": {"vars": {"brief": INPUT}, "assert": [{"type": "is-json"}]},
        "vars": {"brief": INPUT},
    } | changed  # fmt: skip


@cases(
    "record, system",
    {
        "a pair": ({"input": INPUT, "output": "{}"}, None),
        "a pair with its prompt": ({"system": SYSTEM, "input": INPUT, "output": "{}"}, SYSTEM),
        "a chat": ({"messages": [*CHAT, {"role": "assistant", "content": "{}"}]}, SYSTEM),
        "messages as input": ({"input": CHAT, "output": "{}"}, SYSTEM),
        "a message as output": (
            {"input": CHAT, "output": {"role": "assistant", "content": "{}"}}, SYSTEM),
        "a request as input": (
            {"input": {"model": "m", "instructions": SYSTEM, "input": INPUT}, "output": "{}"}, SYSTEM),
        "parts": (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": INPUT}]}],
             "output": "{}"}, None),
        "promptfoo, one variable": (promptfoo(), None),
        "promptfoo, a chat": (promptfoo(json.dumps(CHAT), vars={"a": "1", "b": "2"}), SYSTEM),
        "promptfoo, the variable input": (promptfoo(vars={"input": INPUT, "b": "2"}), None),
    },
)  # fmt: skip
def test_each_form_has_the_input_the_output_and_the_system_prompt(
    record: dict[str, Any], system: str | None
) -> None:
    read = exchange(record)
    assert (read.user, read.output, read.system) == (INPUT, "{}", system)


def test_promptfoo_states_what_it_measured_and_nothing_of_its_cache() -> None:
    stated = {
        "model": "openai:gpt-5.4",
        "latency_ms": 8200.0,
        "cost_usd": 0.012,
        "usage": {"input_tokens": 10, "output_tokens": 20},
    }
    assert exchange(promptfoo()).stated == stated
    assert exchange(promptfoo()).provider == "ours"
    cached = promptfoo(response={"output": "{}", "cached": True, "tokenUsage": {"total": 30}})
    assert exchange(cached).stated == {"model": "openai:gpt-5.4"}
    unknown = promptfoo(cost=0, response={"output": "{}", "tokenUsage": {"prompt": 0}})
    assert exchange(unknown).stated == {"model": "openai:gpt-5.4", "latency_ms": 8200.0}


@cases(
    "results",
    {
        "version 3": {"evalId": "e", "results": {"version": 3, "results": [promptfoo()] * 2}},
        "version 2": {"version": 2, "results": [promptfoo()] * 2, "table": {}},
        "a list": [promptfoo()] * 2,
    },
)
def test_the_results_of_promptfoo_are_one_json_text(tmp_path: Path, results: Any) -> None:
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results, indent=2))
    assert [read.user for read in exchanges(file)] == [INPUT] * 2


@cases(
    "body",
    {
        "new": response_body("{}"),
        "old": completion_body("{}"),
    },
)
@cases(
    "request_body",
    {
        "instructions": {"instructions": SYSTEM, "input": INPUT},
        "messages": {"messages": CHAT},
        "input as messages": {"input": CHAT},
    },
)
def test_the_answers_of_a_batch_belong_to_its_requests(
    tmp_path: Path, body: dict[str, Any], request_body: dict[str, Any]
) -> None:
    request = {"custom_id": "r1", "method": "POST", "url": "/v1/responses", "body": request_body}
    output = {"id": "b", "custom_id": "r1", "response": {"status_code": 200, "body": body}}
    (tmp_path / "batch.jsonl").write_text(f"{json.dumps(request)}\n{json.dumps(output)}\n")
    (read,) = exchanges(tmp_path / "batch.jsonl")
    assert (read.user, read.system) == (INPUT, SYSTEM)
    assert isinstance(read.output, dict)
    assert read.output.keys() <= body.keys()


@cases(
    "delimiter",
    {
        "comma": ",",
        "semicolon": ";",
        "tab": "\t",
    },
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_table_has_the_columns_that_are_named(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    text = io.StringIO()
    rows = [
        ("question", "reply", "cost_usd", "model"),
        (f"{INPUT}\nÀ Nîmes?", '{"a": ";,"}', "0.5", ""),
    ]
    csv.writer(text, delimiter=delimiter).writerows(rows)
    (tmp_path / "log.csv").write_bytes(text.getvalue().encode(encoding))
    (read,) = exchanges(tmp_path / "log.csv", Columns("question", "reply"))
    assert (read.user, read.output) == (f"{INPUT}\nÀ Nîmes?", '{"a": ";,"}')
    assert read.stated == {"cost_usd": 0.5}


def test_a_table_without_the_columns_names_those_that_it_has(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="has no column input and output, of question, reply: --in"
    ):
        faults(tmp_path / "log.csv", b"question,reply\na,b\n")


@cases(
    "record, stated",
    {
        "as texts": ({"latency_ms": "5", "cost_usd": "1e-3"}, {"latency_ms": 5.0, "cost_usd": 0.001}),
        "no numbers": ({"latency_ms": "5 s", "cost_usd": -1, "model": 3, "usage": "9"}, {}),
        "seconds since 1970": ({"created": 0}, {"created_at": "1970-01-01T00:00:00+00:00"}),
        "a date": ({"created_at": "2026-11-02T10:00:00+02:00"}, {"created_at": "2026-11-02T08:00:00Z"}),
        "usage": ({"usage": {"input_tokens": 3, "api_key": "k", "input_tokens_details": {"cached_tokens": 1}}},
                  {"usage": {"input_tokens": 3, "input_tokens_details": {"cached_tokens": 1}}}),
        "what nobody asked for": ({"api_key": "hunter2", "user": "Ann", "headers": {}}, {}),
    },
)  # fmt: skip
def test_only_what_a_recorded_answer_may_state_is_taken(
    record: dict[str, Any], stated: dict[str, Any]
) -> None:
    assert exchange({"input": INPUT, "output": "{}"} | record).stated == stated


@cases(
    "record, fault",
    {
        "no input": ({"output": "{}"}, "has no input"),
        "no output": ({"input": INPUT, "output": None}, "has no output"),
        "several turns": ({"messages": [*CHAT, *CHAT], "output": "{}"}, "several turns"),
        "a tool": ({"messages": [*CHAT, {"role": "tool", "content": "1"}]}, "neither of a system"),
        "a picture": ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "not text"),
        "a failed test": (promptfoo(response={"error": "429"}), "has no output"),
        "an answer without a request": ({"custom_id": "r", "response": {}}, "name the input file"),
    },
)  # fmt: skip
def test_what_cannot_be_used_says_why(record: dict[str, Any], fault: str) -> None:
    with pytest.raises(Unreadable, match=fault):
        exchange(record)


def test_an_error_in_a_batch_is_no_answer() -> None:
    reader = ExchangeReader(Columns())
    assert reader.read({"custom_id": "r", "body": {"input": INPUT}}) is None
    failed: dict[str, Any] = {"status_code": 429, "body": {"error": {"code": "rate_limit"}}}
    for response in (None, failed):
        with pytest.raises(Unreadable, match="an error in place of an answer"):
            reader.read({"custom_id": "r", "response": response, "error": {"code": "x"}})


def test_a_refusal_in_a_chat_is_an_answer() -> None:
    refusal = {"role": "assistant", "content": None, "refusal": "I cannot help."}
    output = exchange({"messages": [*CHAT, refusal]}).output
    assert output == {"choices": [{"message": {"refusal": "I cannot help."}}]}


PAIR = json.dumps({"input": INPUT, "output": "{}"}).encode()


@cases(
    "content, expected",
    {
        "a line that is cut off": (PAIR + b"\n" + PAIR[:20], [(2, "is not JSON")]),
        "NUL": (b"\0" * 9 + b"\n" + PAIR, [(1, "is not JSON")]),
        "another encoding": (b'{"input": "\xe9"}\n' + PAIR, [(1, "is not UTF-8")]),
        "a list": (b"[]\n", [(1, "is no JSON object")]),
        "40 MB": (b"x" * 40_000_000 + b"\n\n[]\n", [(1, "is longer than 10,000,000"), (3, "is no")]),
        "Windows": (b"\xef\xbb\xbf" + PAIR + b"\r\n\r\n" + PAIR + b"\r\n", []),
    },
)  # fmt: skip
def test_damage_costs_the_damaged_line_alone(
    tmp_path: Path, content: bytes, expected: Sequence[tuple[int, str]]
) -> None:
    got = faults(tmp_path / "log.jsonl", content)
    assert [number for number, _ in got] == [number for number, _ in expected]
    assert all(
        fault.startswith(start) for (_, fault), (_, start) in zip(got, expected, strict=True)
    )


@cases(
    "rows, expected",
    {
        "cut off": (b"a,b\nc", [(3, "has 1 cells, and the header 2")]),
        "an open quote": (b'a,b\n"c,d\n', [(3, "is no row of a table")]),
        "another encoding": (b"\xe9,b\nc,d\n", [(2, "is not UTF-8")]),
    },
)
def test_damage_costs_the_damaged_row_alone(
    tmp_path: Path, rows: bytes, expected: Sequence[tuple[int, str]]
) -> None:
    got = faults(tmp_path / "log.csv", b"input,output\n" + rows)
    assert [(number, fault[: len(start)]) for (number, fault), (_, start) in
            zip(got, expected, strict=True)] == expected  # fmt: skip
