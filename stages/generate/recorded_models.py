"""Adapter: the answers of recorded models, from the files that their configs name. Nothing is
called, and nothing of them enters the ledger.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
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
from stages.shared.records.errors import InputError, Problem, collecting, nearest
from stages.shared.records.response import Answer
from stages.shared.records.run import RecordedCounts
from stages.shared.shell import paths
from stages.shared.shell.numbers import count, counted, share_of

MAX_LINE_BYTES = 10_000_000
MAX_LISTED_LINES = 20
TRAFFIC_SUFFIX = ".traffic.jsonl"
"""Of the file beside that of a model's answers, with those to inputs that no brief has."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line of a file: its number from 1, where it starts, and its text."""

    number: int
    start: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where an answer is in its file, and for which cell; sample 0 is not yet known."""

    brief_id: str
    sample: int
    fingerprint: str
    start: int


class AnswersFile:
    """The answers of one file, of which only the places are in memory."""

    def __init__(self, file: Path, places: Sequence[LinePlace]) -> None:
        self._file = file
        self._starts = {place.fingerprint: place.start for place in places}

    def read(self, calls: Sequence[Call], /) -> dict[str, Answer]:
        """The answers to calls by fingerprint.

        Raises:
            InputError: the file was changed since its lines were checked.
        """
        answers: dict[str, Answer] = {}
        with self._file.open("rb") as file:
            for call in calls:
                fingerprint = call.fingerprint
                file.seek(self._starts[fingerprint])
                raw = file.readline(MAX_LINE_BYTES).removeprefix(BYTE_ORDER_MARK).strip()
                if fingerprint_of_line(raw) != fingerprint:
                    message = "was changed during the run: run again"
                    raise InputError([Problem(self._file.as_posix(), "", message)])
                line = read_recorded_line(raw)
                if line.body is not None:
                    answers[fingerprint] = read_answer(
                        line.body,
                        fingerprint=fingerprint,
                        most_output_tokens=call.most_output_tokens,
                        schema=call.schema,
                        latency_ms=line.latency_ms,
                        attempts=0,
                        created_at=line.created_at,
                        endpoint="recorded",
                        in_batch=line.in_batch,
                        stated_usd=line.stated_usd,
                    )
        return answers


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
    raise InputError([Problem(_config_file(model), "prompt", message)])


def _config_file(model: PlannedModel) -> str:
    return (paths.MODELS / f"{model.config.id}.json").as_posix()


def _load_model(model: PlannedModel, plan: RunPlan, brief_ids: Collection[str]) -> RecordedModel:
    file = Path(model.config.answers or "")
    if not file.is_file():
        pull = ": run `dvc pull`" if file.with_name(f"{file.name}.dvc").is_file() else ""
        message = f'there is no file "{file.as_posix()}"{pull}'
        raise InputError([Problem(_config_file(model), "answers", message)])
    reader = FileReader(file, brief_ids)
    places = reader.read()
    by_brief: defaultdict[str, list[LinePlace]] = defaultdict(list)
    for place in sorted(places, key=lambda place: place.sample):
        by_brief[place.brief_id].append(place)
    cells: list[PlannedCell] = []
    for brief in plan.briefs:
        first = first_call(model, plan.prompt, brief, plan.params.generate.round, input_tokens=0)
        for place in by_brief[brief.id]:
            cell = replace(first.cell, sample=place.sample)
            call = replace(first, cell=cell, fingerprint=place.fingerprint)
            cells.append(PlannedCell(model=model, brief=brief, calls=(call,)))
    asked = plan.called.briefs
    counts = RecordedCounts(
        answers_sha256=reader.sha256.hexdigest(),
        prompt=model.config.prompt,
        answers=len(cells),
        not_recorded=sum(not by_brief[brief.id] for brief in asked),
        left_out=len(places) - len(cells),
        without_answer=reader.without_answer,
    )
    return RecordedModel(
        model=model,
        cells=tuple(cells),
        answers=AnswersFile(file, places),
        counts=counts,
        briefs=len(asked),
    )


class FileReader:
    """Reads an answers file line by line, and keeps the place of each answer."""

    def __init__(self, file: Path, brief_ids: Collection[str]) -> None:
        self.sha256 = hashlib.sha256()
        self.without_answer = 0
        self._file = file
        self._brief_ids = brief_ids
        self._faults: list[tuple[int, str]] = []
        self._lines_of_samples: defaultdict[str, dict[int, int]] = defaultdict(dict)

    def read(self) -> list[LinePlace]:
        """The places of all answers; lines without a sample take the free ones, from 1.

        Raises:
            InputError: lists the lines that cannot be used, or says that there is no answer.
        """
        numbered: list[LinePlace] = []
        unnumbered: list[LinePlace] = []
        try:
            for line in self._raw_lines():
                place = self._place_of(line)
                if place is not None:
                    (numbered if place.sample else unnumbered).append(place)
        except OSError as error:
            raise self._problem(f"cannot be read: {error.strerror}") from None
        if self._faults:
            raise self._problem(self._list_faults())
        has_traffic = self._file.with_suffix(TRAFFIC_SUFFIX).is_file()
        if not numbered and not unnumbered and not has_traffic:
            raise self._problem("has no answer" if self.without_answer else "is empty")
        next_samples = dict.fromkeys(self._brief_ids, 1)
        for place in unnumbered:
            sample = next_samples[place.brief_id]
            while sample in self._lines_of_samples[place.brief_id]:
                sample += 1
            next_samples[place.brief_id] = sample + 1
            numbered.append(replace(place, sample=sample))
        return numbered

    def _raw_lines(self) -> Iterator[RawLine]:
        """The lines that are not blank, without a byte order mark and line ends."""
        start, number = 0, 0
        with self._file.open("rb") as file:
            while raw := file.readline(MAX_LINE_BYTES):
                number += 1
                self.sha256.update(raw)
                complete = raw.endswith(b"\n") or len(raw) < MAX_LINE_BYTES
                text = raw.removeprefix(BYTE_ORDER_MARK).strip()
                if not complete:
                    _skip_line(file)
                    self._faults.append((number, f"is longer than {MAX_LINE_BYTES:,} bytes"))
                elif text:
                    yield RawLine(number, start, text)
                start = file.tell()

    def _place_of(self, line: RawLine) -> LinePlace | None:
        """Where the answer of a line is; None where it has none, or cannot be used."""
        try:
            recorded = read_recorded_line(line.raw)
        except BadLine as error:
            self._faults.append((line.number, str(error)))
            return None
        brief_id, sample = recorded.brief_id, recorded.sample
        if brief_id not in self._brief_ids:
            is_listed = len(self._faults) < MAX_LISTED_LINES
            hint = nearest(brief_id, self._brief_ids) if is_listed else ""
            self._faults.append((line.number, f'there is no brief "{brief_id}"{hint}'))
            return None
        if recorded.body is None:
            self.without_answer += 1
            return None
        if sample is not None:
            first = self._lines_of_samples[brief_id].setdefault(sample, line.number)
            if first != line.number:
                fault = f"is sample {sample} of {brief_id}, as line {first} is"
                self._faults.append((line.number, fault))
        return LinePlace(brief_id, sample or 0, fingerprint_of_line(line.raw), line.start)

    def _list_faults(self) -> str:
        lines = [f"\n  line {number}: {fault}" for number, fault in self._faults]
        if len(lines) > MAX_LISTED_LINES:
            more = count(len(lines) - MAX_LISTED_LINES)
            lines[MAX_LISTED_LINES:] = [f"\n  and {more} more"]
        return f"{counted(len(self._faults), 'line')} cannot be used:{''.join(lines)}"

    def _problem(self, message: str) -> InputError:
        return InputError([Problem(self._file.as_posix(), "", message)])


def _skip_line(file: BinaryIO) -> None:
    """Go to the next line without keeping this one."""
    while raw := file.readline(MAX_LINE_BYTES):
        if raw.endswith(b"\n"):
            return
