"""The environment: where the repository and the ledger are, what `.env` holds."""

import datetime
import os
import shutil
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from stages.shared.records.errors import InputError, Problem, input_error
from stages.shared.shell import paths


def repository() -> Path:
    """The repository that owns the ledger and `.env`: `DVC_ROOT`, which names it also in a
    temporary copy.

    Without DVC it is the nearest folder upwards that holds `dvc.yaml`, else the working directory.
    """
    named = os.environ.get("DVC_ROOT")
    if named:
        return Path(named)
    here = Path.cwd()
    return next(
        (folder for folder in (here, *here.parents) if (folder / "dvc.yaml").is_file()), here
    )


def ledger_folder() -> Path:
    """The folder of the ledger: `GRAPH_EVALUATOR_LEDGER`, else `.ledger` in the repository."""
    named = os.environ.get("GRAPH_EVALUATOR_LEDGER")
    return Path(named).expanduser() if named else repository() / paths.LEDGER


def variables() -> Mapping[str, str]:
    """The environment's variables above those of the repository's `.env`, without empty ones;
    InputError if `.env` is damaged.
    """
    file = repository() / ".env"
    merged = {
        key: value for key, value in (_written(file) if file.exists() else {}).items() if value
    } | dict(os.environ)
    return {key: value for key, value in merged.items() if value}


def columns(without_terminal: int) -> int:
    """How wide output may be: as `COLUMNS` says, else the terminal."""
    return shutil.get_terminal_size((without_terminal, 0)).columns


def today() -> datetime.date:
    """The day, UTC."""
    return datetime.datetime.now(datetime.UTC).date()


def _written(file: Path) -> Mapping[str, str | None]:
    """The variables of an `.env` file; no message repeats its content, which holds keys."""
    from dotenv import dotenv_values
    from dotenv.parser import parse_stream

    if not file.is_file():
        raise input_error(".env", "", "is not a regular file")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise input_error(".env", "", "is not UTF-8: save the file as UTF-8") from None
    except OSError as error:
        raise input_error(".env", "", f"cannot be read: {error.strerror}") from None
    wrong = [binding.original.line for binding in parse_stream(StringIO(text)) if binding.error]
    if wrong:
        raise InputError(
            Problem(".env", f"line {line}", "must be NAME=value or a comment") for line in wrong
        )
    return dotenv_values(stream=StringIO(text))
