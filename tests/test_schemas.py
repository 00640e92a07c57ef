import json

import jsonschema
import pytest
import yaml

from generators.schemas import SCHEMAS, render
from tests import REPOSITORY


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_the_published_schema_is_what_the_loader_enforces(name):
    assert (REPOSITORY / name).read_text() == render(SCHEMAS[name]), "run: make schemas"


@pytest.mark.parametrize(
    ("name", "files"), [("params", "params.yaml"), ("model_config", "models/**/*.json")]
)
def test_shipped_files_follow_their_schema(name, files):
    schema = json.loads((REPOSITORY / f"schemas/{name}.schema.json").read_text())
    shipped = list(REPOSITORY.glob(files))
    assert shipped
    for file in shipped:
        jsonschema.validate(yaml.safe_load(file.read_text()), schema)
