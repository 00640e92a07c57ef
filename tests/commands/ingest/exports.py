"""Logs as tools export them: each builder turns questions with answers into the file of one tool."""

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

SYSTEM = "Draft a better graph."
Pairs = Sequence[tuple[str, str]]
"""The text of a brief, and the text of the answer to it."""


def chat(question: str) -> list[dict[str, Any]]:
    """A request's messages."""
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]


def reply(answer: str) -> dict[str, Any]:
    return {"role": "assistant", "content": answer}


def completion(answer: str) -> dict[str, Any]:
    """A body of Chat Completions."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "m-1",
        "choices": [
            {"index": 0, "message": reply(answer) | {"refusal": None}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
    }


def response(answer: str) -> dict[str, Any]:
    """A body of the Responses API."""
    return {
        "id": "resp_1", "object": "response", "created_at": 1_760_000_000, "status": "completed",
        "model": "m-1",
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "role": "assistant",
             "content": [{"type": "output_text", "text": answer, "annotations": []}]},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 20,
                  "output_tokens_details": {"reasoning_tokens": 5}},
    }  # fmt: skip


def anthropic(answer: str) -> dict[str, Any]:
    """A body of Anthropic's Messages API."""
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m-1",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": answer}],
        "stop_reason": "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 7, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 0,
                  "output_tokens": 20},
    }  # fmt: skip


def anthropic_request(question: str) -> dict[str, Any]:
    return {
        "model": "m-1",
        "max_tokens": 8000,
        "system": [{"type": "text", "text": SYSTEM}],
        "messages": [{"role": "user", "content": question}],
    }


def gemini(answer: str) -> dict[str, Any]:
    """A body of the Gemini API."""
    return {
        "candidates": [{"content": {"role": "model", "parts": [
            {"text": "Hm.", "thought": True}, {"text": answer}]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 15, "thoughtsTokenCount": 5},
        "modelVersion": "m-1",
    }  # fmt: skip


def gemini_request(question: str) -> dict[str, Any]:
    return {
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "contents": [{"role": "user", "parts": [{"text": question}]}],
    }


def promptfoo(question: str, answer: str) -> dict[str, Any]:
    """A result of promptfoo."""
    return {
        "cost": 0.012, "error": "Expected output to be valid", "failureReason": 1,
        "gradingResult": {"pass": False, "score": 0, "reason": "", "componentResults": []},
        "id": "3a1f", "latencyMs": 8200, "namedScores": {},
        "prompt": {"raw": json.dumps(chat(question)), "label": "chat.json"},
        "promptId": "9c", "promptIdx": 0, "provider": {"id": "m-1", "label": ""},
        "response": {"output": answer, "tokenUsage": {"total": 30, "prompt": 10, "completion": 20},
                     "cached": False, "cost": 0.012, "finishReason": "stop"},
        "score": 0, "success": False, "testIdx": 0,
        "testCase": {"vars": {"problem": question}, "assert": [{"type": "is-json"}]},
        "vars": {"problem": question, "language": "English"},
    }  # fmt: skip


def promptfoo_summary(pairs: Pairs) -> dict[str, Any]:
    results = [promptfoo(*pair) for pair in pairs]
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "prompts": [{"raw": "x"}], "results": results, "stats": {}},
        "config": {"prompts": ["chat.json"], "providers": ["m-1"]},
        "shareableUrl": None,
    }


def inspect_sample(number: int, question: str, answer: str) -> dict[str, Any]:
    """A sample of an evaluation log of Inspect."""
    output = {
        "model": "m-1",
        "choices": [
            {
                "message": reply(answer) | {"source": "generate", "model": "m-1"},
                "stop_reason": "stop",
            }
        ],
        "usage": {"input_tokens": 10, "output_tokens": 20, "total_tokens": 30},
        "time": 8.2,
    }
    return {
        "id": number, "epoch": 1, "input": question, "target": '{"nodes": [], "edges": []}',
        "messages": [*chat(question), reply(answer)], "output": output,
        "scores": {"match": {"value": "C", "answer": "x"}}, "metadata": {},
        "events": [{"event": "model", "output": output}], "total_time": 9.0,
    }  # fmt: skip


def inspect_log(pairs: Pairs) -> dict[str, Any]:
    samples = [inspect_sample(number, *pair) for number, pair in enumerate(pairs, 1)]
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "draft", "model": "m-1", "dataset": {"samples": len(pairs)}},
        "results": {"scores": [{"name": "match", "metrics": {}}]},
        "samples": samples,
    }


def inspect_archive(pairs: Pairs) -> bytes:
    log = inspect_log(pairs)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(log["eval"]))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(log | {"samples": None}))
    return file.getvalue()


def any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(any_value, value))}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as OTLP writes them in JSON."""
    return [{"key": key, "value": any_value(value)} for key, value in values.items()]


def spans(pairs: Pairs, of_span: Callable[[str, str], dict[str, Any]]) -> dict[str, Any]:
    """A trace as OTLP writes it in JSON."""
    written = [
        {
            "traceId": f"{number:032x}", "spanId": f"{number:016x}", "name": "chat m-1", "kind": 3,
            "startTimeUnixNano": "1760000000000000000", "endTimeUnixNano": "1760000008200000000",
            "attributes": attributes(of_span(*pair)), "status": {},
        }
        for number, pair in enumerate(pairs, 1)
    ]  # fmt: skip
    resource = {"attributes": attributes({"service.name": "shop"})}
    return {
        "resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {}, "spans": written}]}]
    }


def genai_span(question: str, answer: str) -> dict[str, Any]:
    """The attributes of the semantic conventions for generative AI."""
    part = {"type": "text"}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-0",
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.system_instructions": json.dumps([part | {"content": SYSTEM}]),
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [part | {"content": question}]}]),
        "gen_ai.output.messages": json.dumps(
            [{"role": "assistant", "parts": [part | {"content": answer}], "finish_reason": "stop"}]),
    }  # fmt: skip


def openllmetry_span(question: str, answer: str) -> dict[str, Any]:
    return {
        "gen_ai.system": "OpenAI",
        "gen_ai.response.model": "m-1",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": SYSTEM,
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": question,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": answer,
        "gen_ai.completion.0.finish_reason": "stop",
    }


def openinference_span(question: str, answer: str) -> dict[str, Any]:
    return {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps({"messages": chat(question), "model": "m-1"}),
        "output.value": json.dumps(completion(answer)),
        "llm.model_name": "m-1",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": question,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
    }


def braintrust(question: str, answer: str) -> dict[str, Any]:
    """An event of Braintrust for a call of a model."""
    choice = {"finish_reason": "stop", "index": 0, "logprobs": None, "message": reply(answer)}
    return {
        "id": "e1", "span_id": f"s{hash(question)}", "root_span_id": f"s{hash(question)}",
        "created": "2026-11-02T10:00:00Z", "span_attributes": {"name": "Chat Completion", "type": "llm"},
        "input": chat(question), "output": [choice], "expected": None,
        "metadata": {"model": "m-1", "temperature": 0}, "scores": {"valid": 1}, "tags": None,
        "metrics": {"start": 1.0, "end": 9.2, "duration": 8.2, "prompt_tokens": 10, "completion_tokens": 20,
                    "estimated_cost": 0.012},
    }  # fmt: skip


def langchain(kind: str, content: str) -> dict[str, Any]:
    names = ["langchain", "schema", "messages", f"{kind}Message"]
    return {"lc": 1, "type": "constructor", "id": names, "kwargs": {"content": content}}


def langsmith(question: str, answer: str) -> dict[str, Any]:
    """A run of LangSmith for a call of a chat model."""
    generation = {"text": answer, "generation_info": {"finish_reason": "stop"}, "type": "ChatGeneration",
                  "message": langchain("AI", answer)}  # fmt: skip
    messages = [[langchain("System", SYSTEM), langchain("Human", question)]]
    usage = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
    return {
        "id": "r1", "name": "ChatOpenAI", "run_type": "llm", "trace_id": f"t{hash(question)}",
        "start_time": "2026-11-02T10:00:00.000000", "end_time": "2026-11-02T10:00:08.200000",
        "inputs": {"messages": messages},
        "outputs": {"generations": [[generation]], "llm_output": {"token_usage": usage, "model_name": "m-1"}},
        "extra": {"metadata": {"ls_model_name": "m-1"}}, "error": None, "total_cost": 0.012,
        "prompt_tokens": 10, "completion_tokens": 20,
    }  # fmt: skip


def langfuse(question: str, answer: str) -> dict[str, Any]:
    """A generation of Langfuse."""
    return {
        "id": "o1", "traceId": f"t{hash(question)}", "type": "GENERATION", "name": "draft",
        "startTime": "2026-11-02T10:00:00.000Z", "endTime": "2026-11-02T10:00:08.200Z",
        "model": "m-1", "modelParameters": {"temperature": 0},
        "input": {"messages": chat(question)}, "output": reply(answer), "metadata": {}, "level": "DEFAULT",
        "usageDetails": {"input": 10, "output": 20, "total": 30}, "costDetails": {"total": 0.012},
        "calculatedTotalCost": 0.012, "latency": 8.2, "promptName": None,
    }  # fmt: skip


def litellm(question: str, answer: str) -> dict[str, Any]:
    """The payload that LiteLLM logs."""
    return {
        "id": "c1", "trace_id": f"t{hash(question)}", "call_type": "acompletion", "cache_hit": None,
        "stream": False, "status": "success", "response_cost": 0.012, "total_tokens": 30,
        "prompt_tokens": 10, "completion_tokens": 20, "startTime": 1760000000.0, "endTime": 1760000008.2,
        "response_time": 8.2, "model": "m-1", "model_group": "chat", "api_base": "https://example.com",
        "metadata": {"user_api_key_hash": "88dc28d0f030c55ed4ab77ed8faf098196cb1c05df778539800c9f1243fe6b4b"},
        "messages": chat(question), "response": completion(answer), "error_str": None,
        "model_parameters": {"temperature": 0},
    }  # fmt: skip


def csv_cells(record: dict[str, Any]) -> dict[str, str]:
    """The record as a table has it: what is no text is JSON."""
    return {key: value if isinstance(value, str) else json.dumps(value)
            for key, value in record.items()}  # fmt: skip


def table(records: Iterable[dict[str, Any]], delimiter: str = ",") -> bytes:
    rows = [csv_cells(record) for record in records]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def lines(records: Iterable[Any]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def whole(value: Any) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def batch(pairs: Pairs, request: Callable[[str], Any], answer: Callable[[str], Any]) -> list[bytes]:
    """The two files of a batch of OpenAI, the answers first."""
    requests, answers = [], []
    for number, (question, text) in enumerate(pairs):
        name = f"r{number}"
        requests.append(
            {"custom_id": name, "method": "POST", "url": "/v1", "body": request(question)}
        )
        body = {"status_code": 200, "request_id": "q", "body": answer(text)}
        answers.append({"id": f"b{number}", "custom_id": name, "response": body, "error": None})
    return [lines(reversed(answers)), lines(requests)]


def anthropic_batch(pairs: Pairs) -> list[bytes]:
    named = [(f"r{number}", *pair) for number, pair in enumerate(pairs)]
    requests = [
        {"custom_id": name, "params": anthropic_request(question)} for name, question, _ in named
    ]
    results = [{"custom_id": name, "result": {"type": "succeeded", "message": anthropic(answer)}}
               for name, _, answer in named]  # fmt: skip
    return [lines(requests), lines(results)]


EXPORTS: dict[str, tuple[str, Callable[[Pairs], bytes | list[bytes]]]] = {
    "pairs": (".jsonl", lambda pairs: lines({"input": q, "output": a} for q, a in pairs)),
    "pairs, pretty": (".json", lambda pairs: whole([{"input": q, "output": a} for q, a in pairs])),
    "pairs, one after the other": (
        ".json", lambda pairs: b"\n".join(whole({"input": q, "output": a}) for q, a in pairs)),
    "pairs, gzipped": (
        ".jsonl.gz", lambda pairs: gzip.compress(lines({"input": q, "output": a} for q, a in pairs))),
    "pairs, UTF-16": (
        ".jsonl", lambda pairs: lines({"input": q, "output": a} for q, a in pairs).decode().encode("utf-16")),
    "graphs": (".jsonl", lambda pairs: lines({"input": q, "output": json.loads(a)} for q, a in pairs)),
    "strings in strings": (
        ".jsonl", lambda pairs: lines({"input": json.dumps(q), "output": json.dumps(json.dumps(a))} for q, a in pairs)),
    "unknown keys": (
        ".jsonl", lambda pairs: lines({"n": 1, "frage": q, "antwort": {"ergebnis": a}} for q, a in pairs)),
    "a brief's text as brief": (".jsonl", lambda pairs: lines({"brief": q, "text": a} for q, a in pairs)),
    "chats": (".jsonl", lambda pairs: lines({"messages": [*chat(q), reply(a)]} for q, a in pairs)),
    "conversations": (
        ".json", lambda pairs: whole([{"conversations": [{"from": "human", "value": q}, {"from": "gpt", "value": a}]}
                                      for q, a in pairs])),
    "table": (".csv", lambda pairs: table({"input": q, "output": a} for q, a in pairs)),
    "table with semicolons": (
        ".csv", lambda pairs: b"\xef\xbb\xbf" + table(({"question": q, "reply": a} for q, a in pairs), ";")),
    "Chat Completions": (
        ".jsonl", lambda pairs: lines({"request": {"model": "m-1", "messages": chat(q)}, "response": completion(a)}
                                      for q, a in pairs)),
    "Responses": (
        ".jsonl", lambda pairs: lines({"request": {"instructions": SYSTEM, "input": q}, "response": response(a)}
                                      for q, a in pairs)),
    "Anthropic": (
        ".jsonl", lambda pairs: lines({"request": anthropic_request(q), "response": anthropic(a)} for q, a in pairs)),
    "Gemini": (".jsonl", lambda pairs: lines({"request": gemini_request(q), "response": gemini(a)} for q, a in pairs)),
    "batch of chats": (".jsonl", lambda pairs: batch(pairs, lambda q: {"messages": chat(q)}, completion)),
    "batch of responses": (
        ".jsonl", lambda pairs: batch(pairs, lambda q: {"instructions": SYSTEM, "input": q}, response)),
    "batch of Anthropic": (".jsonl", anthropic_batch),
    "batch of Gemini": (
        ".jsonl", lambda pairs: [lines({"key": q[:40], "request": gemini_request(q)} for q, _ in pairs),
                                 lines({"key": q[:40], "response": gemini(a)} for q, a in pairs)]),
    "promptfoo": (".json", lambda pairs: whole(promptfoo_summary(pairs))),
    "promptfoo, lines": (".jsonl", lambda pairs: lines(promptfoo(*pair) for pair in pairs)),
    "promptfoo, table": (
        ".csv", lambda pairs: table({"problem": q, "[m-1] Draft: {{problem}}": f"[PASS] (1.00)\n\n{a}\n\nPass Reason: {{}}"}
                                    for q, a in pairs)),
    "Inspect": (".json", lambda pairs: whole(inspect_log(pairs))),
    "Inspect, archive": (".eval", inspect_archive),
    "OpenTelemetry": (".json", lambda pairs: whole(spans(pairs, genai_span))),
    "OpenTelemetry, lines": (".jsonl", lambda pairs: lines(spans([pair], genai_span) for pair in pairs)),
    "OpenLLMetry": (".json", lambda pairs: whole(spans(pairs, openllmetry_span))),
    "OpenInference": (".json", lambda pairs: whole(spans(pairs, openinference_span))),
    "Braintrust": (".json", lambda pairs: whole({"events": [braintrust(*pair) for pair in pairs], "cursor": None})),
    "Braintrust, table": (".csv", lambda pairs: table(braintrust(*pair) for pair in pairs)),
    "LangSmith": (".jsonl", lambda pairs: lines(langsmith(*pair) for pair in pairs)),
    "LangSmith, table": (".csv", lambda pairs: table(langsmith(*pair) for pair in pairs)),
    "LangSmith, examples": (
        ".jsonl", lambda pairs: lines({"inputs": {"question": q}, "outputs": {"draft": a}} for q, a in pairs)),
    "Langfuse": (".json", lambda pairs: whole([langfuse(*pair) for pair in pairs])),
    "Langfuse, its API": (
        ".json", lambda pairs: whole({"data": [langfuse(*pair) for pair in pairs], "meta": {"page": 1}})),
    "Langfuse, table": (".csv", lambda pairs: table(langfuse(*pair) for pair in pairs)),
    "LiteLLM": (".jsonl", lambda pairs: lines(litellm(*pair) for pair in pairs)),
}  # fmt: skip
"""The suffix of each file, and what is in it, or in the two files of a batch."""
