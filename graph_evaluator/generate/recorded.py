"""Adapter: recorded answers. A line of a file says what a model answered to a brief; the answers of
recorded models are in the files that their configs name. Nothing is called, and nothing of them
enters the ledger.
"""

import codecs
import datetime
import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from graph_evaluator.generate.answers import answer_of, read_answer
from graph_evaluator.generate.apis import Said
from graph_evaluator.generate.plan.call import Call, PlannedModel, address
from graph_evaluator.generate.plan.cells import PlannedCell, RunPlan, first_call
from graph_evaluator.generate.replies import LONGEST_REASON, NoAnswer, ending_of, read_usage
from graph_evaluator.records.errors import InputError, input_error, nearest, read_all, read_as
from graph_evaluator.records.json_text import JsonObject, JsonValue, NotJson, canonical, parse
from graph_evaluator.records.model_config import IDENTIFIER
from graph_evaluator.records.record import Record
from graph_evaluator.records.response import Answer, Measured
from graph_evaluator.records.run_results import RecordedCounts
from graph_evaluator.shell import paths
from graph_evaluator.shell.numbers import count, counted, first_of

FINGERPRINT_START = "recorded:"
"""How the fingerprints of recorded answers begin; those of calls are 64 hex digits."""
MAX_SAMPLE = 1_000_000
MAX_FAULTS = 20
REFUSAL = "refusal"
"""The `cut_off` of a text in which the model refuses to answer."""


class BadLine(ValueError):
    """Why a line cannot be used."""


def read_time(text: str) -> datetime.datetime:
    """A time in ISO 8601; one without an offset is taken for UTC. ValueError for another text."""
    time = datetime.datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=datetime.UTC)


def _utc_text(text: str) -> str:
    """A time as ISO 8601 in UTC."""
    try:
        in_utc = read_time(text).astimezone(datetime.UTC)
    except OverflowError:
        raise ValueError("is outside the calendar") from None
    return in_utc.strftime("%Y-%m-%dT%H:%M:%SZ")


class RecordedLine(Record):
    """A line: a brief, a sample where it names one, and an answer as text, graph or `body`, which
    is that of an API; `cut_off` says why a text ended early, in the word of any provider. What it
    does not state is None. Other keys are ignored.
    """

    brief: str = Field(pattern=f"^{IDENTIFIER.pattern}$")
    sample: int | None = Field(None, ge=1, le=MAX_SAMPLE)
    text: str | None = None
    graph: JsonValue = None
    body: JsonObject | None = None
    cut_off: str | None = Field(None, max_length=LONGEST_REASON)
    model: str | None = None
    usage: JsonObject | None = None
    latency_ms: float | None = Field(None, ge=0, allow_inf_nan=False)
    cost_usd: float | None = Field(None, ge=0, allow_inf_nan=False)
    created_at: Annotated[str, AfterValidator(_utc_text)] | None = None

    def answer(self, call: Call | None = None) -> Answer | None:
        """The answer, read as the `call` that it answers asks for; None where the line has an
        error instead.

        Raises:
            BadLine: its body is of no API.
        """
        if self.body is not None:
            try:
                return read_answer(
                    canonical(self.body),
                    call,
                    latency_ms=self.latency_ms,
                    attempts=0,
                    created_at=self.created_at,
                    stated_usd=self.cost_usd,
                )
            except NoAnswer as error:
                if error.code == "wrong_shape":
                    raise BadLine(error.message) from None
                return None
        if ending_of(self.cut_off) == "failed":
            return None
        text = self.text
        if text is None:
            text = canonical(self.graph)
        measured = Measured(
            usage=read_usage(self.usage or {}),
            answered_model=self.model,
            latency_ms=self.latency_ms,
            created_at=self.created_at,
            endpoint=address(call.endpoint) if call else None,
            stated_usd=self.cost_usd,
        )
        refusal = text if self.cut_off == REFUSAL else None
        return answer_of(Said(text, refusal=refusal, reason=self.cut_off), measured, call)


def fingerprint_of_line(text: bytes) -> str:
    """The fingerprint of a recorded answer: that of its line without white space around it."""
    return FINGERPRINT_START + hashlib.sha256(text).hexdigest()


def read_recorded_line(raw: bytes) -> RecordedLine:
    """The content of a line.

    Raises:
        BadLine: it has no answer or several, or a value is of the wrong type or out of range.
    """
    try:
        record = parse(raw)
    except NotJson as error:
        # The place of a fault is that in the line, which is given by its number anyway.
        reason = str(error).partition(": line ")[0]
        raise BadLine(f"is not JSON: {reason}") from None
    if not isinstance(record, dict):
        raise BadLine("must be a JSON object")
    try:
        line = read_as(RecordedLine, record, file="")
    except InputError as error:
        raise BadLine("; ".join(map(str, error.problems))) from None
    answers = [key for key in ("text", "graph", "body") if record.get(key) is not None]
    if len(answers) != 1 and not (answers == [] and "graph" in record):
        raise BadLine(f"has {' and '.join(answers)}" if answers else "needs text, graph or body")
    return line


class AnswersFile:
    """The answers of one file, each checked when it is opened; only their places are in memory.

    `by_brief` has their fingerprints by brief and sample; `count` is how many there are, and
    `without_answer` how many lines have an error instead.

    Raises:
        InputError: lists the lines that cannot be used, or says that there is no answer.
    """

    def __init__(self, file: Path, brief_ids: Collection[str]) -> None:
        self.by_brief: defaultdict[str, dict[int, str]] = defaultdict(dict)
        self.count = 0
        self.without_answer = 0
        self._file = file
        self._starts: dict[str, int] = {}
        digest = hashlib.sha256()
        faults: list[str] = []
        start = 0
        with file.open("rb") as lines:
            for number, raw in enumerate(lines, 1):
                digest.update(raw)
                text = _text_of(raw)
                try:
                    if text:
                        self._add(text, start, brief_ids)
                except BadLine as error:
                    faults.append(f"\n  line {number}: {error}")
                start += len(raw)
        self.sha256 = digest.hexdigest()
        if faults:
            cannot = f"{counted(len(faults), 'line')} cannot be used, the first"
            raise self._error(f"{cannot}:{''.join(faults[:MAX_FAULTS])}")
        if not self.count:
            raise self._error("has no answer")

    def _add(self, text: bytes, start: int, brief_ids: Collection[str]) -> None:
        """Note the place of the answer of a line, where it has one."""
        line = read_recorded_line(text)
        if line.brief not in brief_ids:
            hint = nearest(line.brief, brief_ids)
            if hint:
                raise BadLine(f'there is no brief "{line.brief}"{hint}')
            self.count += 1  # the brief was deleted
            return
        if line.answer() is None:
            self.without_answer += 1
            return
        own = self.by_brief[line.brief]
        sample = line.sample or len(own) + 1
        if sample in own:
            raise BadLine(f"is sample {sample} of {line.brief}, as an earlier line is")
        own[sample] = fingerprint_of_line(text)
        self._starts[own[sample]] = start
        self.count += 1

    def read(self, calls: Sequence[Call], /) -> dict[str, Answer]:
        """The answers to calls by fingerprint.

        Raises:
            InputError: the file was changed since its lines were checked.
        """
        answers: dict[str, Answer] = {}
        with self._file.open("rb") as file:
            for call in calls:
                file.seek(self._starts[call.fingerprint])
                text = _text_of(file.readline())
                if fingerprint_of_line(text) != call.fingerprint:
                    raise self._error("was changed during the run: run again")
                answer = read_recorded_line(text).answer(call)
                if answer is not None:
                    answers[call.fingerprint] = answer
        return answers

    def _error(self, message: str) -> InputError:
        return input_error(self._file, "", message)


def _text_of(raw: bytes) -> bytes:
    """A line without white space around it, or the byte order mark that a file may begin with."""
    return raw.removeprefix(codecs.BOM_UTF8).strip()


@dataclass(frozen=True, slots=True)
class RecordedModel:
    """A recorded model in a run: its cells, the file with their answers, and its counts."""

    model: PlannedModel
    cells: tuple[PlannedCell, ...]
    answers: AnswersFile
    counts: RecordedCounts

    @property
    def sentence(self) -> str:
        """The answers that the run takes from the file, and those that it leaves out."""
        config, counts = self.model.config, self.counts
        left_out = {
            "briefs without a recorded answer": counts.not_recorded,
            "lines for briefs that are not selected": counts.left_out,
            "lines with an error instead of an answer": counts.without_answer,
        }
        parts = [f"{counted(counts.answers, 'answer')} from {config.answers}, never called"]
        parts += [f"{what}: {count(number)}" for what, number in left_out.items() if number]
        return f"recorded model {config.id}: {'; '.join(parts)}"


def load_recorded(plan: RunPlan) -> list[RecordedModel]:
    """The recorded models of a run, with their answers checked line by line; one InputError has the
    problems of all files.
    """
    brief_ids = {file.stem for file in paths.BRIEFS.glob("*.md")}
    models = read_all(partial(_load_model, plan=plan, brief_ids=brief_ids), plan.recorded)
    if models and not plan.cells and not any(model.cells for model in models):
        by_brief = [entry for model in models for entry in model.answers.by_brief.items()]
        others = sorted({brief for brief, answers in by_brief if answers})
        message = (
            f"the run has no answer: the recorded ones are for {first_of(others)}, which it does "
            'not select ("prod-*" selects the briefs that `ingest` made)'
        )
        raise input_error("params.yaml", "briefs", message)
    return models


def _load_model(model: PlannedModel, plan: RunPlan, brief_ids: Collection[str]) -> RecordedModel:
    config = model.config
    for key, name in (("answers", config.answers), ("prompt", config.prompt)):
        if name is not None and not Path(name).is_file():
            pull = ": run `dvc pull`" if Path(f"{name}.dvc").is_file() else ""
            file = paths.MODELS / f"{config.id}.json"
            raise input_error(file, key, f'there is no file "{name}"{pull}')
    answers = AnswersFile(Path(config.answers or ""), brief_ids)
    cells: list[PlannedCell] = []
    for brief in plan.briefs:
        first = first_call(model, plan.prompt, brief, plan.params.generate)
        for sample, fingerprint in sorted(answers.by_brief[brief.id].items()):
            cell = replace(first.cell, sample=sample)
            call = replace(first, cell=cell, fingerprint=fingerprint)
            cells.append(PlannedCell((call,)))
    counts = RecordedCounts(
        answers_sha256=answers.sha256,
        prompt=config.prompt,
        answers=len(cells),
        not_recorded=sum(not answers.by_brief[brief.id] for brief in plan.briefs),
        left_out=answers.count - len(cells),
        without_answer=answers.without_answer,
    )
    return RecordedModel(model=model, cells=tuple(cells), answers=answers, counts=counts)
