"""What endpoints say of their models is read; an endpoint that says nothing, or nonsense, changes nothing."""

import datetime
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType

import pytest

from stages.generate.dry_run import shutdown_days
from stages.generate.plan.endpoint import Endpoint
from tests.generate.workspace import Workspace, model

DAY = datetime.date(2027, 1, 14)


class Listing:
    """A server that lists these models, whatever they are."""

    def __init__(self, models: object) -> None:
        content = json.dumps(
            {"object": "list", "data": models} if isinstance(models, list) else models
        ).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "Listing":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_the_shutdown_dates_of_a_listing_are_read() -> None:
    models = [
        {
            "id": "gpt-x",
            "object": "model",
            "created": 1,
            "owned_by": "o",
            "shutdown_date": "2027-01-14",
        },
        {"id": "gpt-y", "object": "model", "created": 1, "owned_by": "o", "shutdown_date": None},
        {"id": "gpt-z", "object": "model", "created": 1, "owned_by": "o", "shutdown_date": "soon"},
    ]
    with Listing(models) as listing:
        endpoint = Endpoint(provider="openai", url=listing.url)
        assert shutdown_days([endpoint], {}) == {(endpoint, "gpt-x"): DAY}


@pytest.mark.parametrize(
    "listed", [{"data": "none"}, {"data": {}}, 7], ids=["a text", "an object", "a number"]
)
def test_a_listing_of_another_shape_says_nothing(listed: object) -> None:
    with Listing(listed) as listing:
        assert shutdown_days([Endpoint(provider="openai", url=listing.url)], {}) == {}


def test_an_endpoint_that_does_not_answer_says_nothing() -> None:
    assert shutdown_days([Endpoint(provider="openai", url="http://127.0.0.1:9/v1")], {}) == {}


def test_an_endpoint_without_its_key_is_not_asked() -> None:
    assert (
        shutdown_days(
            [Endpoint(provider="openai", key_env="KEY"), Endpoint(provider="simulated")], {}
        )
        == {}
    )


def test_a_dry_run_shows_the_shutdown_of_a_model(tmp_path: Path) -> None:
    with Listing([{"id": "gpt-x", "shutdown_date": "2999-01-14"}]) as listing:
        done = Workspace(tmp_path, model("m", url=listing.url) | {"model": "gpt-x"}).run(
            "--dry-run"
        )
    assert done.returncode == 0, done.stderr
    assert "gpt-x is switched off on 2999-01-14" in done.stdout
