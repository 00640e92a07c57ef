"""The words of a language that the drafter reads for and writes with."""

import msgspec


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for in a brief (regular expressions) and how to word what no brief provides.

    `{}` in a template stands for a phrase of the brief.
    """

    code: str
    options_ahead: str
    """What stands before a list of options."""
    staying: str
    """How an option says that all stays as it is."""
    no_staying: str
    """How a brief rules that out."""
    aim: str
    """How a sentence announces the goal."""
    either: str
    """What separates alternatives in a sentence."""
    little: frozenset[str]
    """Words that carry no subject of their own."""
    circumstances: tuple[str, ...]
    """Labels of external factors, where the brief offers nothing."""
    choice: str
    staying_label: str
    other_option: str
    outcome: str
    risk: str
    goal: str
    summary: str
    advice: tuple[str, ...]
    cause: str
