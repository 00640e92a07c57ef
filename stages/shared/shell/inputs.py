"""What people wrote, loaded and checked together: `params.yaml`, the prompt, the briefs, the model
configs.
"""

import fnmatch
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from stages.shared.records import yaml_text
from stages.shared.records.brief import Brief, Prompt, parse_brief, prompt_of
from stages.shared.records.codebook import Codebook, parse_codebook
from stages.shared.records.errors import InputError, Problem, collecting, input_error, nearest
from stages.shared.records.model_config import (
    ID_RULE,
    IDENTIFIER,
    ModelConfig,
    Policy,
    parse_config,
)
from stages.shared.records.params import Params
from stages.shared.records.response import Run
from stages.shared.shell import paths
from stages.shared.shell.files import read_input

Loaded = TypeVar("Loaded")
_OTHER_SUFFIXES = {".md": ".markdown"}


@dataclass(frozen=True)
class Inputs:
    """Everything that `generate` works from."""

    params: Params
    prompt: Prompt
    models: tuple[ModelConfig, ...]
    briefs: tuple[Brief, ...]


def load_params() -> Params:
    """All of `params.yaml`; InputError has all unknown, missing or out-of-range keys."""
    return yaml_text.record(Params, read_input(paths.PARAMS), paths.PARAMS.as_posix())


def load_prompt(path: str) -> Prompt:
    """The prompt at a path in the repository; InputError (with the nearest name) if there is none,
    or its text is not clean.
    """
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts:
        raise input_error(
            "params.yaml", "prompt", f'must be a path inside the repository, found "{path}"'
        )
    if not path.isprintable():
        message = f'must hold no control characters, found "{path}"'
        raise input_error("params.yaml", "prompt", message)
    if not Path(pure).exists():
        known = sorted(file.as_posix() for file in paths.PROMPTS.glob("*.txt") if file.is_file())
        held = ", ".join(known) or "none"
        message = f'there is no file "{path}"{nearest(path, known)}; prompts/ holds {held}'
        raise input_error("params.yaml", "prompt", message)
    return prompt_of(pure.as_posix(), _read_text(Path(pure)))


def load_briefs(
    patterns: Iterable[str] | None = ("*",), source: str = "params.yaml"
) -> tuple[Brief, ...]:
    """The briefs whose ids match any of the patterns, by id; None: all, of which there may be none.
    All files are checked, chosen or not. `source` is where the patterns are from.
    """
    return _load(paths.BRIEFS, ".md", patterns, parse_brief, source)


def load_codebooks(briefs: Iterable[Brief]) -> dict[str, Codebook]:
    """The codebooks by the id of their brief; InputError has every problem of every file, and files
    of other briefs than these, which should be all.
    """
    known = {brief.id: brief for brief in briefs}

    def read(brief_id: str, text: str, file: str) -> tuple[str, Codebook]:
        if brief_id not in known:
            raise input_error(file, "", f'there is no brief "{brief_id}"{nearest(brief_id, known)}')
        return brief_id, parse_codebook(known[brief_id], text, file)

    return dict(_load(paths.CODEBOOKS, ".yaml", None, read))


def load_models(patterns: Iterable[str] = ("*",)) -> tuple[ModelConfig, ...]:
    """The model configs whose ids match any of the patterns, by id; files that start with `_` are
    templates.

    All other files are checked, chosen or not: two configs with one id would be found out too late.
    """
    return _load(paths.MODELS, ".json", patterns, partial(parse_config, ModelConfig))


def load_policies(
    patterns: Collection[str], run_models: Collection[str] = ()
) -> tuple[Policy, ...]:
    """The policies whose ids match any of the patterns, by id, of a run of these models; none: not
    known.

    InputError has every problem of every file, and the chosen policies with a model that is not in
    the run.
    """
    known_models = {*_names(paths.MODELS, ".json"), *run_models}

    def read(policy_id: str, text: str, file: str) -> Policy:
        policy = parse_config(Policy, policy_id, text, file)
        problems = list(_problems_of_policy(policy, file, known_models, run_models))
        if problems and any(fnmatch.fnmatch(policy_id, pattern) for pattern in patterns):
            raise InputError(problems)
        return policy

    return _load(paths.POLICIES, ".json", patterns, read)


def _problems_of_policy(
    policy: Policy, file: str, known_models: Collection[str], run_models: Collection[str]
) -> Iterator[Problem]:
    same = [model for model in sorted(known_models) if _folded(model) == _folded(policy.id)]
    if same:
        yield Problem(file, "id", f"is the id of a model: models/{same[0]}.json")
    for place, step in enumerate(policy.steps):
        where = f"steps.{place}.model"
        if step.model not in known_models:
            hint = nearest(step.model, known_models)
            yield Problem(file, where, f'there is no model "{step.model}"{hint}')
        elif run_models and step.model not in run_models:
            models = ", ".join(sorted(run_models))
            message = f'"{step.model}" is not in the run, whose models are {models}'
            yield Problem(file, where, message)


def load_inputs(params: Params) -> Inputs:
    """Everything that `params` selects; all problems of all files in one error."""
    problems: list[Problem] = []
    with collecting(problems):
        prompt = load_prompt(params.prompt)
    models: tuple[ModelConfig, ...] = ()
    with collecting(problems):
        models = load_models(params.models)
    with collecting(problems):  # policies alter no answer: this is to find their problems early
        load_policies(params.policies, [model.id for model in models])
    with collecting(problems):
        briefs = load_briefs(params.briefs)
    if problems:
        raise InputError(problems)
    return Inputs(params=params, prompt=prompt, models=models, briefs=briefs)


def problems_of_files() -> list[Problem]:
    """The problems of all models, briefs and policies, for the message about a `params.yaml` that
    selects none because it is broken.
    """
    problems: list[Problem] = []
    with collecting(problems):
        load_models()
    with collecting(problems):
        load_briefs()
    with collecting(problems):
        load_policies(_names(paths.POLICIES, ".json"))
    return problems


def changed_since(manifest: Run, prompt: Prompt, briefs: Iterable[Brief]) -> list[str]:
    """The present prompt and the briefs of a run that are not those that its answers are of."""
    changed: list[str] = []
    if manifest.prompt.sha256 != prompt.sha256:
        changed.append(prompt.path)
    for brief in briefs:
        if manifest.briefs.get(brief.id, brief.sha256) != brief.sha256:
            changed.append((paths.BRIEFS / f"{brief.id}.md").as_posix())
    return changed


def _names(folder: Path, suffix: str) -> list[str]:
    """The names of the files of a folder that are no templates."""
    files = sorted(folder.glob(f"*{suffix}"))
    return [
        file.name.removesuffix(suffix) for file in files if not file.name.startswith(("_", "."))
    ]


def _read_text(file: Path) -> str:
    """The text of a file; InputError if it is empty too."""
    text = read_input(file)
    if not text.strip():
        raise input_error(file.as_posix(), "", "is empty")
    return text


def _folded(name: str) -> str:
    """Equal for ids that are one file or one metric: case, and . against _, make no difference."""
    return name.casefold().replace(".", "_")


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
        for file in sorted(folder.glob("[!_.]*"))
        if file.suffix != suffix and file.suffix.lower() in (suffix, _OTHER_SUFFIXES.get(suffix))
    ]
    chosen = set(files if patterns is None else ())
    for pattern in patterns or ():
        matching = fnmatch.filter(files, pattern)
        if not matching:
            message = (
                f'nothing in {folder.as_posix()}/ matches "{pattern}"{nearest(pattern, files)}'
            )
            message += f"; there are {', '.join(sorted(files)) or 'none'}"
            problems.append(Problem(source, folder.name, message))
        chosen.update(matching)
    seen: dict[str, str] = {}
    loaded: list[Loaded] = []
    for name, file in sorted(files.items()):
        where = file.as_posix()
        if not IDENTIFIER.fullmatch(name):
            message = f"the file name must be {ID_RULE}"
            problems.append(Problem(where, "", message))
            continue
        twin = seen.setdefault(_folded(name), name)
        if twin != name:
            message = f'is the same as "{twin}" where case and . against _ make no difference'
            problems.append(Problem(where, "id", message))
        with collecting(problems):
            entry = read(name, _read_text(file), where)
            if name in chosen:
                loaded.append(entry)
    if problems:
        raise InputError(problems)
    return tuple(loaded)
