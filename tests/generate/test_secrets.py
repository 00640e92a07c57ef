"""No key, in any form, reaches a file, a log, a message or a report: everything is run with canary keys, failures included."""

import base64
import json
import logging
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.generate.workspace import CountingServer, Workspace, answer_body, model

KEY = "sk-canary/7f3a91+XQ=="
HEADER = "canary header 51c0"
FORMS = [
    form.encode()
    for secret in (KEY, HEADER)
    for form in (
        secret,
        secret[3:],
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        base64.b64encode(secret.encode()).decode(),
    )
]


def answering(brief: str, nth: int) -> tuple[int, bytes]:
    """Every way to end, each repeating the key as a careless server may."""
    echo = {"error": {"message": f"Incorrect key {KEY} with {HEADER}", "code": KEY}}
    if brief == "brief 1":
        return 400, json.dumps(echo).encode()
    if brief == "brief 2" and nth == 1:
        return 500, json.dumps(echo).encode()
    if brief == "brief 3":
        return 200, answer_body(f"your key is {KEY}", model=KEY, id=HEADER)
    if brief == "brief 4":
        return 422, f"<html>{KEY}</html>".encode()
    return 200, answer_body()


@pytest.mark.parametrize("refused", [False, True], ids=["failures of every kind", "a refused key"])
def test_a_canary_key_is_found_nowhere(
    tmp_path: Path, refused: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with CountingServer((lambda brief, nth: (401, echo)) if refused else answering) as server:
        config = model(
            url=server.url, api_key_env="CANARY_KEY", headers_env={"X-Title": "CANARY_HEADER"}
        )
        workspace = Workspace(tmp_path, config, briefs=6)
        workspace.write(".env", f"CANARY_HEADER={HEADER}\n")
        done = workspace.run(CANARY_KEY=KEY)
        dry = workspace.run("--dry-run", CANARY_KEY=KEY)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["x-title"] == HEADER
    (tmp_path / ".env").unlink()
    written = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(path.name == "answers.sqlite3" for path in written)
    shown = "\n".join([done.stdout, done.stderr, dry.stdout, dry.stderr, caplog.text]).encode()
    for form in FORMS:
        assert form not in shown
        assert [path for path, content in written.items() if form in content] == []
