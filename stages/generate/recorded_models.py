"""Adapter: the answers of recorded models, from the files that their configs name. Nothing is
called, and nothing of them enters the ledger.
"""

import hashlib
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from stages.generate.answers.answer import read_answer
from stages.generate.answers.recorded import (
    BadLine,
    fingerprint_of_line,
    read_recorded_line,
)
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell, RunPlan, first_call
from stages.generate.plan.models import PlannedModel
from stages.shared.records.errors import (
    InputError,
    Problem,
    collecting,
    input_error,
    nearest,
)
from stages.shared.records.response import Answer, RecordedCounts
from stages.shared.shell import paths
from stages.shared.shell.numbers import count, counted, share_of

MAX_LINE_BYTES = 10_000_000
MAX_FAULTS = 20
TRAFFIC_SUFFIX = ".traffic.jsonl"
"""Of the file beside that of a model's answers, with those to inputs that no brief has."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where an answer is in its file, and of which cell it is; sample 0 is not yet known."""

    brief_id: str
    sample: int
    fingerprint: str
    start: int


class AnswersFile:
    """The answers of one file, each checked when it is opened; only their places are in memory.

    `by_brief` has their places by brief and sample; `count` is how many there are, and
    `without_answer` how many lines hold an error in place of one.

    Raises:
        InputError: lists the lines that cannot be used, or says that there is no answer.
    """

    def __init__(self, file: Path, brief_ids: Collection[str]) -> None:
        self.without_answer = 0
        self._file = file
        self._brief_ids = brief_ids
        self._sha256 = hashlib.sha256()
        self._faults: list[str] = []
        self._lines_of_samples: defaultdict[str, dict[int, int]] = defaultdict(dict)
        try:
            places = list(self._places())
        except OSError as error:
            raise self._problem(f"cannot be read: {error.strerror}") from None
        if self._faults:
            raise self._problem(list_faults(self._faults))
        if not places and not file.with_suffix(TRAFFIC_SUFFIX).is_file():
            raise self._problem("has no answer" if self.without_answer else "is empty")
        self.by_brief = numbered(places)
        self.count = len(places)
        self._starts = {place.fingerprint: place.start for place in places}

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return self._sha256.hexdigest()

    def read(self, calls: Sequence[Call], /) -> dict[str, Answer]:
        """The answers to calls by fingerprint.

        Raises:
            InputError: the file was changed since its lines were checked.
        """
        answers: dict[str, Answer] = {}
        with self._file.open("rb") as file:
            for call in calls:
                file.seek(self._starts[call.fingerprint])
                raw = file.readline(MAX_LINE_BYTES).removeprefix(BYTE_ORDER_MARK).strip()
                if fingerprint_of_line(raw) != call.fingerprint:
                    raise self._problem("was changed during the run: run again")
                line = read_recorded_line(raw)
                body = line.said()
                if body is not None:
                    answers[call.fingerprint] = read_answer(
                        body,
                        fingerprint=call.fingerprint,
                        most_output_tokens=call.most_output_tokens,
                        schema=call.schema,
                        latency_ms=line.latency_ms,
                        attempts=0,
                        created_at=line.created_at,
                        endpoint="recorded",
                        stated_usd=line.cost_usd,
                    )
        return answers

    def _places(self) -> Iterator[LinePlace]:
        """The place of every answer, in the order of the file."""
        start = 0
        with self._file.open("rb") as file:
            for number in itertools.count(1):
                raw = file.readline(MAX_LINE_BYTES)
                if not raw:
                    return
                self._sha256.update(raw)
                text = raw.removeprefix(BYTE_ORDER_MARK).strip()
                try:
                    if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
                        _skip_line(file)
                        raise BadLine(f"is longer than {MAX_LINE_BYTES:,} bytes")
                    place = self._place_of(text, number, start) if text else None
                except BadLine as error:
                    self._faults.append(f"line {number}: {error}")
                else:
                    if place is not None:
                        yield place
                start = file.tell()

    def _place_of(self, raw: bytes, number: int, start: int) -> LinePlace | None:
        """Where the answer of a line is; None where it has none."""
        line = read_recorded_line(raw)
        if line.brief not in self._brief_ids:
            hint = nearest(line.brief, self._brief_ids) if len(self._faults) < MAX_FAULTS else ""
            raise BadLine(f'there is no brief "{line.brief}"{hint}')
        if line.said() is None:
            self.without_answer += 1
            return None
        if line.sample is not None:
            first = self._lines_of_samples[line.brief].setdefault(line.sample, number)
            if first != number:
                raise BadLine(f"is sample {line.sample} of {line.brief}, as line {first} is")
        return LinePlace(line.brief, line.sample or 0, fingerprint_of_line(raw), start)

    def _problem(self, message: str) -> InputError:
        return input_error(self._file.as_posix(), "", message)


def numbered(places: Iterable[LinePlace]) -> dict[str, list[LinePlace]]:
    """The places of each brief by sample; those without one take its free samples, from 1."""
    by_brief: defaultdict[str, list[LinePlace]] = defaultdict(list)
    for place in places:
        by_brief[place.brief_id].append(place)
    for brief_id, own in by_brief.items():
        taken = {place.sample for place in own}
        free = (sample for sample in itertools.count(1) if sample not in taken)
        own = [place if place.sample else replace(place, sample=next(free)) for place in own]
        by_brief[brief_id] = sorted(own, key=lambda place: place.sample)
    return by_brief


def list_faults(faults: Sequence[str]) -> str:
    """What is wrong with lines, a line each; of many the first."""
    lines = [*faults[:MAX_FAULTS]]
    if len(faults) > MAX_FAULTS:
        lines.append(f"and {count(len(faults) - MAX_FAULTS)} more")
    listed = "".join(f"\n  {text}" for text in lines)
    return f"{counted(len(faults), 'line')} cannot be used:{listed}"


def _skip_line(file: BinaryIO) -> None:
    """Go to the next line without keeping this one."""
    while raw := file.readline(MAX_LINE_BYTES):
        if raw.endswith(b"\n"):
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedModel:
    """A recorded model in a run: its cells, the file with their answers, and its counts."""

    model: PlannedModel
    cells: tuple[PlannedCell, ...]
    answers: AnswersFile
    counts: RecordedCounts
    briefs: int

    @property
    def sentence(self) -> str:
        """What the run takes from the file, and what it leaves out."""
        config, counts = self.model.config, self.counts
        parts = [f"{counted(counts.answers, 'answer')} from {config.answers}, never called"]
        if counts.not_recorded:
            parts.append(f"{share_of(counts.not_recorded, self.briefs)} of the briefs not recorded")
        if counts.left_out:
            lines = counted(counts.left_out, "line")
            parts.append(f"{lines} for briefs that the run does not select left out")
        if counts.without_answer:
            lines = counted(counts.without_answer, "line")
            parts.append(f"{lines} with an error in place of an answer left out")
        return f"recorded model {config.id}: {'; '.join(parts)}"


def load_recorded(plan: RunPlan) -> list[RecordedModel]:
    """The recorded models of a run, with their answers checked line by line; one InputError has the
    problems of all files.
    """
    brief_ids = {file.stem for file in paths.BRIEFS.glob("*.md")}
    problems: list[Problem] = []
    models: list[RecordedModel] = []
    for model in plan.recorded:
        with collecting(problems):
            _check_prompt(model)
            models.append(_load_model(model, plan, brief_ids))
    if problems:
        raise InputError(problems)
    return models


def _check_prompt(model: PlannedModel) -> None:
    config = model.config
    if config.prompt is None or (".." not in config.prompt and Path(config.prompt).is_file()):
        return
    known = [file.as_posix() for file in paths.PROMPTS.glob("*.txt")]
    message = f'there is no file "{config.prompt}"{nearest(config.prompt, known)}'
    raise input_error(_config_file(model), "prompt", message)


def _config_file(model: PlannedModel) -> str:
    return (paths.MODELS / f"{model.config.id}.json").as_posix()


def _load_model(model: PlannedModel, plan: RunPlan, brief_ids: Collection[str]) -> RecordedModel:
    file = Path(model.config.answers or "")
    if not file.is_file():
        pull = ": run `dvc pull`" if file.with_name(f"{file.name}.dvc").is_file() else ""
        message = f'there is no file "{file.as_posix()}"{pull}'
        raise input_error(_config_file(model), "answers", message)
    answers = AnswersFile(file, brief_ids)
    cells: list[PlannedCell] = []
    for brief in plan.briefs:
        first = first_call(model, plan.prompt, brief, plan.params.generate.round, input_tokens=0)
        for place in answers.by_brief.get(brief.id, ()):
            cell = replace(first.cell, sample=place.sample)
            call = replace(first, cell=cell, fingerprint=place.fingerprint)
            cells.append(PlannedCell(model=model, brief=brief, calls=(call,)))
    asked = plan.called.briefs
    counts = RecordedCounts(
        answers_sha256=answers.sha256,
        prompt=model.config.prompt,
        answers=len(cells),
        not_recorded=sum(brief.id not in answers.by_brief for brief in asked),
        left_out=answers.count - len(cells),
        without_answer=answers.without_answer,
    )
    return RecordedModel(
        model=model, cells=tuple(cells), answers=answers, counts=counts, briefs=len(asked)
    )
