"""The JSON Schemas by which editors check the files that people write, made from the records that
the loader enforces: `make schemas`.
"""

import inspect
import json
import re
from pathlib import Path

from pydantic import BaseModel

from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.graph import DraftGraph
from graph_evaluator.records.model_config import ModelConfig
from graph_evaluator.records.params import Params

SCHEMAS: dict[str, type[BaseModel]] = {
    "schemas/codebook.schema.json": Codebook,
    "schemas/draft_graph.schema.json": DraftGraph,
    "schemas/front_matter.schema.json": Expectations,
    "schemas/model_config.schema.json": ModelConfig,
    "schemas/params.schema.json": Params,
}


_DESCRIBED_FIELD = re.compile(r'(?ms)^    (\w+): (?:(?!^    \w).)*?^    """(.+?)"""')
"""A field in the source of a class, and the docstring below it."""


def render(model: type[BaseModel]) -> str:
    """The schema of a record as the text of its file; docstrings below fields describe them."""
    schema = model.model_json_schema(by_alias=True)
    ours = [
        one for one in _records_below(BaseModel) if one.__module__.startswith("graph_evaluator.")
    ]
    records = {record.__name__: record for record in ours}
    for name, definition in {model.__name__: schema, **schema.get("$defs", {})}.items():
        record = records[name]
        for field, text in _DESCRIBED_FIELD.findall(inspect.getsource(record)):
            key = record.model_fields[field].alias or field
            definition["properties"][key]["description"] = " ".join(text.split())
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _records_below(record: type[BaseModel]) -> list[type[BaseModel]]:
    direct = record.__subclasses__()
    return [*direct, *(below for one in direct for below in _records_below(one))]


def main() -> None:
    """Write all schemas, relative to the working directory."""
    for name, model in SCHEMAS.items():
        Path(name).write_text(render(model), encoding="utf-8")


if __name__ == "__main__":
    main()
