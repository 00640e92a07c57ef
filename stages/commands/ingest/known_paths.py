"""Which of the paths of known logs lead to what a log has: those that fit its first records."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter

from stages.commands.ingest.unwrapping import (
    FACTS,
    PRESETS,
    Unreadable,
    find_reply,
    find_user_text,
    follow,
    is_not_an_answer,
)
from stages.shared.records.errors import input_error
from stages.shared.records.json_text import JsonObject, JsonValue
from stages.shared.shell.text import visible


def choose_paths(
    records: Sequence[JsonObject],
    named: Mapping[str, str | None],
    is_known: Callable[[str], bool],
) -> dict[str, list[str]]:
    """The named paths by what they lead to, and for each other field those that fit these records.

    An input fits where `is_known` says that it is a brief's; an output where it has a graph. Keys
    that no preset has are tried too, those of outputs where no preset has any, and count only where
    they fit.
    """
    keys = dict.fromkeys(key for record in records for key in record if not is_not_an_answer(key))
    paths: dict[str, list[str]] = {}
    for field, presets in (PRESETS | FACTS).items():
        paths[field] = [
            path
            for path in presets
            if path.startswith("*.") or any(follow(record, path) is not None for record in records)
        ]
    paths["system"] += paths["input"]
    inputs = _rank(records, (*PRESETS["input"], *keys), partial(_is_brief, is_known))
    paths["input"] = [path for path, fits in inputs.items() if fits or path in PRESETS["input"]]
    paths["output"] = [*_rank(records, PRESETS["output"], _has_graph)]
    if not paths["output"]:
        prompts = {*PRESETS["input"], *PRESETS["system"]}  # one may have an example
        outputs = _rank(records, [key for key in keys if key not in prompts], _has_graph)
        paths["output"] = [*(path for path, fits in outputs.items() if fits), "."]
        if len(paths["output"]) > 2 and not named.get("output"):
            names = ", ".join(f'"{visible(path)}"' for path in paths["output"][:-1])
            raise input_error("the log", "outputs", f"choose one with --output: {names}")
    return paths | {field: [path] for field, path in named.items() if path}


def _rank(
    records: Sequence[JsonObject], paths: Iterable[str], fits: Callable[[JsonValue], bool | None]
) -> dict[str, int]:
    """How many records each path fits, the most first; a path that leads nowhere is left out."""
    counts: dict[str, int] = {}
    for path in paths:
        results = [fits(follow(record, path)) for record in records]
        if any(result is not None for result in results):
            counts[path] = sum(map(bool, results))
    return dict(sorted(counts.items(), key=itemgetter(1), reverse=True))


def _is_brief(is_known: Callable[[str], bool], value: JsonValue) -> bool | None:
    try:
        text = find_user_text(value)
    except Unreadable:
        return False
    return None if text is None else is_known(text)


def _has_graph(value: JsonValue) -> bool | None:
    reply = find_reply(value)
    return None if reply is None else reply.has_graph
