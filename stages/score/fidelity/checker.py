"""All fidelity checks of a graph: the table of the checks, and the hash of what decides them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stages.score.causal_model import CausalModel
from stages.score.fidelity import claimed_numbers, consistency, effects, grounding
from stages.score.fidelity.effects import Meaning, check_effects, read_meaning
from stages.score.fidelity.numbers import FRACTIONS, SCALES
from stages.score.fidelity.subject import BriefContent, Draft, PromptContent
from stages.shared.language.words import WORD_LISTS
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.codebook import Codebook
from stages.shared.records.scorecard import CHECKS, CheckResult
from stages.shared.structure.topology import Topology

Check = Callable[[Draft, BriefContent], CheckResult]

_CHECKS: tuple[Check, ...] = (
    grounding.prompt_copy,
    claimed_numbers.target,
    claimed_numbers.numbers,
    consistency.direction,
    consistency.options_kept,
    consistency.twin_options,
    consistency.duplicate_labels,
    consistency.result_signs,
)
"""The checks between `grounding` and `effects`, which depend on the stated effects too; in the
order of their results, each named as in `contracts.scorecard`.
"""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What the checks say about a graph, and what the graph says about the stated effects."""

    checks: tuple[CheckResult, ...]
    meaning: Meaning


class FidelityChecker:
    """Checks graphs against their briefs, the briefs' codebooks and the prompt, which are read
    once.

    A result depends on the graph, its own brief and the prompt only, never on other briefs or
    answers. `min_content` is that of the scoring rules.
    """

    def __init__(
        self,
        prompt: Prompt | None,
        briefs: Iterable[Brief],
        codebooks: Mapping[str, Codebook],
        min_content: float,
    ) -> None:
        self.prompt_sha256 = prompt.sha256 if prompt else None
        content = PromptContent(prompt.text if prompt else "")
        self._subjects = {
            brief.id: BriefContent(brief, content, codebooks.get(brief.id)) for brief in briefs
        }
        self._min_content = min_content

    def check(self, topology: Topology, status_quo_pattern: str, brief_id: str) -> Fidelity:
        """The results of all checks and of the stated effects of a graph without a directed cycle,
        as an answer to one of the briefs. Never raises.
        """
        draft = Draft(topology.graph, CausalModel(topology, status_quo_pattern))
        subject = self._subjects[brief_id]
        meaning = read_meaning(draft, subject)
        has_content = (meaning.content or 0.0) > self._min_content
        checks = [
            grounding.grounding(draft, subject, has_content=has_content),
            *(check(draft, subject) for check in _CHECKS),
            check_effects(meaning, subject, self._min_content),
        ]
        return Fidelity(tuple(checks), meaning)


FIDELITY_RULES: dict[str, object] = {
    "checks": CHECKS,
    "grounding": (
        grounding.GROUNDED_FROM, grounding.FOREIGN_BELOW, grounding.LONG_BRIEF,
        grounding.SHORT_BRIEF, grounding.GROUNDED_IN_SHORT_FROM, grounding.FOREIGN_TO_SHORT_BELOW,
        grounding.MIN_SUBJECT_WORDS, grounding.SUBJECT_WORDS_FROM, grounding.NAMED_FROM,
        grounding.MIN_NUMBERS, grounding.NUMBERS_GIVEN_FROM,
    ),
    "prompt_copy": (
        grounding.COPIES_TO_FAIL, grounding.COPIED_SHARE_TO_FAIL, grounding.COPIES_TO_WARN,
        grounding.COPIED_SHARE_TO_WARN, grounding.COPIED_WORDS,
    ),
    "target": (
        claimed_numbers.SHARE_TOLERANCE, claimed_numbers.NEAR, claimed_numbers.UNIT_FACTORS,
        claimed_numbers.COMPARABLE, claimed_numbers.SMALLEST_AMOUNT,
        claimed_numbers.SHARE_DIGITS, claimed_numbers.AMOUNT_DIGITS,
    ),
    "twin_options": consistency.TWIN_SIMILARITY,
    "result_signs": consistency.CONTRADICTED_TO_FAIL,
    "effects": (
        effects.CONTRADICTIONS_TO_FAIL, effects.EFFECTS_TO_FAIL, effects.CODED_TO_FAIL,
        effects.RIGHT_SHARE_TO_PASS, effects.NO_EFFECT,
    ),
    "words": WORD_LISTS,
    "scales": SCALES,
    "fractions": FRACTIONS,
}  # fmt: skip
"""What decides the outcomes of the checks beside the code, for the hash of the rules. How words and
languages are recognised is code, which the scoring version stands for.
"""
