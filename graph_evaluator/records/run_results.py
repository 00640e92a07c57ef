"""The records of a run, for products and pull requests.

`results/run.json` is its manifest, which names its inputs with the hash of each;
`results/decision.json` has the model to take for each mode, how sure that is, and why;
`results/checks.json` what each check notices of damaged copies of the run's own graphs.
"""

from collections.abc import Collection
from typing import Literal, get_args

from pydantic import Field

from graph_evaluator.records.json_text import JsonObject
from graph_evaluator.records.params import GenerateParams
from graph_evaluator.records.record import NOT_MEASURED, Array, Measurement, Omitted, Record

TOOL_VERSION = "0.3.0"
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


class Run(GenerateParams, Record):
    """One run: its settings of `generate`, and what it worked on. `run_id` is the prompt's stem and
    12 hex digits of a hash of all inputs: equal inputs, equal id.

    `git_sha` is the commit that the run started from; a later run with an otherwise equal manifest
    keeps it. `recorded` has the recorded models by id. `responses_sha256` is the hash of all
    response files; None in manifests of version 0.1.
    `answers` names the answers of each model that is neither simulated nor recorded: the first
    digits of their fingerprints, sorted, with spaces between. It is empty in older manifests.
    """

    run_id: str
    samples: int  # needed here, where a default would hide a damaged file
    round: int
    git_sha: str | None
    tool_version: str
    prompt: PromptRef
    models: dict[str, str]
    briefs: dict[str, str]
    simulated_models: Array[str] = ()
    endpoints: dict[str, str] = Field(default_factory=dict)
    recorded: Omitted[dict[str, RecordedCounts]] = Field(default_factory=dict)
    responses_sha256: str | None = None
    answers: Omitted[dict[str, str]] = Field(default_factory=dict)

    @property
    def inputs(self) -> JsonObject:
        """Everything but the commit."""
        return self.model_dump(exclude={"git_sha"})

    def names_answers(self, fingerprints: Collection[str]) -> frozenset[str]:
        """Those of the fingerprints whose answers the run had."""
        known = {digits for names in self.answers.values() for digits in names.split()}
        return frozenset(key for key in fingerprints if key[:NAMED_DIGITS] in known)


DecisionVerdict = Literal[
    "leads",
    "not_worse",
    "undecided",
    "only_candidate",
    "none",
]
WorseIn = Literal["form", "content"]
LimitName = Literal["max_p95_latency_s", "max_usd_per_usable_graph", "min_usable_rate"]
LimitVerdict = Literal["met", "missed", "not measured", "cannot tell"]


class LimitCheck(Record):
    """One limit of a mode, checked for one model."""

    model: str
    name: LimitName
    limit: float
    """As in params.yaml."""
    verdict: LimitVerdict
    """A model is excluded if it misses a limit, or if the limit cannot be measured."""
    measured: Measurement
    """In the unit of the limit; for the latency the share of calls over it."""


class Rival(Record):
    """Another candidate of the mode, on the briefs that it shares with the named model."""

    model: str
    difference: Measurement
    """The named model's form less the rival's."""
    content: Measurement | None = None
    """The same of content; null below six briefs that have a content of both."""
    worse_in: WorseIn | None = None
    """The number in which another candidate is shown to beat the rival; null: the two
    cannot be distinguished.
    """


class Evidence(Record):
    """The measurements of the named model."""

    form: Measurement
    form_of_usable_graphs: Measurement | None = None
    usable_rate: Measurement
    content: Measurement = NOT_MEASURED
    """The share of the stated effects that are right, an unusable graph counting 0."""
    same_choice: Measurement = NOT_MEASURED
    """The share of pairs of answers to a brief that recommend the same option."""
    certainty: Measurement = NOT_MEASURED
    """The share of draws of a graph's strengths in which its recommended option stays the best, the
    mean over n graphs, without an interval."""
    usd_per_usable_graph: float | None
    latency_p50_s: float | None
    latency_p95_s: float | None
    cells: int
    answers: int


class ModeDecision(Record):
    """The decision for one mode.

    `leads`: every other candidate is shown worse, in form or in content. `not_worse`: several
    remain, and the cheapest is named that none of them is measured ahead of by what matters.
    `undecided`: two candidates have fewer than six briefs in common; the one with the highest form
    is named.
    """

    verdict: DecisionVerdict
    model: str | None
    """The id of the model config; null with the verdict none."""
    reason: str
    """One or two sentences for people, as plain text."""
    config_sha256: str | None
    prompt: PromptRef
    shutdown_date: str | None
    simulated: bool
    evidence: Evidence | None
    rivals: Array[Rival]
    """Their intervals hold together at the confidence of the decision."""
    compared: int
    """Candidates with a form above 0. The best of many looks better than it is."""
    checks: Array[LimitCheck]
    excluded: Array[str]
    """Models that miss a limit."""
    without_usable: Array[str] = ()
    """Candidates without any usable graph, which cannot be named."""


class Decision(Record):
    """The decisions of a run, by mode; a mode without candidates and limits is left out."""

    run_id: str
    confidence: float
    min_difference: float
    min_content_difference: float
    modes: dict[str, ModeDecision]


Damage = Literal[
    "labels shuffled", "signs turned", "another brief's graph", "option dropped", "target changed"
]
DAMAGES: tuple[Damage, ...] = get_args(Damage)


class CheckCard(Record):
    """A check: what it asks, whether it is the team's own, and of how many copies with each damage
    it judges worse than of the graph itself.
    """

    name: str
    question: str
    own: bool
    caught: dict[Damage, int]


class BriefCard(Record):
    """How many damaged copies of graphs of a brief were made, and how many any check notices."""

    brief_id: str
    copies: int
    caught: int


class CheckCards(Record):
    """All cards of a run, and how many copies with each damage were made."""

    copies: dict[Damage, int]
    checks: Array[CheckCard]
    briefs: Array[BriefCard]
