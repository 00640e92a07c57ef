"""A run, ready to go: its models with their endpoints, its briefs, and all its cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stages.contracts.brief import Brief
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import JsonValue
from stages.contracts.model_config import ModelConfig
from stages.contracts.params import Params
from stages.contracts.run import PromptRef
from stages.generate.call import Endpoint
from stages.generate.plan.cell_plan import PlannedCell, plan_cells
from stages.generate.plan.endpoint import address, endpoint_of


@dataclass(frozen=True)
class Prepared:
    """What a run works on."""

    params: Params
    prompt: PromptRef
    models: tuple[tuple[ModelConfig, Endpoint], ...]
    briefs: tuple[Brief, ...]
    cells: tuple[PlannedCell, ...]

    @property
    def warnings(self) -> list[tuple[ModelConfig, str]]:
        """What configs ask for and requests leave out, with the config, each once."""
        found = {
            (planned.config.id, note): planned.config for planned in self.cells for note in planned.request.warnings
        }
        return [(config, note) for (_, note), config in sorted(found.items(), key=lambda entry: entry[0])]

    @property
    def redirected(self) -> str | None:
        """A sentence when the environment, and not a config, says where calls go; else None."""
        found = sorted(
            {
                address(endpoint)
                for config, endpoint in self.models
                if endpoint.url is not None and config.base_url is None
            }
        )
        return f"OPENAI_BASE_URL is set: calls go to {', '.join(found)}" if found else None


def needs_schema(configs: Sequence[ModelConfig]) -> bool:
    """True when a model is asked for structured output."""
    return any(config.params.response_format == "json_schema" for config in configs)


def prepare(
    params: Params,
    prompt: PromptRef,
    instructions: str,
    configs: Sequence[ModelConfig],
    briefs: Sequence[Brief],
    *,
    variables: Mapping[str, str],
    schema: dict[str, JsonValue] | None,
) -> Prepared:
    """The run that the inputs describe, in this environment.

    Args:
        params: All settings.
        prompt: Which prompt it is.
        instructions: The prompt's text.
        configs: The selected models, by id.
        briefs: The selected briefs, by id.
        variables: The environment.
        schema: The JSON Schema of a draft graph, where `needs_schema`.

    Raises:
        InputError: `OPENAI_BASE_URL` is no address.
    """
    models = tuple((config, endpoint_of(config, variables)) for config in configs)
    for _, endpoint in models:
        if endpoint.url is not None and not endpoint.url.startswith(("http://", "https://")):
            message = "must begin with http:// or https://"
            raise InputError([Problem("environment", "OPENAI_BASE_URL", message)])
    cells = plan_cells(
        models,
        briefs,
        params.generate,
        instructions=instructions,
        instructions_sha256=prompt.sha256,
        schema=schema,
    )
    return Prepared(params=params, prompt=prompt, models=models, briefs=tuple(briefs), cells=tuple(cells))
