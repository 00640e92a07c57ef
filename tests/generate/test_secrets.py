"""No key, in any form, reaches a file, a log, a message or a report: everything is run with canary keys, failures included."""

import base64
import html
import json
import logging
import socket
import time
from functools import partial
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.generate.calls.redaction import LONGEST_MESSAGE, Redaction
from graph_evaluator.report import __main__ as report_stage
from graph_evaluator.score import __main__ as score_stage
from tests.builders.cases import cases
from tests.builders.provider import FakeProvider, Reply, answer_body
from tests.generate.workspace import Workspace, model

KEY = "sk-canary/7f3a91+XQ=="
TOKEN = 'canary-tok"en&51c0<9f>'
WORDS = (KEY, TOKEN, "canary-session-77")
VARIABLES: dict[str, Any] = {
    "CANARY_KEY": KEY,
    "CANARY_TOKEN": f"Bearer {TOKEN}",
    "CANARY_COOKIE": f"theme=dark; id={WORDS[2]}",
    "CANARY_TITLE": "Graph Evaluator",
}
HEADERS = {"X-Token": "CANARY_TOKEN", "Cookie": "CANARY_COOKIE", "X-Title": "CANARY_TITLE"}


def in_url(text, form="%{:02X}"):
    """Every byte escaped."""
    return "".join(form.format(byte) for byte in text.encode())


def in_json(text):
    return json.dumps(text)[1:-1]


def in_base64(text):
    return base64.b64encode(text.encode()).decode()


def forms(secret):
    """A secret as a careless server may repeat it."""
    return [
        secret,
        f"Bearer {secret}",
        f"key={secret}&",
        quote(secret),
        quote(secret, safe=""),
        quote(secret, safe="").lower(),
        quote(quote(secret, safe=""), safe=""),
        quote_plus(secret),
        in_url(secret),
        in_url(secret, "%{:02x}"),
        in_url(secret, "%25{:02X}"),
        in_json(secret),
        in_json(secret).replace("/", "\\/"),
        in_json(in_json(secret)),
        in_json(in_json(secret).replace("/", "\\/")),
        in_url(secret, "\\u00{:02x}"),
        in_url(secret, "\\u00{:02X}"),
        in_url(secret, "\\\\u00{:02x}"),
        html.escape(secret),
        html.escape(secret).replace("&", "\\u0026"),
        in_url(secret, "&#{};"),
        in_url(secret, "&#x{:x};"),
        in_base64(secret),
        in_base64(secret).rstrip("="),
        base64.urlsafe_b64encode(secret.encode()).decode(),
        in_base64(f"Bearer {secret}"),
        in_base64(f"user:{secret}"),
        in_base64(f"{{'key': '{secret}'}}"),
        quote(in_base64(secret), safe=""),
        in_base64(secret).replace("/", "\\/"),
    ]


def keyed(folder, url, **params):
    """A project whose calls carry the canary keys."""
    config = model(url=url, api_key_env="CANARY_KEY", headers_env=HEADERS)
    return Workspace(folder, config, **params)


FORMS = [form for secret in WORDS for form in forms(secret)]


def answering(refused, brief, nth):
    """Every way to end, each repeating the keys: those that are escaped as JSON does it also without a further escape."""
    number = int(brief.removeprefix("brief "))
    forms_here = [forms(secret)[(number - 1) % 30] for secret in WORDS]
    text = " and ".join(forms_here)
    echo = {"error": {"message": f"Incorrect key {text}", "code": forms_here[0]}}
    if refused:
        return 401, json.dumps(echo).encode()
    if number > 30:
        status = [400, 422, 500][number % 3]
        return status, json.dumps(echo).encode()
    body = answer_body(f"your keys are {text} PLACE", model=text, id=text)
    if "\\u" in text:
        body = body.replace(b"PLACE", text.encode())
    return 200, body


@cases("refused", {"failures of every kind": False, "a refused key": True})
def test_a_canary_key_is_found_nowhere(server, tmp_path, refused, caplog):
    caplog.set_level(logging.DEBUG)
    runtime = {"max_attempts": 1, "warm_prompt_cache": False}
    server.answering = partial(answering, refused)
    workspace = keyed(tmp_path, server.url, briefs=60, runtime=runtime)
    runs = [workspace.run(**VARIABLES), workspace.run("--dry-run", **VARIABLES)]
    for stage in (score_stage, report_stage):
        runs.append(workspace.run(main=stage.main, **VARIABLES))
    printed = [text for run in runs for text in (run.stdout, run.stderr)]
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].headers["x-token"] == f"Bearer {TOKEN}"
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(path.name == "answers.sqlite3" for path in written)
    assert refused or any(path.name == "summary.md" for path in written)
    shown = "\n".join([*printed, caplog.text]).encode()
    for content in (form.encode() for form in FORMS):
        assert content not in shown
        assert [path for path, text in written.items() if content in text] == []


NAMES = ["Helicone-Auth", "X-Gateway-Pass", "X-Session", "X-Team", "X-Title", "HTTP-Referer"]


def test_every_value_of_a_header_is_a_secret_except_custom_ones_that_are_known_to_be_harmless(
    server, tmp_path
):
    values = {name: f"v4l-{number:02}-{name.lower()}" for number, name in enumerate(NAMES)}
    variables: dict[str, Any] = {
        f"CANARY_{number}": value for number, value in enumerate(values.values())
    }
    custom = "X-Squad: v4l-in-custom-header\nX-Title: harmless-title\nAccept-Language: en"
    text = " and ".join([*values.values(), "v4l-in-custom-header", "harmless-title"])
    echo = json.dumps({"error": {"message": text, "code": values["X-Team"]}}).encode()
    server.answering = lambda brief, _: (
        (200, answer_body(text)) if brief[-1] == "1" else (400, echo)
    )
    headers = dict(zip(NAMES, variables, strict=True))
    workspace = Workspace(tmp_path, model(url=server.url, headers_env=headers), briefs=2)
    done = workspace.run(OPENAI_CUSTOM_HEADERS=custom, **variables)
    assert server.requests[0].headers["helicone-auth"] == values["Helicone-Auth"]
    assert "harmless-title" in workspace.response("m/b1")["raw_text"]
    assert workspace.response("m/b2")["failure_code"] == "http_400"
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not [text for text in [*written, done.stderr.encode()] if b"v4l-" in text]


PASSWORD = "sup3r/secret#pw"


def test_the_login_of_a_proxy_is_a_secret(tmp_path):
    def echo(request):
        login = request.headers["proxy-authorization"]
        secrets = (
            f"{login} {base64.b64decode(login.split()[1]).decode()} {quote(PASSWORD, safe='')}"
        )
        return Reply(
            answer_body(f"through {secrets}")
            if b"brief 1" in request.content
            else secrets.encode(),
            200,
        )

    with FakeProvider(echo) as proxy:
        url = f"http://a-user-name:{quote(PASSWORD, safe='')}@{proxy.host}"
        project = Workspace(tmp_path, model(url="http://models.invalid/v1"), briefs=2)
        done = project.run(HTTP_PROXY=url)
    assert "through" in project.response("m/b1")["raw_text"]
    assert "[key]" in project.response("m/b2")["error_message"]
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for part in (b"a-user-name", b"sup3r", in_base64(f"a-user-name:{PASSWORD}").encode()):
        assert not [text for text in [*written, done.stderr.encode()] if part in text]


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{PASSWORD}@proxy:80",
        "foo:bar",
        "http://[::1",
        "ftp://sup3rsecretpw@proxy",
        "socks5://user:sup3rsecretpw@proxy:80",
        "host:80 80",
    ],
)
def test_what_is_no_http_proxy_is_one_message_without_a_secret(tmp_path, url):
    project = Workspace(tmp_path, model(url="http://models.invalid/v1"))
    problem = project.run(ALL_PROXY=url).problem
    assert "ALL_PROXY: must be the address of an HTTP proxy" in problem
    assert "sup3r" not in problem


def test_a_closed_proxy_is_named_by_its_variable(tmp_path):
    runtime = {"max_attempts": 1}
    project = Workspace(tmp_path, model(url="http://models.invalid/v1"), briefs=1, runtime=runtime)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        done = project.run(http_proxy=f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert "the proxy of http_proxy cannot be used" in done.stderr


ODD = "canary$x'\"\\ #&<=%/+"


@pytest.mark.parametrize("form", forms(ODD))
def test_a_secret_of_odd_characters_is_removed_in_every_form(form):
    text = Redaction([ODD]).body(f"before {form} after")
    assert "canary" not in text
    assert form not in text


@pytest.mark.parametrize("run", ["\\", "%25", "&amp;", "&#0", "%6", r"\u0026", "c", "ca", '\\"'])
def test_the_time_is_linear_in_a_text_with_signs_of_escapes(run):
    redaction = Redaction([KEY, TOKEN, "c" * 40])
    text = run * (300_000 // len(run)) + " %2 \\u006 &#"
    started = time.process_time()
    redaction.message(text)
    assert time.process_time() - started < 2


def test_what_is_around_an_escaped_secret_stays_as_it_is():
    text = json.dumps({"İ": f'ſ\n{KEY}\n\\{KEY}\\"', "%41": r"&foo;\u0041 \/"}, ensure_ascii=False)
    expected = json.loads(text.replace(KEY, "[key]"))
    redacted = Redaction([KEY]).body(text.replace("sk-canary", r"\u0073k-canar&#121;"))
    assert json.loads(redacted) == expected | {"İ": 'ſ\n[key]\n[key]\\"'}


def test_no_end_of_a_key_in_base64_stays():
    assert Redaction([ODD[:18]]).body(in_base64(ODD[:18])) == "[key]"


@cases(
    "variable, value",
    {
        "the key": ("CANARY_KEY", "abc1234"),
        "a header": ("CANARY_TOKEN", "Bearer abc1234"),
        "a custom header": ("OPENAI_CUSTOM_HEADERS", "X-Secret: abc1234"),
    },
)
def test_a_short_key_is_refused_except_on_this_machine(server, tmp_path, variable, value):
    variables = VARIABLES | {variable: value}
    problem = keyed(tmp_path / "far", "http://models.invalid/v1").run(**variables).problem
    assert f"{variable}: must have at least 8 characters" in problem
    assert problem.count("must have at least") == 1
    assert "abc1234" not in problem
    assert keyed(tmp_path / "near", server.url).run(**variables).returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        "sk-abcd****wxyz",
        "Bearer whatever-it-may-be",
        "gsk_fMaZ0aZqP3xKtq",
    ],
)
def test_what_looks_like_a_key_is_removed_from_messages(text):
    assert Redaction([]).message(f"got {text}!").startswith("got [key]")


@given(st.text())
def test_a_message_is_one_bounded_line(text):
    message = Redaction([]).message(text * 50)
    assert len(message) <= LONGEST_MESSAGE
    assert len(message.splitlines()) <= 1
