"""What a reader must know of a comparison besides its numbers: what else differs between the sides, and how they were scored."""

from collections.abc import Mapping, Sequence

from stages.compare.pairing import Pair, Pairing
from stages.compare.sides import Side
from stages.contracts.decision import Decision, ModeDecision
from stages.contracts.estimates import Difference
from stages.contracts.run import Run
from stages.shell import numbers

SHOWN = 10
"""How many names a note lists at most."""


UNEQUAL_LOSS = 0.1
"""The difference between the models' shares of cells without an answer from which a note warns."""


def notes(base: Side, head: Side, pairing: Pairing, found: Difference, *, today: str | None) -> tuple[str, ...]:
    """The sentences, none twice; `today` is the hash of today's rules."""
    sentences = [
        *_decisions(base.decision, head.decision),
        *_lost(pairing, found),
        *_simulated(base, head),
        *_scoring(base, head, today=today),
    ]
    sentences += [*_same_answers(pairing.pairs), *_inputs(base.run, head.run)]
    return tuple(dict.fromkeys(sentences))


def differing(base: Mapping[str, str], head: Mapping[str, str]) -> list[str]:
    """The names that both sides have, with other contents."""
    return sorted(name for name in base.keys() & head.keys() if base[name] != head[name])


def _decisions(base: Decision | None, head: Decision | None) -> list[str]:
    if base is None or head is None:
        return []
    before, after = ({mode: _decided(found) for mode, found in each.modes.items()} for each in (base, head))
    return [
        f"The model for {mode} changed: {before.get(mode, 'none')} before, {after.get(mode, 'none')} now."
        for mode in sorted(before.keys() | after.keys())
        if before.get(mode) != after.get(mode)
    ]


def _decided(found: ModeDecision) -> str:
    return f"{found.model or 'none'} ({found.verdict.replace('_', ' ')})"


def _lost(pairing: Pairing, found: Difference) -> list[str]:
    sentences = []
    if found.left_out:
        sentences.append(
            f"Left out, with fewer than two briefs that have a score on both sides: {_listed(found.left_out)}."
        )
    shares = sorted(pairing.lost.items(), key=lambda lost: (-lost[1], lost[0]))
    if shares and shares[0][1] - shares[-1][1] >= UNEQUAL_LOSS:
        most, least = (f"{model} {numbers.share(share)}" for model, share in (shares[0], shares[-1]))
        sentences.append(
            f"The models lost different shares of their cells (most {most}, least {least}): an answer that is missing for a "
            "reason that depends on its quality biases the comparison."
        )
    return sentences


def _simulated(*sides: Side) -> list[str]:
    if not any(card.measured.simulated for side in sides for card in side.scorecards):
        return []
    return [
        "Simulated models are among these: their results show how the tool works and say nothing about real models."
    ]


def _scoring(*sides: Side, today: str | None) -> list[str]:
    found = [
        f"The answers of {side.name} were scored by other rules; they have been scored again by today's."
        for side in sides
        if side.rescored
    ]
    found += [
        f"The scorecards of {side.name} cannot be read: its scores are those of results/scores.csv, to four decimals."
        for side in sides
        if side.recorded and not side.rescored
    ]
    if today is not None and not frozenset().union(*(side.rules for side in sides)) <= {today}:
        found.append("Both sides were scored by the same rules, which are not those of params.yaml now.")
    return found


def _same_answers(pairs: tuple[Pair, ...]) -> list[str]:
    if not all(each.same_answers for each in pairs) or all(each.difference == 0.0 for each in pairs):
        return []
    return [
        "Both sides hold the same answers: what moved is how they are scored, by the program or by what briefs expect."
    ]


def _inputs(base: Run, head: Run) -> list[str]:
    found = []
    if base.prompt.path == head.prompt.path and base.prompt.sha256 != head.prompt.sha256:
        found.append(f"The prompt {base.prompt.path} differs between the two sides.")
    models, briefs = differing(base.models, head.models), differing(base.briefs, head.briefs)
    if models:
        found.append(f"The model config changed between the sides: {_listed(models)}.")
    if briefs:
        found.append(f"The brief changed between the sides, and is still paired: {_listed(briefs)}.")
    for name in ("samples", "round", "unparsed_draws"):
        before, after = getattr(base, name), getattr(head, name)
        if before != after:
            found.append(f"generate.{name} is {before} on the base and {after} on the head.")
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
