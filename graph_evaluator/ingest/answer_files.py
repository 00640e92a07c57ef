"""Adapter: the files of a recorded model, of which those that are there stay: its answers, config
and prompt.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile

from graph_evaluator.generate.apis import object_of
from graph_evaluator.records.errors import input_error
from graph_evaluator.records.json_text import JsonObject, NotJson, canonical, line, parse, pretty
from graph_evaluator.records.model_config import parse_config
from graph_evaluator.shell import paths
from graph_evaluator.shell.files import read_input, whole_file

WORK = Path(".evaluation") / "ingest"
"""Where files are written before they get their name: git ignores it."""
MAX_MODEL_NAME = 200


class RecordedAnswers:
    """The answers of a recorded model: those that its file has, and those of logs, which are added
    or replace them.
    """

    def __init__(self, model_id: str, *, replace: bool) -> None:
        """Read what the file has; InputError if a line cannot be read, or the file is not here."""
        self.model_id = model_id
        self.path = paths.ANSWERS / f"{model_id}.jsonl"
        self.models: Counter[str] = Counter()
        """The models that gave answers, by name."""
        self.systems: Counter[str] = Counter()
        self.arounds: Counter[str] = Counter()
        """The system prompts of answers, and the texts around their briefs."""
        self._new = 0
        self._replace = replace
        self._found: Counter[bytes] = Counter()
        self._lines = TemporaryFile()  # noqa: SIM115
        if not self.path.exists() and self.path.with_name(f"{self.path.name}.dvc").exists():
            raise input_error(self.path.as_posix(), "", "is not here: run `dvc pull`")
        self._present = Counter(_identities(self.path) if self.path.exists() else ())

    def add(self, answer: JsonObject) -> bool:
        """Keep an answer of the logs; whether the file does not have it yet."""
        identity = identity_of(answer)
        self._found[identity] += 1
        is_new = self._found[identity] > self._present[identity]
        if is_new or self._replace:
            self._lines.write(line(answer))
        self._new += is_new
        return is_new

    @property
    def gone(self) -> int:
        """How many answers of the file are replaced, as the logs do not have them."""
        return (self._present - self._found).total() if self._replace else 0

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._new or self.gone)

    def write(self) -> None:
        """Add the answers of the logs to the file, or replace those that it has."""
        self.path.parent.mkdir(exist_ok=True)
        self._lines.seek(0)
        unnamed = WORK / self.path.name
        with whole_file(unnamed) as target:
            if self.path.exists() and not self._replace:
                with self.path.open("rb") as present:
                    target.writelines(line.rstrip(b"\n") + b"\n" for line in present)
            shutil.copyfileobj(self._lines, target)
        unnamed.replace(self.path)

    def missing_files(self) -> dict[Path, bytes]:
        """The config of the model and its prompt, as far as they are not there: the prompt is the
        one in `prompts/` with the text of the log, or one of its own.

        Raises:
            InputError: those that are there disagree with the log.
        """
        config: JsonObject = {
            "$schema": "../schemas/model_config.schema.json",
            "id": self.model_id,
            "display_name": self.model_id,
            "provider": "recorded",
            "model": next(iter(self.models), self.model_id)[:MAX_MODEL_NAME],
            "answers": self.path.as_posix(),
            "target_mode": "normal",
        }
        missing: dict[Path, bytes] = {}
        system, around = next(iter(self.systems), ""), next(iter(self.arounds), "")
        text = "\n\n".join(filter(None, [system, around]))
        if text:
            prompts = {file: read_input(file) for file in sorted(paths.PROMPTS.glob("*.txt"))}
            equal = [file for file, present in prompts.items() if present.split() == text.split()]
            prompt = next(iter(equal), paths.PROMPTS / f"{self.model_id}.txt")
            config["prompt"] = prompt.as_posix()
            if prompt in prompts and not equal:
                message = "has another text than the log: rename it, or choose another --as"
                raise input_error(prompt.as_posix(), "", message)
            if not equal:
                missing[prompt] = f"{text}\n".encode()
        file = paths.MODELS / f"{self.model_id}.json"
        if not file.exists():
            return missing | {file: pretty(config)}
        present = parse_config(self.model_id, read_input(file), file.as_posix())
        for key in ("answers", "prompt"):
            if key in config and getattr(present, key) != config[key]:
                message = f"is not {config[key]}, as of this log: choose another --as"
                raise input_error(file.as_posix(), key, message)
        return missing


def identity_of(answer: JsonObject) -> bytes:
    """What tells answers apart: the brief, and what was said."""
    said = answer.get("text") or answer.get("body") or answer.get("graph")
    text = said if isinstance(said, str) else canonical(said).decode("utf-8")
    return sha256(f"{answer.get('brief')}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _identities(file: Path) -> Iterator[bytes]:
    with file.open("rb") as lines:
        for number, raw in enumerate(lines, 1):
            try:
                if raw.strip():
                    yield identity_of(object_of(parse(raw)))
            except NotJson as error:
                message = f"is not JSON: {error}: fix the line, or choose another --as"
                raise input_error(file.as_posix(), f"line {number}", message) from None
