"""A small repository of inputs in a folder of its own, and a server on loopback that answers and counts."""

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple
from unittest import mock

import yaml

from stages.generate import __main__ as stage
from stages.shell import command
from tests.builders.api_bodies import response_body

REPOSITORY = Path(__file__).parents[2]
GRAPH = '{"nodes": [], "edges": []}'
Answering = Callable[[str, int], tuple[int, bytes]]


class Done(NamedTuple):
    """How a command ended and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def answer_body(text: str = GRAPH, **changed: Any) -> bytes:
    """A complete answer of the Responses API, of 1,000 tokens in and 500 out."""
    usage = {
        "input_tokens": 1000,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 500,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 1500,
    }
    stated = {"model": "m-1", "service_tier": "default", "usage": usage}
    return json.dumps(response_body(text, **stated | changed)).encode()


def always(brief: str, nth: int) -> tuple[int, bytes]:
    """Every call is answered."""
    return 200, answer_body()


def input_of(asked: dict[str, Any]) -> str:
    """The user message of a request."""
    return str(asked["input"] if "input" in asked else asked["messages"][-1]["content"])


class CountingServer:
    """Answers with `answering(name, nth call of that name from 1)`; keeps the count, the bodies and the headers of calls.

    What a call is named by is its input, unless `name` says otherwise.
    """

    def __init__(
        self,
        answering: Answering = always,
        *,
        latency_s: float = 0.0,
        name: Callable[[dict[str, Any]], str] = input_of,
    ) -> None:
        self.calls: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        lock = threading.Lock()
        pause = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                text = name(asked)
                with lock:
                    outer.calls[text] += 1
                    nth = outer.calls[text]
                    outer.bodies.append(asked)
                    outer.headers.append(
                        {name.lower(): value for name, value in self.headers.items()}
                    )
                pause.wait(latency_s)
                status, body = answering(text, nth)
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "CountingServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def model(name: str = "m", *, url: str | None = None, **changed: Any) -> dict[str, Any]:
    """A model config as its file holds it."""
    config: dict[str, Any] = {
        "id": name,
        "display_name": name,
        "provider": "openai",
        "model": name,
        "target_mode": "fast",
        "pricing": {"input_per_1m": 2.0, "output_per_1m": 8.0, "source": "a test"},
    }
    return config | ({"base_url": url} if url else {}) | changed


class Workspace:
    """A folder with everything that `generate` reads, and ways to change and run it."""

    def __init__(
        self, folder: Path, *models: dict[str, Any], briefs: int = 3, **params: Any
    ) -> None:
        self.folder = folder
        for name in ("prompts", "briefs", "models"):
            (folder / name).mkdir(parents=True)
        self.write("prompts/draft.txt", "Draft a decision graph.\n")
        for number in range(1, briefs + 1):
            self.write(f"briefs/b{number}.md", f"---\ncomplexity: simple\n---\n\nbrief {number}\n")
        for config in models:
            self.write(f"models/{config['id']}.json", json.dumps(config))
        self.params: dict[str, Any] = {
            "prompt": "prompts/draft.txt",
            "models": ["*"],
            "briefs": ["*"],
        }
        self.set(**params)

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.folder / path).write_text(text, encoding="utf-8")

    def set(self, **params: Any) -> None:
        """Change `params.yaml`."""
        self.params |= params
        self.write("params.yaml", yaml.safe_dump(self.params))

    def environment(self, **variables: str) -> dict[str, str]:
        """The environment for a command: nothing of the caller's that could change what it does."""
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("DVC_", "OPENAI_", "GRAPH_"))
        }
        return {**inherited, "PYTHONPATH": str(REPOSITORY), **variables}

    def run(
        self, *arguments: str, main: Callable[[], int | None] = stage.main, **variables: str
    ) -> Done:
        """Run a command, the stage if not named, in this process: the same code from the arguments to the exit code."""
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(self.folder),
            mock.patch.dict(os.environ, self.environment(**variables), clear=True),
            mock.patch.object(sys, "argv", ["generate", *arguments]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                command.run(main)
            except SystemExit as end:
                return Done(int(end.code or 0), out.getvalue(), err.getvalue())
        raise AssertionError("a command always ends with its exit code")

    def spawn(
        self, *arguments: str, module: str = "stages.generate", **variables: str
    ) -> "subprocess.Popen[str]":
        """Start a command, the stage if not named, as a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=self.folder,
            env=self.environment(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def response(self, cell: str) -> dict[str, Any]:
        """The response of a cell such as `m/b1`."""
        loaded: dict[str, Any] = json.loads(
            (self.folder / "results/responses" / cell / "response.json").read_bytes()
        )
        return loaded

    def outputs(self) -> dict[str, bytes]:
        """Every file of the results."""
        root = self.folder / "results"
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
