"""Adapter: the files of a recorded model, written from its logs. Files that this command did not
write are left alone.
"""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from stages.contracts.errors import InputError, Problem, collecting
from stages.contracts.json_text import JsonObject, pretty
from stages.contracts.model_config import parse_model_config
from stages.ingest.ingestion import Ingestion
from stages.ingest.matching import text_sha256
from stages.shell import paths
from stages.shell.files import read_input, whole_file, write_atomic

REPORT_START = "answers, SHA-256: "
"""How a report begins, so that the answers file beside it is known to be of this command."""
MAX_START = 200
MAX_MODEL_NAME = 200
_CHANGED = "has another text than the log: rename it, or choose another --as"
_FOREIGN = "was not written by this command, or was changed: remove it, or choose another --as"


class RecordedFiles:
    """The files of one recorded model in this project."""

    def __init__(self, model_id: str, ingestion: Ingestion) -> None:
        self.answers = paths.ANSWERS / f"{model_id}.jsonl"
        self.report = paths.ANSWERS / f"{model_id}.report.txt"
        self.config = paths.MODELS / f"{model_id}.json"
        self._own_prompt = paths.PROMPTS / f"{model_id}.txt"
        self._model_id = model_id
        self._ingestion = ingestion

    def check(self) -> None:
        """Raise InputError, with all problems, where the logs or these files do not permit it."""
        problems = [*self._ingestion.problems(), *self._foreign_files()]
        with collecting(problems):
            problems += self._problems_of_present_files()
        if problems:
            raise InputError(problems)

    def write(self) -> list[Path]:
        """Write what is not there yet; returns what was written, briefs left out."""
        ingestion = self._ingestion
        contents: dict[Path, bytes] = {}
        prompt = self._find_prompt()
        if prompt and not prompt.exists():
            contents[prompt] = f"{ingestion.prompt}\n".encode()
        if not self.config.exists():
            contents[self.config] = pretty(self._new_config(prompt))
        report_lines = [f"{REPORT_START}{ingestion.answers_sha256}", *ingestion.report]
        contents[self.report] = "".join(f"{text}\n" for text in report_lines).encode()
        for brief_id, body in ingestion.briefs():
            content = f"---\npurpose: traffic\n---\n\n{body}\n".encode()
            write_atomic(_brief_file(brief_id), content)
        written: list[Path] = []
        if _sha256(self.answers) != ingestion.answers_sha256:
            self._write_answers()
            written.append(self.answers)
        for file, content in contents.items():
            if not file.exists() or file.read_bytes() != content:
                write_atomic(file, content)
                written.append(file)
        return written

    def _write_answers(self) -> None:
        self.answers.parent.mkdir(exist_ok=True)
        self._ingestion.answers.seek(0)
        with whole_file(self.answers) as file:
            shutil.copyfileobj(self._ingestion.answers, file)

    def _new_config(self, prompt: Path | None) -> JsonObject:
        config: JsonObject = {
            "$schema": "../schemas/model_config.schema.json",
            "id": self._model_id,
            "display_name": self._model_id,
            "provider": "recorded",
            "answers": self.answers.as_posix(),
            "target_mode": "normal",
        }
        if self._ingestion.model:
            config["model"] = self._ingestion.model[:MAX_MODEL_NAME]
        if prompt:
            config["prompt"] = prompt.as_posix()
        return config

    def _find_prompt(self) -> Path | None:
        """The file with the log's system prompt; one of its own where no prompt has the text."""
        prompt = self._ingestion.prompt
        if prompt is None:
            return None
        files = {
            text_sha256(read_input(file)): file for file in sorted(paths.PROMPTS.glob("*.txt"))
        }
        return files.get(text_sha256(prompt), self._own_prompt)

    def _foreign_files(self) -> Iterator[Problem]:
        """Files in the place of those to write that this command did not write."""
        answers, report = self.answers, self.report
        stored = answers.with_name(f"{answers.name}.dvc")
        if stored.exists() and not answers.exists():
            yield Problem(answers.as_posix(), "", "is not here: run `dvc pull`")
        report_start = _first_line(report)
        if not report_start.startswith(REPORT_START) and report.exists():
            yield Problem(report.as_posix(), "", _FOREIGN)
        own_sha256 = (self._ingestion.answers_sha256, report_start.removeprefix(REPORT_START))
        if answers.exists() and _sha256(answers) not in own_sha256:
            yield Problem(answers.as_posix(), "", _FOREIGN)
        new_files = [_brief_file(brief_id) for brief_id, _ in self._ingestion.briefs()]
        for file in new_files:
            if file.exists():
                yield Problem(file.as_posix(), "", _CHANGED)

    def _problems_of_present_files(self) -> Iterator[Problem]:
        """Which files of an earlier import disagree with this one: prompt or model config."""
        prompt = self._find_prompt()
        own_prompt = self._own_prompt
        is_own = prompt == own_prompt and own_prompt.exists()
        if is_own and read_input(own_prompt).split() != (self._ingestion.prompt or "").split():
            yield Problem(own_prompt.as_posix(), "", _CHANGED)
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


def _brief_file(brief_id: str) -> Path:
    return paths.BRIEFS / f"{brief_id}.md"


def _first_line(file: Path) -> str:
    """The first line of a file; "" where there is none."""
    if not file.exists():
        return ""
    with file.open(encoding="utf-8", errors="replace") as stream:
        return stream.readline(MAX_START).rstrip()


def _sha256(file: Path) -> str | None:
    """The hash of a file; None where there is none."""
    if not file.exists():
        return None
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
