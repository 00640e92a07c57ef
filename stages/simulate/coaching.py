"""What a draft says beside its graph: coaching for the decision maker, and claims about causes."""

from stages.contracts.json_text import JsonValue
from stages.simulate.draft import Edge
from stages.simulate.reading import Reading
from stages.simulate.stream import Stream

_ACTIONS = ("add_evidence", "add_option", "add_risk", "add_factor")


def coaching(reading: Reading, subject: str, stream: Stream) -> dict[str, JsonValue]:
    """A summary and two or three pieces of advice in the brief's language."""
    language = reading.language
    phrases = reading.phrases[:12] or (subject,)
    advice = stream.shuffled(language.advice)[: 2 + stream.below(2)]
    items: list[JsonValue] = [
        {
            "id": f"str_{number}",
            "label": text.format(stream.choice(phrases)),
            "detail": language.summary.format(stream.choice(phrases)),
            "action_type": stream.choice(_ACTIONS),
        }
        for number, text in enumerate(advice, start=1)
    ]
    return {"summary": language.summary.format(subject), "strengthen_items": items}


def claims(
    reading: Reading, effects: list[Edge], hidden: list[Edge], subject: str, stream: Stream
) -> tuple[dict[str, JsonValue], ...]:
    """A claim for one or two effects, with the strength in words, and one that explains each confounder."""
    told: list[dict[str, JsonValue]] = []
    for edge in stream.shuffled(effects)[: 1 + stream.below(2)]:
        size = abs(edge.strength.mean)
        word = "weak" if size < 0.2 else "moderate" if size < 0.45 else "strong"
        told.append({"type": "direct_effect", "from": edge.source, "to": edge.target, "stated_strength": word})
    for edge in hidden:
        ends: list[JsonValue] = [edge.source, edge.target]
        explanation = reading.language.cause.format(subject)
        told.append({"type": "unmeasured_confounder", "between": ends, "explanation": explanation})
    return tuple(told)
