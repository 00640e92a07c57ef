"""Everything that decides the outcome of a fidelity check beside the code: for the hash of the scoring rules."""

from typing import Final

from stages.contracts.fidelity import CHECKS
from stages.contracts.json_text import JsonValue
from stages.score.fidelity import claimed_numbers, consistency, grounding, prompt_copy, subject, words
from stages.score.fidelity.number_words import FRACTIONS, SCALES
from stages.score.fidelity.word_lists import COMMON_WORDS, FUNCTION_WORDS, GENERIC_WORDS


def _thresholds(module: object) -> dict[str, JsonValue]:
    """The numbers, and groups of numbers, among a module's public constants."""
    values = {name: value for name, value in sorted(vars(module).items()) if name.isupper() and name[0] != "_"}
    groups: dict[str, JsonValue] = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return groups | {name: value for name, value in values.items() if isinstance(value, int | float)}


FIDELITY_RULES: Final[dict[str, JsonValue]] = {
    "checks": list(CHECKS),
    "thresholds": {
        module.__name__.rpartition(".")[2]: _thresholds(module)
        for module in (claimed_numbers, consistency, grounding, prompt_copy, subject, words)
    },
    "function_words": {language: " ".join(text.split()) for language, text in FUNCTION_WORDS.items()},
    "generic_words": {language: " ".join(text.split()) for language, text in GENERIC_WORDS.items()},
    "common_words": {language: " ".join(text.split()) for language, text in COMMON_WORDS.items()},
    "scales": dict(SCALES),
    "fractions": {language: dict(words) for language, words in FRACTIONS.items()},
}
"""The checks, their thresholds and their word lists."""
