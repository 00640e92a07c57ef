"""Adapter: the files of a recorded model. Answers that are there stay; nothing else is changed."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from stages.commands.ingest.ingestion import AnswersOfFile, Ingestion
from stages.commands.ingest.matching import content_hash, text_sha256, traffic_text
from stages.generate.answers.recorded import BadLine, read_recorded_line
from stages.generate.apis.kind import object_of
from stages.shared.records.errors import InputError, Problem, collecting, input_error
from stages.shared.records.json_text import JsonObject, NotJson, parse, pretty
from stages.shared.records.model_config import parse_model_config
from stages.shared.shell import paths
from stages.shared.shell.files import read_input, write_atomic

WORK = Path(".evaluation") / "ingest"
"""Where files are written before they get their name: git ignores it."""
MAX_MODEL_NAME = 200
_OTHER_PROMPT = "has another text than the log: rename it, or choose another --as"


class RecordedFiles:
    """The files of one recorded model in this project."""

    def __init__(self, model_id: str) -> None:
        self.answers = paths.ANSWERS / f"{model_id}.jsonl"
        self.traffic = paths.ANSWERS / f"{model_id}.traffic.jsonl"
        self.config = paths.MODELS / f"{model_id}.json"
        self._own_prompt = paths.PROMPTS / f"{model_id}.txt"
        self._model_id = model_id

    def read_present(self, ingestion: Ingestion) -> None:
        """Give the ingestion what the files have already; InputError if a line cannot be read."""
        for file, answers in self._pairs(ingestion):
            stored = file.with_name(f"{file.name}.dvc")
            if stored.exists() and not file.exists():
                raise input_error(file.as_posix(), "", "is not here: run `dvc pull`")
            answers.present.update(_contents(file))

    def _pairs(self, ingestion: Ingestion) -> tuple[tuple[Path, AnswersOfFile], ...]:
        return (self.answers, ingestion.answers), (self.traffic, ingestion.traffic)

    def check(self, ingestion: Ingestion) -> None:
        """Raise InputError, with all problems, where the logs or these files do not permit it."""
        problems = list(ingestion.problems())
        with collecting(problems):
            problems += self._problems_of_present_files(ingestion.prompt)
        if problems:
            raise InputError(problems)

    def write(self, ingestion: Ingestion, *, replace: bool) -> list[Path]:
        """Write what is not there yet, and return what was written."""
        written: list[Path] = []
        for file, answers in self._pairs(ingestion):
            is_missing = file == self.answers and not file.exists()
            if answers.new or is_missing or (replace and answers.gone):
                _write_answers(file, answers, replace=replace)
                written.append(file)
        prompt = self._find_prompt(ingestion.prompt)
        if prompt and not prompt.exists():
            write_atomic(prompt, f"{ingestion.prompt}\n".encode())
            written.append(prompt)
        if not self.config.exists():
            write_atomic(self.config, pretty(self._new_config(ingestion.model, prompt)))
            written.append(self.config)
        return written

    def _new_config(self, model: str | None, prompt: Path | None) -> JsonObject:
        config: JsonObject = {
            "$schema": "../schemas/model_config.schema.json",
            "id": self._model_id,
            "display_name": self._model_id,
            "provider": "recorded",
            "answers": self.answers.as_posix(),
            "target_mode": "normal",
        }
        if model:
            config["model"] = model[:MAX_MODEL_NAME]
        if prompt:
            config["prompt"] = prompt.as_posix()
        return config

    def _find_prompt(self, text: str | None) -> Path | None:
        """The file with the log's system prompt; one of its own where no prompt has the text."""
        if text is None:
            return None
        files = {
            text_sha256(read_input(file)): file for file in sorted(paths.PROMPTS.glob("*.txt"))
        }
        return files.get(text_sha256(text), self._own_prompt)

    def _problems_of_present_files(self, text: str | None) -> Iterator[Problem]:
        """Which files of an earlier import disagree with this one: prompt or model config."""
        prompt = self._find_prompt(text)
        own_prompt = self._own_prompt
        is_own = prompt == own_prompt and own_prompt.exists()
        if is_own and read_input(own_prompt).split() != (text or "").split():
            yield Problem(own_prompt.as_posix(), "", _OTHER_PROMPT)
        if not self.config.exists():
            return
        name = self.config.as_posix()
        config = parse_model_config(self._model_id, read_input(self.config), name)
        if config.answers != self.answers.as_posix():
            message = f'is not "{self.answers.as_posix()}": choose another --as'
            yield Problem(name, "answers", message)
        elif prompt and config.prompt != prompt.as_posix():
            message = f'must be "{prompt.as_posix()}", the system prompt of the log'
            yield Problem(name, "prompt", message)


def _write_answers(file: Path, answers: AnswersOfFile, *, replace: bool) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    file.parent.mkdir(exist_ok=True)
    unfinished = WORK / f"{file.name}.{os.getpid()}"
    answers.lines.seek(0)
    try:
        with unfinished.open("wb") as target:
            if file.exists() and not replace:
                with file.open("rb") as present:
                    shutil.copyfileobj(present, target)
                if not _ends_with_line(file):
                    target.write(b"\n")
            shutil.copyfileobj(answers.lines, target)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _ends_with_line(file: Path) -> bool:
    with file.open("rb") as present:
        present.seek(0, os.SEEK_END)
        present.seek(max(0, present.tell() - 1))
        return present.read() in (b"", b"\n")


def _contents(file: Path) -> Iterator[bytes]:
    """The hash of each answer in a file, of briefs or of traffic."""
    if not file.exists():
        return
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            if raw.strip():
                try:
                    yield _content_of(raw.removeprefix(b"\xef\xbb\xbf").strip())
                except (BadLine, NotJson) as error:
                    message = f"{error}: fix the line, or choose another --as"
                    raise input_error(file.as_posix(), f"line {number}", message) from None


def _content_of(raw: bytes) -> bytes:
    record = object_of(parse(raw))
    subject = record.get("brief") or record.get("input")
    text = record.get("text")
    if isinstance(subject, str) and isinstance(text, str):
        return content_hash(subject, text)
    if "input" in record:
        return content_hash(str(subject), traffic_text(record))
    recorded = read_recorded_line(raw)
    answer = recorded.answer.content.raw_text if recorded.answer else ""
    return content_hash(str(subject or recorded.brief_id), answer)
