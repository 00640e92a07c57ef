"""Adapter: the answers of recorded models, from the files that their configs name. Nothing is
called, and nothing of them enters the ledger.
"""

import codecs
import hashlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from graph_evaluator.generate.plan.call import Call, PlannedModel
from graph_evaluator.generate.plan.cells import PlannedCell, RunPlan, first_call
from graph_evaluator.generate.recorded_lines import (
    BadLine,
    fingerprint_of_line,
    read_recorded_line,
)
from graph_evaluator.records.errors import InputError, input_error, nearest, read_all
from graph_evaluator.records.response import Answer, RecordedCounts
from graph_evaluator.shell import paths
from graph_evaluator.shell.numbers import count, counted, first_of

MAX_FAULTS = 20


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


@dataclass(frozen=True, slots=True, kw_only=True)
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


def _check_files(model: PlannedModel) -> None:
    """Raise InputError if a file that the config names is missing."""
    config = model.config
    for key, name in (("answers", config.answers), ("prompt", config.prompt)):
        if name is not None and not Path(name).is_file():
            pull = ": run `dvc pull`" if Path(f"{name}.dvc").is_file() else ""
            file = paths.MODELS / f"{config.id}.json"
            raise input_error(file, key, f'there is no file "{name}"{pull}')


def _load_model(model: PlannedModel, plan: RunPlan, brief_ids: Collection[str]) -> RecordedModel:
    _check_files(model)
    answers = AnswersFile(Path(model.config.answers or ""), brief_ids)
    cells: list[PlannedCell] = []
    for brief in plan.briefs:
        first = first_call(model, plan.prompt, brief, plan.params.generate.round, input_tokens=0)
        for sample, fingerprint in sorted(answers.by_brief[brief.id].items()):
            cell = replace(first.cell, sample=sample)
            call = replace(first, cell=cell, fingerprint=fingerprint)
            cells.append(PlannedCell((call,)))
    counts = RecordedCounts(
        answers_sha256=answers.sha256,
        prompt=model.config.prompt,
        answers=len(cells),
        not_recorded=sum(not answers.by_brief[brief.id] for brief in plan.briefs),
        left_out=answers.count - len(cells),
        without_answer=answers.without_answer,
    )
    return RecordedModel(model=model, cells=tuple(cells), answers=answers, counts=counts)
