"""What endpoints say of their models is read; an endpoint that says nothing, or nonsense, changes nothing."""

import datetime
from pathlib import Path

from stages.generate.dry_run import shutdown_days
from stages.generate.plan.endpoint import Endpoint
from tests.builders.cases import cases
from tests.builders.provider import FakeProvider, json_reply
from tests.generate.workspace import Workspace, model

DAY = datetime.date(2027, 1, 14)
MODELS = [
    {"id": "gpt-x", "object": "model", "shutdown_date": "2027-01-14"},
    {"id": "gpt-y", "object": "model", "shutdown_date": None},
    {"id": "gpt-z", "object": "model", "shutdown_date": "soon"},
]


def listing(listed: object) -> FakeProvider:
    """A server whose list of models is this, whatever it is."""
    return FakeProvider(lambda _: json_reply(listed))


@cases(
    "listed, days",
    {
        "dates": ({"object": "list", "data": MODELS}, {"gpt-x": DAY}),
        "a text": ({"data": "none"}, {}),
        "an object": ({"data": {}}, {}),
        "a number": (7, {}),
    },
)
def test_the_shutdown_dates_of_a_listing_are_read_and_another_shape_says_nothing(
    listed: object, days: dict[str, datetime.date]
) -> None:
    with listing(listed) as server:
        endpoint = Endpoint(provider="openai", url=server.url)
        found = shutdown_days([endpoint], {})
    assert found == {(endpoint, model): day for model, day in days.items()}


def test_an_endpoint_that_does_not_answer_or_lacks_its_key_says_nothing() -> None:
    silent = Endpoint(provider="openai", url="http://127.0.0.1:9/v1")
    without_key = Endpoint(provider="openai", key_env="KEY")
    assert shutdown_days([silent, without_key, Endpoint(provider="simulated")], {}) == {}


def test_a_dry_run_shows_the_shutdown_of_a_model(tmp_path: Path) -> None:
    models = [{"id": "gpt-x", "shutdown_date": "2999-01-14"}]
    with listing({"object": "list", "data": models}) as server:
        done = Workspace(tmp_path, model(url=server.url, model="gpt-x")).run("--dry-run")
    assert done.returncode == 0, done.stderr
    assert "gpt-x is switched off on 2999-01-14" in done.stdout
