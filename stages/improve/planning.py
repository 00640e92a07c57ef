"""What a search may call and cost, and what gain its proof could show. A candidate is taken to cost
what the base costs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from stages.generate.forecast import Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.plan.call import Call
from stages.improve.improving import settling_of
from stages.improve.inputs import ImproveInputs
from stages.improve.reflection import MAX_ANSWER, MAX_SHOWN_BRIEFS, request_text
from stages.improve.trials import reflection_cell
from stages.settle.plan import expected_half_widths
from stages.shell import numbers

USUAL_BRIEFS, LEAST_GAIN = 16, 0.10
"""With fewer briefs, or a proof that could not show this gain in quality, the user is asked."""


def usual_reflection(inputs: ImproveInputs) -> Call:
    """A request to the proposer of the usual length."""
    shown = inputs.part("learn")[:MAX_SHOWN_BRIEFS]
    feedback = [brief.body + MAX_ANSWER * "x" for brief in shown]
    request = request_text(inputs.base.prompt.text, feedback, 0)
    return reflection_cell(inputs.proposer, request, 1).call(1)


def gain_shown(inputs: ImproveInputs, ledger: Ledger) -> float:
    """The gain in quality that the last look is expected to show."""
    candidate = replace(inputs.base.prompt, path="the best candidate")
    settling = settling_of(inputs, candidate, len(inputs.parts.uses) + 1, ledger, None)
    return expected_half_widths(settling.design(), settling.answer_sds())[-1].quality


def plan_lines(
    inputs: ImproveInputs, rounds: int, missing: Sequence[Call], gain: float, ledger: Ledger
) -> Iterator[str]:
    """The plan in lines; `missing` are the calls that the base lacks."""
    proving = inputs.parts.ids("prove")
    calls = [planned.call(1) for planned in inputs.base.cells]
    searched = [call for call in calls if call.cell.brief_id not in proving]
    steps = {
        "Proposals": [usual_reflection(inputs)] * rounds,
        "Answers to candidates": searched * rounds,
        "Answers to the base": missing,
        "Proof of the best candidate": [call for call in calls if call.cell.brief_id in proving],
    }
    forecaster = Forecaster(ledger.output_tokens)
    parts = [f"{len(inputs.part(part))} {part}" for part in ("learn", "choose", "prove")]
    uses = numbers.counted(len(inputs.parts.uses), "time")
    yield f"Briefs: {', '.join(parts)}; those that prove were used {uses} before."
    for step, of_step in steps.items():
        usd = forecaster.total(of_step).cost_usd
        cost = f"{numbers.money(usd.expected)} ({numbers.money_interval(usd.low, usd.high)})"
        yield f"{step}: at most {numbers.counted(len(of_step), 'call')}, {cost}."
    yield f"A gain in quality of about {numbers.score(gain)} or more could be shown."


def doubts_of(inputs: ImproveInputs, gain: float) -> Iterator[str]:
    """Why the search may not be worth its cost."""
    briefs = len(inputs.base.briefs)
    if briefs < USUAL_BRIEFS:
        yield f"there are {briefs} briefs, and {USUAL_BRIEFS} are advised"
    if gain > LEAST_GAIN:
        yield f"the proof could not show a gain of {LEAST_GAIN:.2f} in quality"
