"""The run manifest, `results/run.json`: which inputs went into the run, with the hash of each."""

from collections.abc import Collection

from pydantic import Field

from stages.shared.records.json_text import JsonObject
from stages.shared.records.record import Array, FlatRecord, Record

TOOL_VERSION = "0.2.0"
NAMED_DIGITS = 12
"""Hex digits of a fingerprint that name an answer."""


class PromptRef(Record):
    """The prompt's path, relative to the repository, and the hash of the file."""

    path: str
    sha256: str


class RecordedCounts(Record):
    """A recorded model in a run: the hash of its answers file, and what became cells.

    `prompt` is that of the answers, None for the run's. `not_recorded` counts the briefs of the run
    that the file has no answer to, `left_out` its lines for other briefs, `without_answer` those
    that hold an error.
    """

    answers_sha256: str
    prompt: str | None
    answers: int
    not_recorded: int
    left_out: int
    without_answer: int


class Run(FlatRecord):
    """One run. `run_id` is the prompt's stem and 12 hex digits of a hash of all inputs: equal
    inputs, equal id.

    `git_sha` is the commit that the run started from; a later run with an otherwise equal manifest
    keeps it. `recorded` has the recorded models by id. `responses_sha256` is the hash of all
    response files; None in manifests of version 0.1.
    `answers` names the answers of each model that is neither simulated nor recorded: the first
    digits of their fingerprints, sorted, with spaces between. It is empty in older manifests.
    """

    OMITTED = ("recorded", "answers")

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
    recorded: dict[str, RecordedCounts] = Field(default_factory=dict)
    responses_sha256: str | None = None
    answers: dict[str, str] = Field(default_factory=dict)

    @property
    def inputs(self) -> JsonObject:
        """Everything but the commit."""
        return self.model_dump(exclude={"git_sha"})

    def names_answers(self, fingerprints: Collection[str]) -> frozenset[str]:
        """Those of the fingerprints whose answers the run had."""
        known = {digits for names in self.answers.values() for digits in names.split()}
        return frozenset(key for key in fingerprints if key[:NAMED_DIGITS] in known)
