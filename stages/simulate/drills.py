"""Simulated models that show one thing each.

A search for a better prompt can be tried offline on two of them: `drill-obedient` makes faults
until the prompt has the sentence against them, and `drill-proposer` answers a request for a better
prompt with the sentences against the first two findings.

Three show what sending an answer back does. Half of the graphs of `drill-repairs` and
`drill-breaks` have one structural fault, by brief and draw. Sent back, the one repairs it, and the
other makes another fault in its place. `drill-stuck` makes the same fault in every answer to
certain briefs, however often it is asked, and none in answers to the others.
"""

import re

from stages.simulate.characters import (
    BREAKS,
    CHARACTERS,
    OBEDIENT,
    PROPOSER,
    REPAIR_DRILLS,
    REPAIRS,
    STUCK,
    Character,
)
from stages.simulate.graph_faults import FAULTS
from stages.simulate.request import SimulatedRequest
from stages.simulate.stream import Stream

SENTENCES = {
    "status_quo_present": ("omit_status_quo", "Going on as before is always an option."),
    "coaching_populated": ("omit_coaching", "The coaching is never left empty."),
    "external_factor_present": ("omit_external", "One factor is beyond anybody's control."),
    "default_takeover": ("default_share", "Every effect has numbers of its own."),
    "range_discipline": ("over_range", "What enters a node adds up to less than one."),
}
"""For each finding the fault of a character that leads to it, and the sentence against it."""
OBEDIENT_FAULT_CHANCE, MAX_CHANGES = 0.6, 2
REPAIR_FAULT_CHANCE = 0.5
_LAST_SENTENCE = "Read the brief once more before you answer."
_PROMPT = re.compile(r"<prompt>\n(.*?)\n</prompt>", re.DOTALL)


def character_of(model: str, instructions: str) -> Character:
    """The character of a simulated model that answers."""
    if model in (PROPOSER, *REPAIR_DRILLS):
        return Character()
    if model != OBEDIENT:
        return CHARACTERS[model]
    chances = {
        fault: 0.0 if sentence in instructions else OBEDIENT_FAULT_CHANCE
        for fault, sentence in SENTENCES.values()
    }
    return Character.read(chances)


def proposal(request: str) -> str:
    """A better prompt, in the form in which `improve` asks for it."""
    found = _PROMPT.search(request)
    prompt = found[1] if found else request
    changes: list[str] = []
    sentences: list[str] = []
    for finding, (_, sentence) in SENTENCES.items():
        if f"\n{finding} in " in request and sentence not in prompt:
            changes.append(f"{finding}: a sentence against it")
            sentences.append(sentence)
    lines = ["<changes>", *changes[:MAX_CHANGES], "</changes>", "<prompt>", prompt]
    return "\n".join([*lines, *(sentences[:MAX_CHANGES] or [_LAST_SENTENCE]), "</prompt>"])


def faults_of_drill(request: SimulatedRequest) -> tuple[str, ...]:
    """The faults that one of these models puts into its graph."""
    key = [request.model, request.input]
    if request.model != STUCK:
        key.append(request.draw)
    stream = Stream("repair drill", *key)
    has_fault, fault = stream.chance(REPAIR_FAULT_CHANCE), stream.choice(FAULTS)
    is_repaired = request.model == REPAIRS and bool(request.further)
    if not has_fault or is_repaired:
        return ()
    if request.model == BREAKS and request.further:
        return (FAULTS[(FAULTS.index(fault) + 1) % len(FAULTS)],)
    return (fault,)
