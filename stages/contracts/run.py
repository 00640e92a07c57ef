"""The run manifest, `results/run.json`: which inputs went into the run, with the hash of each."""

from pydantic import Field

from stages.contracts.record import Array, Record

TOOL_VERSION = "0.2.0"


class PromptRef(Record):
    """The prompt's path, relative to the repository, and the hash of the file."""

    path: str
    sha256: str


class Run(Record):
    """One run. `run_id` is the prompt's stem and 12 hex digits of a hash of all inputs: equal
    inputs, equal id.

    `git_sha` is the commit that the run started from; a later run with an otherwise equal manifest
    keeps it. `responses_sha256` is the hash of all response files; None in manifests of version
    0.1.
    """

    run_id: str
    git_sha: str | None
    tool_version: str
    prompt: PromptRef
    models: dict[str, str]
    briefs: dict[str, str]
    samples: int
    round: int
    unparsed_draws: int = 1
    simulated_models: Array[str] = ()
    endpoints: dict[str, str] = Field(default_factory=dict)
    responses_sha256: str | None = None
