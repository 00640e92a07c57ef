"""Drafts a decision graph: a hand-drawn draft of a shipped brief, or for any other brief such a
draft of another one, with labels and numbers of its own prose.
"""

import itertools
import json
import tomllib
from collections import Counter
from functools import cache
from importlib.resources import files

from stages.simulate.brief_reader import BriefReading, Clause, read_brief
from stages.simulate.characters import Character
from stages.simulate.draft_json import DraftJson, edge, node, nodes_of
from stages.simulate.stream import Stream
from stages.simulate.variation import STATUS_QUO, vary

_FOLDER = files("stages.simulate") / "drafts"
_OPENINGS: dict[str, str] = tomllib.loads((_FOLDER / "openings.toml").read_text("utf-8"))


def draft(brief: str, character: Character, stream: Stream) -> DraftJson:
    """The draft of a brief as the character answers it; structurally valid, however short or
    strange the brief.
    """
    plain = drawn_draft(brief) if character.knows_briefs else None
    if plain is None:
        plain = prose_draft(brief, character, stream.branch("prose"))
    return vary(plain, character, stream.branch("character"))


def drawn_draft(brief: str) -> DraftJson | None:
    """The hand-drawn draft of the shipped brief that the text begins as; None for any other."""
    for brief_id, opening in _OPENINGS.items():
        if brief.startswith(opening):
            drawn: DraftJson = json.loads(_read_drawn(brief_id))
            return drawn
    return None


@cache
def _read_drawn(brief_id: str) -> bytes:
    return (_FOLDER / f"{brief_id}.json").read_bytes()


@cache
def _skeletons() -> tuple[str, ...]:
    """The hand-drawn drafts that have a status quo, as JSON with ids that name nothing: fac_1."""
    texts: list[str] = []
    for brief_id in _OPENINGS:
        text = _read_drawn(brief_id).decode()
        numbers = Counter[str]()
        for entry in json.loads(text)["nodes"]:
            prefix, _, _ = entry["id"].partition("_")
            numbers[prefix] += 1
            text = text.replace(f'"{entry["id"]}"', f'"{prefix}_{numbers[prefix]}"')
        if STATUS_QUO in text:
            texts.append(text)
    return tuple(texts)


def prose_draft(brief: str, character: Character, stream: Stream) -> DraftJson:
    """A hand-drawn draft whose labels and numbers are replaced by the brief's, with as many more
    factors that nothing moves as the character adds.
    """
    reading = read_brief(brief)
    clauses = _Clauses(reading, stream.branch("clauses"))
    graph: DraftJson = json.loads(stream.choice(_skeletons()))
    fewest, most = character.observables
    for number in range(int(stream.between(fewest, most + 1))):
        name = f"fac_seen_{number}"
        graph["nodes"].insert(-1, node(name, "factor", "", category="observable"))
        graph["edges"].append(edge(name, "risk_1", 0.05, 0.15, 0.7))
    (decision,) = nodes_of(graph, "decision")
    decision["label"] = reading.title
    _name_options(nodes_of(graph, "option"), reading, clauses)
    for factor in nodes_of(graph, "factor"):
        clause = clauses.take()
        today = factor.get("data", {}).get("value", 0.5)
        factor["label"] = clause.text
        factor["data"] = {"value": today, "extractionType": "inferred"}
        if clause.number is not None:
            factor["data"] = _scaled("value", "raw_value", "unit", "cap", clause)
            factor["data"]["extractionType"] = "explicit"
    for result in nodes_of(graph, "outcome", "risk"):
        result["label"] = clauses.take().text
    graph["nodes"][-1] = _goal(reading, clauses)
    advice = {"id": "str_1", "action_type": "add_evidence", "detail": reading.title}
    items = [advice | {"label": clauses.take().text}]
    graph["coaching"] = {"summary": reading.title, "strengthen_items": items}
    graph["causal_claims"] = []
    return graph


class _Clauses:
    """The clauses of a brief, each used once."""

    def __init__(self, reading: BriefReading, stream: Stream) -> None:
        self._title = reading.title
        self._stream = stream
        used = (reading.aim.text, reading.title)
        self._unused = [clause for clause in reading.clauses if clause.text not in used]
        self._numbers = itertools.count(1)

    def take(self) -> Clause:
        """One of the next four unused clauses, or the title with a number."""
        if not self._unused:
            return Clause(f"{self._title} ({next(self._numbers)})")
        clause = self._stream.choice(self._unused[:4])
        self._unused.remove(clause)
        return clause


def _name_options(options: list[DraftJson], reading: BriefReading, clauses: _Clauses) -> None:
    """Label options by those of the brief, as far as there are as many, and the status quo."""
    changes = [option.label for option in reading.options if not option.unchanged]
    unchanged = [option.label for option in reading.options if option.unchanged]
    for option in options:
        is_status_quo = option["label"].startswith(STATUS_QUO)
        labels = unchanged if is_status_quo else changes
        label = labels.pop(0) if labels else clauses.take().text
        option["label"] = f"{STATUS_QUO}{label}" if is_status_quo else label


def _goal(reading: BriefReading, clauses: _Clauses) -> DraftJson:
    """The goal, with the target that the brief names."""
    goal = node("goal_1", "goal", reading.aim.text or clauses.take().text)
    if reading.aim.number is None:
        return goal
    keys = ("goal_threshold", "goal_threshold_raw", "goal_threshold_unit", "goal_threshold_cap")
    return goal | _scaled(*keys, reading.aim)


def _scaled(share: str, raw: str, unit: str, cap: str, clause: Clause) -> DraftJson:
    """The number of a clause under these keys: as a share of a scale, itself, its unit and the end
    of the scale.
    """
    number = clause.number or 0.0
    is_percentage = clause.unit == "%" and number <= 100
    end = 100.0 if is_percentage else 10.0 ** len(str(int(number)))
    return {share: round(number / end, 4), raw: number, unit: clause.unit, cap: end}
