import json

import jsonschema
import pytest
import yaml

from generators.schemas import SCHEMAS, render
from tests import REPOSITORY


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_the_published_schema_is_what_the_loader_enforces(name):
    assert (REPOSITORY / name).read_text() == render(SCHEMAS[name]), "run: make schemas"


def _check(value, name):
    jsonschema.Draft202012Validator(
        json.loads((REPOSITORY / "schemas" / name).read_text())
    ).validate(value)


def test_shipped_model_configs_follow_their_schema():
    for file in (REPOSITORY / "models").rglob("*.json"):
        _check(json.loads(file.read_text()), "model_config.schema.json")


def test_the_shipped_params_follow_their_schema():
    _check(
        yaml.safe_load((REPOSITORY / "params.yaml").read_text()),
        "params.schema.json",
    )
