"""What endpoints say of their models is read; an endpoint that says nothing, or nonsense, changes nothing."""

import datetime
from pathlib import Path

from stages.generate.dry_run import shutdown_days
from stages.generate.plan.endpoint import Endpoint
from tests.builders.cases import cases
from tests.builders.provider import FakeProvider, json_reply
from tests.generate.workspace import Workspace, model

DAY = datetime.date(2027, 1, 14)


def listing(models: object) -> FakeProvider:
    """A server that lists these models, whatever they are."""
    listed = {"object": "list", "data": models} if isinstance(models, list) else models
    return FakeProvider(lambda _: json_reply(listed))


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
    with listing(models) as server:
        endpoint = Endpoint(provider="openai", url=server.url)
        assert shutdown_days([endpoint], {}) == {(endpoint, "gpt-x"): DAY}


@cases(
    "listed",
    {
        "a text": {"data": "none"},
        "an object": {"data": {}},
        "a number": 7,
    },
)
def test_a_listing_of_another_shape_says_nothing(listed: object) -> None:
    with listing(listed) as server:
        assert shutdown_days([Endpoint(provider="openai", url=server.url)], {}) == {}


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
    with listing([{"id": "gpt-x", "shutdown_date": "2999-01-14"}]) as server:
        done = Workspace(tmp_path, model("m", url=server.url) | {"model": "gpt-x"}).run("--dry-run")
    assert done.returncode == 0, done.stderr
    assert "gpt-x is switched off on 2999-01-14" in done.stdout
