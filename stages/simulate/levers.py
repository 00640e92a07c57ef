"""The options of a draft, the factors that they set, and the values that they set them to."""

import re

import msgspec

from stages.contracts.json_text import JsonValue
from stages.simulate.character import Character
from stages.simulate.draft import Node
from stages.simulate.reading import OptionRead, Reading
from stages.simulate.stream import Stream

_ROOM = 7
_SLUG = re.compile(r"[a-z]+")


class Names:
    """Gives out ids that are not taken and phrases that were not used."""

    def __init__(self, phrases: tuple[str, ...], fallback: str) -> None:
        self._phrases = list(phrases)
        self._fallback = fallback
        self._taken: set[str] = set()

    def identifier(self, prefix: str, label: str) -> str:
        """An ASCII snake_case id made from a label, numbered where the label has no Latin letters or the id is taken."""
        words = _SLUG.findall(label.lower())[:4]
        stem = "_".join([prefix, *words]) if words else f"{prefix}_1"
        chosen, number = stem, 1
        while chosen in self._taken:
            number += 1
            chosen = f"{prefix}_{number}" if not words else f"{stem}_{number}"
        self._taken.add(chosen)
        return chosen

    def phrase(self, stream: Stream, preferred: tuple[str, ...] = ()) -> str:
        """A phrase not used before: the first preferred one, else one of the brief's next three, else the fallback."""
        for phrase in preferred:
            if phrase in self._phrases:
                self._phrases.remove(phrase)
                return phrase
        return self._phrases.pop(stream.below(min(3, len(self._phrases)))) if self._phrases else self._fallback


class Choice(msgspec.Struct, frozen=True):
    """The options with their interventions, and the factors that these set, in order."""

    options: tuple[Node, ...]
    levers: tuple[Node, ...]


def choose(reading: Reading, character: Character, names: Names, stream: Stream) -> Choice:
    """The options that the brief names and a status quo, each with the levers that it moves, as the character would have it."""
    options = _options(reading, character, names, stream.branch("options"))
    count = max(2, min(len(options), _ROOM - len(options)))
    levers = tuple(_lever(index, options, character, names, stream.branch(f"lever {index}")) for index in range(count))
    maps = _interventions(options, [lever.id for lever in levers], character, stream.branch("interventions"))
    nodes = tuple(
        Node(
            id=names.identifier("opt", option.label), kind="option", label=option.label, data={"interventions": values}
        )
        for option, values in zip(options, maps, strict=True)
    )
    return Choice(nodes, levers)


def _options(reading: Reading, character: Character, names: Names, stream: Stream) -> list[OptionRead]:
    language = reading.language
    active = [option for option in reading.options if not option.staying][:4]
    staying = [option for option in reading.options if option.staying][:1]
    while not active or (len(active) < 2 and not staying and not reading.staying_allowed):
        phrase = names.phrase(stream)
        active.append(OptionRead(language.other_option.format(phrase), (phrase,), staying=False))
    if not reading.staying_allowed:
        return active
    if stream.chance(character.omit_status_quo):
        kept = [*active, *staying] if stream.chance(0.5) else active
        return kept if len(kept) > 1 else [*kept, _extra(reading, names, stream)]
    label = staying[0].label if staying else names.phrase(stream)
    phrases = staying[0].phrases if staying else (label,)
    return [*active, OptionRead(language.staying_label.format(label[:1].lower() + label[1:]), phrases, staying=True)]


def _extra(reading: Reading, names: Names, stream: Stream) -> OptionRead:
    phrase = names.phrase(stream)
    return OptionRead(reading.language.other_option.format(phrase), (phrase,), staying=False)


def _lever(index: int, options: list[OptionRead], character: Character, names: Names, stream: Stream) -> Node:
    label = capital(names.phrase(stream, options[index % len(options)].phrases))
    if stream.chance(character.generic_label):
        label = generic(stream)
    cap = stream.choice((10, 50, 100, 500, 1000))
    raw = stream.below(cap * 6 // 10 + 1)
    data: dict[str, JsonValue] = {
        "value": round(raw / cap, 2),
        "raw_value": raw,
        "unit": stream.choice(("%", "h/week", "points", "per month", "FTE")),
        "cap": cap,
        "extractionType": stream.choice(("explicit", "inferred")),
    }
    return Node(id=names.identifier("fac", label), kind="factor", label=label, category="controllable", data=data)


def _interventions(
    options: list[OptionRead], levers: list[str], character: Character, stream: Stream
) -> list[dict[str, JsonValue]]:
    maps: list[dict[str, JsonValue]] = []
    everywhere = stream.chance(character.shared_levers)
    for index, option in enumerate(options):
        low, high = (0.05, 0.35) if option.staying else (0.45, 0.95)
        second = stream.chance(0.45)
        values: dict[str, JsonValue] = {}
        for place, lever in enumerate(levers):
            value = round(stream.between(low, high), 2)
            first = place == index % len(levers)
            if everywhere or first or (second and place == (index + 1) % len(levers)):
                values[lever] = value
        maps.append(values)
    if not everywhere:
        _keep_apart(maps, levers)
    if stream.chance(character.twin_options):
        maps[1] = dict(maps[0])
    if stream.chance(character.empty_option):
        maps[stream.below(len(maps))] = {}
    return maps


def _keep_apart(maps: list[dict[str, JsonValue]], levers: list[str]) -> None:
    """Take back second levers until none is set by all options and no two maps are equal."""
    for place, lever in enumerate(levers):
        if all(lever in values for values in maps):
            for index, values in enumerate(maps):
                if index % len(levers) != place:
                    del values[lever]
    seen: list[dict[str, JsonValue]] = []
    for index, values in enumerate(maps):
        own = levers[index % len(levers)]
        while values in seen:
            value = values[own]
            values[own] = round((value if isinstance(value, float) else 0.5) * 0.9 + 0.01, 2)
        seen.append(values)


def capital(phrase: str) -> str:
    """The phrase with a capital first letter."""
    return phrase[:1].upper() + phrase[1:]


def generic(stream: Stream) -> str:
    """A label that says nothing."""
    return stream.choice(("Cost", "Revenue", "Demand", "Supply", "Growth", "Competition", "Market risk"))
