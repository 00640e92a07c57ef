"""Models that are switched off are named before money is spent on them."""

import datetime
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stages.contracts.model_config import ModelConfig
from stages.generate.calls.model_listing import shutdown_days
from stages.generate.plan.endpoint import Endpoint
from stages.generate.preview.announcement import shutdown_notes
from stages.generate.published_prices import published_for
from tests.generate.calls.test_endpoints import Stand

TODAY = datetime.date(2026, 11, 21)
DAY = datetime.date(2027, 1, 14)
HERE = Endpoint(provider="openai")


def config(deprecated_on: datetime.date | None = None, **changes: object) -> ModelConfig:
    fields = {"id": "m", "display_name": "M", "provider": "openai", "model": "gpt-x", "target_mode": "fast"}
    return ModelConfig.model_validate({**fields, "deprecated_on": deprecated_on, **changes})


@pytest.fixture
def stand() -> Iterator[Stand]:
    stand = Stand(None)
    threading.Thread(target=stand.serve_forever, args=(0.01,), daemon=True).start()
    yield stand
    stand.shutdown()
    stand.server_close()


@pytest.mark.parametrize(
    ("stated", "listed", "outdated", "said"),
    [
        pytest.param(None, None, False, [], id="nothing is known"),
        pytest.param(DAY, None, False, ["switched off on 2027-01-14, in 54 days"], id="the config says so"),
        pytest.param(None, DAY, False, ['"deprecated_on": "2027-01-14"'], id="the endpoint says so"),
        pytest.param(TODAY, DAY, False, ["in 54 days", 'the config says "2026-11-21"'], id="they differ"),
        pytest.param(DAY, DAY, True, ["choose another model before then"], id="they agree"),
        pytest.param(TODAY, None, False, ["was switched off", "no longer be reproduced"], id="it is over"),
        pytest.param(TODAY + datetime.timedelta(1), None, False, ["in 1 day;"], id="tomorrow"),
        pytest.param(None, None, True, ["deprecated by its provider"], id="the prices say so"),
    ],
)
def test_what_is_said_of_a_model(
    stated: datetime.date | None, listed: datetime.date | None, outdated: bool, said: list[str]
) -> None:
    listing = {(HERE, "gpt-x"): listed} if listed else {}
    notes = list(shutdown_notes([(config(stated), HERE)], listing, lambda *_: outdated, today=TODAY))
    assert len(notes) == min(len(said), 1)
    assert all(part in notes[0] for part in said)


def test_the_listing_of_models_is_read(stand: Stand) -> None:
    stand.listed["data"] = [
        {"id": "gpt-x", "object": "model", "created": 1, "owned_by": "o", "shutdown_date": "2027-01-14"},
        {"id": "gpt-y", "object": "model", "created": 1, "owned_by": "o", "shutdown_date": None},
        {"id": "gpt-z", "object": "model", "created": 1, "owned_by": "o", "shutdown_date": "soon"},
    ]
    endpoint = Endpoint(provider="openai", url=f"http://{stand.host}/v1")
    assert shutdown_days([endpoint], {}) == {(endpoint, "gpt-x"): DAY}


@pytest.mark.parametrize(
    "listed", [pytest.param({"data": "none"}, id="another shape"), pytest.param([], id="no object")]
)
def test_a_listing_that_cannot_be_read_tells_nothing(stand: Stand, listed: object) -> None:
    stand.listed = listed  # type: ignore[assignment]
    assert shutdown_days([Endpoint(provider="openai", url=f"http://{stand.host}/v1")], {}) == {}


def test_an_endpoint_that_is_not_there_tells_nothing() -> None:
    assert shutdown_days([Endpoint(provider="openai", url="http://127.0.0.1:9/v1")], {}) == {}


def test_an_endpoint_without_its_key_is_not_asked() -> None:
    assert shutdown_days([Endpoint(provider="openai", key_env="KEY"), Endpoint(provider="simulated")], {}) == {}


@pytest.mark.parametrize(("model", "deprecated"), [("gemini-2.0-flash", True), ("gpt-6.1-terra", False)])
def test_the_list_of_published_prices_tells_what_is_deprecated(model: str, deprecated: bool) -> None:
    url = "https://generativelanguage.googleapis.com/v1beta/openai" if deprecated else None
    found = published_for(config(model=model, base_url=url), Endpoint(provider="openai", url=url))
    assert found is not None
    assert found.deprecated is deprecated


def test_a_dry_run_warns(stand: Stand, tmp_path: Path) -> None:
    stand.listed["data"] = [
        {"id": "gpt-x", "object": "model", "created": 1, "owned_by": "o", "shutdown_date": "2999-01-14"}
    ]
    for name, text in (
        ("params.yaml", "prompt: prompts/p.txt\nmodels: [m]\nbriefs: [b]\n"),
        ("dvc.yaml", "stages: {}\n"),
        ("prompts/p.txt", "Draft a graph.\n"),
        ("briefs/b.md", "---\n---\nRent or buy?\n"),
        ("models/m.json", json.dumps(config(base_url=f"http://{stand.host}/v1").model_dump(exclude_none=True))),
    ):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    repository = Path(__file__).parents[3]
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("OPENAI_", "DVC_"))}
    done = subprocess.run(
        [sys.executable, "-m", "stages.generate", "--dry-run"],
        cwd=tmp_path,
        env={**variables, "PYTHONPATH": str(repository), "GRAPH_EVALUATOR_LEDGER": str(tmp_path / "ledger")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "gpt-x is switched off on 2999-01-14" in done.stdout) == (0, True), done.stderr
