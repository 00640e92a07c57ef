"""Adapter: the files of a recorded model (answers, config, prompt). A file that exists stays."""

import shutil
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from graph_evaluator.generate.replies import object_of
from graph_evaluator.records.errors import input_error
from graph_evaluator.records.json_text import JsonObject, NotJson, canonical, line, parse, pretty
from graph_evaluator.records.model_config import parse_config
from graph_evaluator.shell import paths
from graph_evaluator.shell.paths import read_input, whole_file

MAX_MODEL_NAME = 200


class RecordedAnswers:
    """The answers of a recorded model: those that its file has, and those that logs add. `models`,
    `systems` and `arounds` count the models, system prompts and texts around briefs of the logs.
    """

    def __init__(self, model_id: str, prompt_id: str) -> None:
        """Read what the file has; InputError if a line cannot be read, or the file is not here."""
        self._model_id = model_id
        self._prompt = paths.PROMPTS / f"{prompt_id}.txt"
        self.path = paths.ANSWERS / f"{model_id}.jsonl"
        self.models: Counter[str] = Counter()
        self.systems: Counter[str] = Counter()
        self.arounds: Counter[str] = Counter()
        self._lines = TemporaryFile()  # noqa: SIM115
        if self.path.with_name(f"{self.path.name}.dvc").exists() and not self.path.exists():
            raise input_error(self.path, "", "is not here: run `dvc pull`")
        self._present = Counter(_identities(self.path))

    def add(self, answer: JsonObject) -> bool:
        """Keep an answer of the logs, and say whether the file does not have it yet."""
        identity = identity_of(answer)
        is_new = not self._present[identity]
        if is_new:
            self._lines.write(line(answer))
        else:
            self._present[identity] -= 1
        return is_new

    def write(self) -> bool:
        """Add the answers to the file, and say whether there are any."""
        if not self._lines.tell():
            return False
        self._lines.seek(0)
        self.path.parent.mkdir(exist_ok=True)
        with whole_file(self.path) as target:
            if self.path.exists():
                with self.path.open("rb") as present:
                    target.writelines(line.rstrip(b"\n") + b"\n" for line in present)
            shutil.copyfileobj(self._lines, target)
        return True

    def missing_files(self) -> dict[Path, bytes]:
        """The config of the model and its prompt, as far as they are not there: the prompt is the
        one in `prompts/` with the text of the log, or one of its own.

        Raises:
            InputError: those that are there disagree with the log.
        """
        config: JsonObject = {
            "$schema": "../schemas/model_config.schema.json",
            "id": self._model_id,
            "display_name": self._model_id,
            "provider": "recorded",
            "model": next(iter(self.models), self._model_id)[:MAX_MODEL_NAME],
            "answers": self.path.as_posix(),
            "target_mode": "normal",
        }
        missing: dict[Path, bytes] = {}
        text = "\n\n".join(filter(None, [*self.systems, *self.arounds]))
        if text:
            prompts = sorted(paths.PROMPTS.glob("*.txt"), key=lambda file: file != self._prompt)
            equal = [file for file in prompts if read_input(file).split() == text.split()]
            prompt = next(iter(equal), self._prompt)
            config["prompt"] = prompt.as_posix()
            if not equal:
                missing[prompt] = f"{text}\n".encode()
            if missing and prompt in prompts:
                message = "has another text than the log: rename it, or choose another --as"
                raise input_error(prompt, "", message)
        file = paths.MODELS / f"{self._model_id}.json"
        if not file.exists():
            return missing | {file: pretty(config)}
        present = parse_config(self._model_id, read_input(file), file.as_posix())
        if present.provider != "recorded":
            message = "belongs to a model that is not recorded: choose another --as"
            raise input_error(file.as_posix(), "", message)
        for key in ("answers", "prompt"):
            if key in config and getattr(present, key) != config[key]:
                message = f"is not {config[key]}, which this log needs: choose another --as"
                raise input_error(file, key, message)
        return missing


def identity_of(answer: JsonObject) -> bytes:
    """The identity of an answer: its brief and its text."""
    said = [answer.get(key) for key in ("brief", "text", "graph", "body")]
    return sha256(canonical(said)).digest()


def _identities(file: Path) -> Iterator[bytes]:
    """Those of the answers in a file, which need not exist."""
    if not file.exists():
        return
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            try:
                if raw.strip():
                    yield identity_of(object_of(parse(raw)))
            except NotJson as error:
                message = f"is not JSON: {error}: fix the line, or choose another --as"
                raise input_error(file, f"line {number}", message) from None
