"""What people wrote, loaded and checked together: `params.yaml`, the prompt, the briefs, the model
configs.
"""

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from graph_evaluator.records.brief import MADE_OF_A_LOG, MAX_COMPARED, Brief, Prompt, parse_brief
from graph_evaluator.records.codebook import Codebook, parse_codebook
from graph_evaluator.records.errors import Problem, collecting, input_error, nearest, refuse
from graph_evaluator.records.model_config import ID_RULE, IDENTIFIER, ModelConfig, parse_config
from graph_evaluator.records.params import Params
from graph_evaluator.records.record import parse_yaml_record
from graph_evaluator.shell import paths
from graph_evaluator.shell.numbers import first_of
from graph_evaluator.shell.paths import read_input

Loaded = TypeVar("Loaded")
_OTHER_SUFFIXES = {".md": ".markdown"}


def load_params() -> Params:
    """All of `params.yaml`; InputError has all unknown, missing or out-of-range keys."""
    return parse_yaml_record(Params, read_input(paths.PARAMS), paths.PARAMS.as_posix())


def load_prompt(path: str) -> Prompt:
    """The prompt at a path in the repository; InputError (with the nearest name) if there is none,
    or its text is not clean.
    """
    file = Path(path)
    if file.is_absolute() or ".." in file.parts or not file.is_file():
        known = sorted(prompt.as_posix() for prompt in paths.PROMPTS.glob("*.txt"))
        hint, listed = nearest(path, known), ", ".join(known) or "none"
        message = f'there is no file "{path}" in the repository{hint}; prompts/ has {listed}'
        raise input_error("params.yaml", "prompt", message)
    return Prompt(file.as_posix(), _read_text(file))


def load_briefs(
    patterns: Iterable[str] | None = ("*",), source: str = "params.yaml"
) -> tuple[Brief, ...]:
    """The briefs whose ids match any of the patterns, by id; with None all, possibly none.
    All files are checked, chosen or not. `source` is where the patterns are from.
    """
    return _load(paths.BRIEFS, ".md", patterns, parse_brief, source)


def select_briefs(patterns: Sequence[str], source: str = "params.yaml") -> tuple[Brief, ...]:
    """The briefs whose ids match any of the patterns; those that `ingest` made of a log only match
    patterns that begin with `prod-`. InputError if there are none.
    """
    of_logs = [pattern for pattern in patterns if pattern.startswith("prod-")]
    briefs = tuple(
        brief
        for brief in load_briefs(patterns, source)
        if not MADE_OF_A_LOG.fullmatch(brief.id)
        or any(fnmatch.fnmatch(brief.id, pattern) for pattern in of_logs)
    )
    if not briefs:
        message = 'selects no brief; "prod-*" selects those that `ingest` made from a log'
        raise input_error(source, "briefs", message)
    return briefs


def load_codebooks(briefs: Iterable[Brief]) -> dict[str, Codebook]:
    """The codebooks by the id of their brief; InputError has every problem of every file. Those of
    other briefs, as of a deleted one, are left out.
    """
    known = {brief.id: brief for brief in briefs}
    return dict(_load(paths.CODEBOOKS, ".yaml", None, partial(_read_codebook, known)))


def _read_codebook(
    briefs: Mapping[str, Brief], brief_id: str, text: str, file: str
) -> tuple[str, Codebook]:
    brief = briefs.get(brief_id)
    return brief_id, parse_codebook(brief, text, file) if brief else Codebook()


def load_models(patterns: Iterable[str] = ("*",)) -> tuple[ModelConfig, ...]:
    """The model configs whose ids match any of the patterns, by id; files that start with `_` are
    templates.

    All other files are checked, chosen or not: two configs with one id would be found out too late.
    """
    return _load(paths.MODELS, ".json", patterns, parse_config)


def load_inputs(params: Params) -> tuple[Prompt, tuple[ModelConfig, ...], tuple[Brief, ...]]:
    """The prompt, the models and the briefs that `params` selects; all problems of all files in one
    error.
    """
    problems: list[Problem] = []
    with collecting(problems):
        prompt = load_prompt(params.prompt)
    with collecting(problems):
        models = load_models(params.models)
    with collecting(problems):
        briefs = select_briefs(params.briefs)
    refuse(problems)
    return prompt, models, briefs


def notes_on_files(briefs: Sequence[Brief]) -> Iterator[str]:
    """What is odd about the files of inputs and stops nothing; `briefs` are all of them."""
    for file in sorted(paths.BRIEFS.glob("[!_.]*")):
        if file.is_file() and file.suffix != ".md":
            yield f"{file.as_posix()} is not read: the name of a brief ends with .md"
    for brief in briefs:
        if len(brief.body) > MAX_COMPARED:
            compared = f"graphs are compared with its first {MAX_COMPARED:,} characters"
            yield f"briefs/{brief.id}.md: {compared}"
    ids = {brief.id for brief in briefs}
    for name in _names(paths.CODEBOOKS, ".yaml"):
        if name not in ids:
            yield f"codebooks/{name}.yaml is not used: there is no briefs/{name}.md"
    yield from same_text_notes(briefs)


def same_text_notes(briefs: Iterable[Brief]) -> Iterator[str]:
    """A sentence about each group of briefs that have the same text."""
    ids: dict[str, list[str]] = {}
    for brief in briefs:
        ids.setdefault(" ".join(brief.body.split()), []).append(brief.id)
    for same in ids.values():
        if len(same) > 1:
            named = first_of(same)
            yield f"{named} have the same text, and count as {len(same)} independent briefs"


def problems_of_files() -> list[Problem]:
    """The problems of all models and briefs, for the message about a `params.yaml` that
    selects none because it is broken.
    """
    problems: list[Problem] = []
    for load in (load_models, load_briefs):
        with collecting(problems):
            load()
    return problems


def _names(folder: Path, suffix: str) -> list[str]:
    """The names of the files of a folder, without templates and its README."""
    files = sorted(folder.glob(f"*{suffix}"))
    return [
        file.name.removesuffix(suffix)
        for file in files
        if not file.name.startswith(("_", ".")) and file.name != "README.md"
    ]


def _read_text(file: Path) -> str:
    """The text of a file; InputError if it is empty too."""
    text = read_input(file)
    if not text.strip():
        raise input_error(file, "", "is empty")
    return text


def _load(
    folder: Path,
    suffix: str,
    patterns: Iterable[str] | None,
    read: Callable[[str, str, str], Loaded],
    source: str = "params.yaml",
) -> tuple[Loaded, ...]:
    files = {name: folder / f"{name}{suffix}" for name in _names(folder, suffix)}
    problems = [
        Problem(file.as_posix(), "", f"is not read: rename it to {file.stem}{suffix}")
        for file in folder.glob("[!_.]*")
        if file.suffix != suffix and file.suffix.lower() in (suffix, _OTHER_SUFFIXES.get(suffix))
    ]
    chosen = set(files if patterns is None else ())
    for pattern in patterns or ():
        matching = fnmatch.filter(files, pattern)
        if not matching:
            message = f'nothing in {folder}/ matches "{pattern}"{nearest(pattern, files)}'
            message += f"; there are {', '.join(files) or 'none'}"
            problems.append(Problem(source, folder.name, message))
        chosen.update(matching)
    seen: dict[str, str] = {}
    loaded: list[Loaded] = []
    for name, file in files.items():
        with collecting(problems):
            if not IDENTIFIER.fullmatch(name):
                raise input_error(file, "", f"the file name must be {ID_RULE}")
            twin = seen.setdefault(name.casefold().replace(".", "_"), name)
            if twin != name:  # they would be one file, or one metric
                fault = f'is the same as "{twin}" where case and . against _ make no difference'
                raise input_error(file, "", fault)
            entry = read(name, _read_text(file), file.as_posix())
            if name in chosen:
                loaded.append(entry)
    refuse(problems)
    return tuple(loaded)
