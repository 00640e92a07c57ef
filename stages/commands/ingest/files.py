"""Adapter: the files of a recorded model. Answers that are there stay; nothing else is changed."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

from stages.commands.ingest.matching import text_sha256
from stages.commands.ingest.reading import LogAnswer, content_hash, traffic_text
from stages.generate.answers.recorded import BadLine, read_recorded_line
from stages.generate.apis.kind import object_of
from stages.shared.records.errors import Problem, input_error
from stages.shared.records.json_text import JsonObject, NotJson, parse, pretty
from stages.shared.records.model_config import ModelConfig, parse_config
from stages.shared.shell import paths
from stages.shared.shell.files import read_input, write_atomic

WORK = Path(".evaluation") / "ingest"
"""Where files are written before they get their name: git ignores it."""
MAX_MODEL_NAME = 200


class AnswersFile:
    """A file of answers, what it has already, and what logs add to it or replace it by."""

    def __init__(self, path: Path, replace: bool) -> None:
        """Read what the file has; InputError if a line cannot be read, or the file is not here."""
        self.path = path
        self.found: Counter[bytes] = Counter()
        self.new = 0
        self._replace = replace
        self._lines = TemporaryFile()  # noqa: SIM115
        if not path.exists() and path.with_name(f"{path.name}.dvc").exists():
            raise input_error(path.as_posix(), "", "is not here: run `dvc pull`")
        self._present = Counter(_contents(path) if path.exists() else ())

    def add(self, answer: LogAnswer) -> bool:
        """Keep an answer of the logs; whether the file does not have it yet."""
        self.found[answer.content] += 1
        is_new = self.found[answer.content] > self._present[answer.content]
        if is_new or self._replace:
            self._lines.write(answer.line)
        self.new += is_new
        return is_new

    @property
    def gone(self) -> int:
        """How many answers of the file are replaced, as the logs do not have them."""
        return (self._present - self.found).total() if self._replace else 0

    def write(self) -> None:
        """Add the answers of the logs to the file, or replace those that it has."""
        self.path.parent.mkdir(exist_ok=True)
        unfinished = WORK / f"{self.path.name}.{os.getpid()}"
        self._lines.seek(0)
        try:
            with unfinished.open("wb") as target:
                if self.path.exists() and not self._replace:
                    with self.path.open("rb") as present:
                        target.writelines(line.rstrip(b"\n") + b"\n" for line in present)
                shutil.copyfileobj(self._lines, target)
            unfinished.replace(self.path)
        finally:
            unfinished.unlink(missing_ok=True)


def _contents(file: Path) -> Iterator[bytes]:
    """What tells the answers of a file apart, whether they are of briefs or of traffic."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            raw = line.removeprefix(b"\xef\xbb\xbf").strip()
            try:
                if raw:
                    yield _content_of(raw)
            except (BadLine, NotJson) as error:
                message = f"{error}: fix the line, or choose another --as"
                raise input_error(file.as_posix(), f"line {number}", message) from None


def _content_of(raw: bytes) -> bytes:
    record = object_of(parse(raw))
    if "input" in record:
        return content_hash(str(record["input"]), traffic_text(record))
    recorded = read_recorded_line(raw)
    said = recorded.said()
    answer = said.raw_text if said else ""
    return content_hash(recorded.brief, answer)


class ModelFiles:
    """The config of a recorded model, and the prompt of its answers: the one in `prompts/` with the
    system prompt of the log, or one of its own.
    """

    def __init__(self, model_id: str, answers: Path, system: str | None) -> None:
        self._model_id = model_id
        self._answers = answers.as_posix()
        self._system = system
        self._config = paths.MODELS / f"{model_id}.json"
        self._prompt: Path | None = None
        if system is not None:
            equal = filter(self._has_system, sorted(paths.PROMPTS.glob("*.txt")))
            self._prompt = next(equal, paths.PROMPTS / f"{model_id}.txt")

    def _has_system(self, prompt: Path) -> bool:
        return text_sha256(read_input(prompt)) == text_sha256(self._system or "")

    def problems(self) -> Iterator[Problem]:
        """Where files of an earlier import disagree with this one."""
        prompt = self._prompt
        if prompt and prompt.exists() and not self._has_system(prompt):
            message = "has another text than the log: rename it, or choose another --as"
            yield Problem(prompt.as_posix(), "", message)
        if not self._config.exists():
            return
        name = self._config.as_posix()
        config = parse_config(ModelConfig, self._model_id, read_input(self._config), name)
        if config.provider != "recorded":
            message = f'"{self._model_id}" is a model that is called, not recorded'
            yield Problem(name, "id", f"{message}: choose another --as")
        elif config.answers != self._answers:
            yield Problem(name, "answers", f'is not "{self._answers}": choose another --as')
        elif prompt and config.prompt != prompt.as_posix():
            message = f'must be "{prompt.as_posix()}", the system prompt of the log'
            yield Problem(name, "prompt", message)

    def write(self, model: str | None) -> Iterator[Path]:
        """Write what is not there yet, and say which files were written."""
        if self._prompt and not self._prompt.exists():
            write_atomic(self._prompt, f"{self._system}\n".encode())
            yield self._prompt
        if self._config.exists():
            return
        config: JsonObject = {
            "$schema": "../schemas/model_config.schema.json",
            "id": self._model_id,
            "display_name": self._model_id,
            "provider": "recorded",
            "model": model[:MAX_MODEL_NAME] if model else self._model_id,
            "answers": self._answers,
            "target_mode": "normal",
        }
        if self._prompt:
            config["prompt"] = self._prompt.as_posix()
        write_atomic(self._config, pretty(config))
        yield self._config
