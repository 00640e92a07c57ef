"""A provider that goes wrong in every way that a real one has been seen to."""

from tests.builders.provider import Reply, answer_body, json_reply

HTML = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"


def answer(cell) -> bytes:
    """A complete answer."""
    return answer_body(f"to {cell}")


def error(status, code, **headers) -> Reply:
    """An error in the API's shape."""
    body = {"message": f"fault {code}", "type": code, "code": code, "param": None}
    return json_reply({"error": body}, status, **headers)


WHOLE = answer("a")
LIMITED = (429, "rate_limit_exceeded")
FAILED = {"status": "failed", "output": [], "error": {"code": "server_error", "message": "oops"}}
USAGE = {"input_tokens": 7, "output_tokens": 5}
STREAM = {"content-type": "text/event-stream"}
DAILY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
FAULTS_BY_OUTCOME = {
    ("rate_limited", "call"): {
        "429 Retry-After": error(*LIMITED, retry_after="0.01"),
        "429 retry-after-ms": error(*LIMITED, retry_after_ms="10"),
        "429 bare": error(*LIMITED),
    },
    ("timeout_failed", "call"): {"408": error(408, "timeout")},
    ("server_error", "call"): {
        "409": error(409, "conflict"),
        "500": error(500, "server_error"),
        "502 HTML": Reply(HTML, 502, {"content-type": "text/html"}),
        "503": error(503, "overloaded"),
        "529": error(529, "overloaded"),
        "failed answer": json_reply(FAILED),
        "an overload with 200": json_reply({"error": {"code": 503, "message": "overloaded"}}),
    },
    ("server_error", "once"): {
        "failed answer that was billed": json_reply(FAILED | {"usage": USAGE}),
        "JSON and an event": Reply(WHOLE + b"\n\ndata: {}\n\n", headers=STREAM),
        "no choices": json_reply({"choices": [], "usage": USAGE}),
        "a byte that is not UTF-8": Reply(WHOLE.replace(b"to a", b"to \xff")),
        "NaN": Reply(WHOLE.replace(b"1000", b"NaN")),
        "cut JSON": Reply(WHOLE[:40]),
        "closed mid-body": Reply(WHOLE[:30], sent_length=len(WHOLE), then="close"),
        "reset mid-body": Reply(WHOLE[:30], sent_length=len(WHOLE), then="reset"),
        "HTML": Reply(HTML, headers={"content-type": "text/html"}),
        "empty body": Reply(),
        "wrong shape": json_reply({"hello": "world"}),
        "broken gzip": Reply(b"no gzip", headers={"content-encoding": "gzip"}),
        "a list": json_reply([1, 2]),
    },
    ("server_error", "key"): {
        "event stream": Reply(b'data: {"choices": []}\n\ndata: [DONE]\n\n', headers=STREAM),
    },
    ("quota_exceeded", "key"): {
        "insufficient_quota": error(429, "insufficient_quota"),
        "billing_hard_limit_reached": error(400, "billing_hard_limit_reached"),
        "402 with 200": json_reply({"error": {"code": 402, "message": "no credits"}}),
        "a daily quota of Google": json_reply([{"error": {"code": 429, "details": [DAILY]}}], 429),
    },
    ("auth_failed", "key"): {"401": error(401, "invalid_api_key"), "403": error(403, "forbidden")},
    ("invalid_request", "cell"): {
        "400": error(400, "invalid_value"),
        "404": error(404, "model_not_found"),
        "422": error(422, "unprocessable"),
    },
    ("connection_failed", "call"): {
        "closed at once": Reply(raw=b"", then="close"),
        "reset": Reply(raw=b"", then="reset"),
        "no HTTP": Reply(raw=b"SSH-2.0-OpenSSH_9.6\r\n\r\n", then="close"),
        "a huge header": Reply(WHOLE, headers={"x-huge": "x" * 1_000_000}, then="close"),
    },
}
"""What may come instead of an answer, by the status and scope of the fault that it is read as."""
FAULTS = {name: reply for group in FAULTS_BY_OUTCOME.values() for name, reply in group.items()}
SLOW_FAULTS = {
    "drip": Reply(WHOLE, then="drip"),
    "silence": Reply(raw=b"", then="silence"),
    "silent body": Reply(WHOLE[:-20], sent_length=len(WHOLE), then="silence"),
}
PASSING = [
    name for (_, scope), group in FAULTS_BY_OUTCOME.items() if scope == "call" for name in group
]
"""The faults that further attempts get over, without the slow ones."""
