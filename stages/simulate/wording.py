"""How an answer is put: bare JSON, a fence, prose around it, thinking aloud, or JSON that broke."""

from stages.simulate.character import Character
from stages.simulate.draft import Draft, indented, written
from stages.simulate.stream import Stream

_BEFORE = (
    "Sure! Here is the decision graph for your brief:\n\n",
    "Thank you for the detailed brief. I have modelled the decision as follows.\n\n",
    "Below you find the draft graph. Note that several numbers are estimates {not facts}.\n\n",
)
_AFTER = (
    "\n\nLet me know if you would like me to refine any of the edges!",
    "\n\nI kept the graph small on purpose. The riskiest assumption is the first causal edge.",
    "\n\nWould you like a version with more options?",
)
_THOUGHT = (
    "<think>\nThe user wants a decision graph. Options first, then levers, then what they act on.\n"
    "The sums must stay within 1.\n</think>\n"
)
_INSTEAD = (
    "Before I draft a graph I would need to know more: which of the aims matters most, and over what period? "
    "Please tell me and I will gladly continue.",
    "A graph does not do this decision justice. In short: begin with the smallest reversible step, measure for a quarter, "
    "and decide then.",
)


def worded(draft: Draft, character: Character, plain: bool, stream: Stream) -> str:
    """The text of an answer that can be read; `plain` (a JSON format was asked for) leaves nothing but the JSON."""
    loose = character.prose > 0 or character.fence > 0
    body = indented(draft) if loose and stream.chance(0.5) else written(draft)
    if plain:
        return body
    fenced, prose, thinking = (
        stream.chance(character.fence),
        stream.chance(character.prose),
        stream.chance(character.thinking),
    )
    if fenced:
        body = f"```{stream.choice(('json', 'json', 'JSON', ''))}\n{body}\n```"
    if prose:
        before = stream.choice(_BEFORE[:2])
        body = (before if stream.chance(0.8) else "") + body + stream.choice(_AFTER)
    return _THOUGHT + body if thinking else body


def unparseable(draft: Draft, stream: Stream) -> str:
    """The text of an answer without JSON that can be read: broken, commented, doubled by braces in the prose, or not there."""
    body = written(draft)
    place = body.find('"edges"')
    return (
        lambda: body.replace("},{", "},\n{  // next\n", 3),
        lambda: f"```json\n{body[: place + stream.below(max(1, len(body) - place))]}\n```",
        lambda: _BEFORE[2] + body + stream.choice(_AFTER),
        lambda: body.replace('"edges":', "'edges':").replace("true", "True"),
        lambda: stream.choice(_INSTEAD),
    )[stream.below(5)]()
