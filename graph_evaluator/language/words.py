"""Words of a text in a form that can be compared: across case, accents, width, Arabic spelling and
inflection.

Scripts that do not put spaces between words (Han, Katakana, Thai) and Hangul are compared as pairs
of neighbouring characters. Hiragana mostly writes endings and particles and is left out.
"""

import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain, pairwise
from typing import Any, NamedTuple

import regex

WORDS: dict[str, Any] = tomllib.loads(
    files("graph_evaluator.language").joinpath("words.toml").read_text(encoding="utf-8")
)
"""The content of `words.toml`."""
STEM_LETTERS = 5
"""Words that share this number of first letters count as the same word."""
ARABIC_STEM_LETTERS = 4
SMALLEST_VOCABULARY = 8
"""A brief with fewer different stems says too little for its graph to be recognised by its words.
"""
_LISTED_SCRIPTS = frozenset({"LATIN", "ARABIC"})
"""Scripts in which a text of a few labels has words that show its language."""

_TOKEN = regex.compile(
    r"(?P<han>[\p{Han}々〆]+)|(?P<katakana>[\p{Katakana}ー]+)|(?P<hiragana>\p{Hiragana}+)"
    r"|(?P<thai>\p{Thai}[\p{Thai}\p{M}]*)|(?P<hangul>\p{Hangul}+)"
    r"|(?P<letters>[[\p{L}\p{M}\u0640]"
    r"--[\p{Han}\p{Katakana}\p{Hiragana}\p{Thai}\p{Hangul}]]{1,60})",
    regex.V1,
)
_UNIFIED = str.maketrans({"ى": "ي", "ة": "ه", "ٱ": "ا", "ـ": None, "ک": "ك", "ی": "ي"})
ARABIC_PREFIX = regex.compile(r"^(?:وال|بال|كال|فال|لل|ال|و|ب|ل)(?=.{3})")
_ARABIC_SUFFIX = regex.compile(r"(?<=.{3})(?:يه|ات|ون|ين|ان|ها|هم|نا|ه|ي|ا)$")
_LONG_VOWELS = str.maketrans("", "", "اوي")
_MARKS = regex.compile(r"[\p{M}--[\u3099\u309A]]+", regex.V1)
"""Combining marks but the Japanese voicing marks."""


def normalise(text: str) -> str:
    """The text in compatibility form and without case, combining marks or variants of Arabic
    letters.

    The Japanese voicing marks stay: without them other words would result.

    >>> normalise("Größe ＡＢＣ ガ أُسْرة")
    'grosse abc ガ اسره'
    """
    unmarked = _MARKS.sub("", text.casefold())  # a run of marks takes NFKD quadratic time
    decomposed = unicodedata.normalize("NFKD", unmarked)
    kept: str = _MARKS.sub("", decomposed).translate(_UNIFIED)
    return unicodedata.normalize("NFC", kept).casefold()


_CASE_CHANGE = regex.compile(r"(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")


def split_names(text: str) -> str:
    """The words of a joined name, and any other text with spaces, where names such as GitHub stay.

    >>> split_names("TruckCount"), split_names("no_show_rate"), split_names("GitHub seats")
    ('Truck Count', 'no show rate', 'GitHub seats')
    """
    words = text.replace("_", " ")
    return words if " " in text else str(_CASE_CHANGE.sub(" ", words))


def words_by_language(name: str) -> dict[str, frozenset[str]]:
    """The words of a list of `words.toml`."""
    lists = WORDS[name]
    return {language: frozenset(normalise(text).split()) for language, text in lists.items()}


_FUNCTION = words_by_language("function")
_GENERIC = words_by_language("generic")
_ALL_GENERIC = frozenset[str]().union(*_GENERIC.values())
_IGNORED = _ALL_GENERIC.union(*_FUNCTION.values())


_LISTED = {language: words | _GENERIC[language] for language, words in _FUNCTION.items()}
_TIMES = Counter(chain.from_iterable(_LISTED.values()))
_LANGUAGE_OF = {
    word: language
    for language, words in _LISTED.items()
    for word in words - {"status", "quo"}
    if _TIMES[word] == 1
}
"""The listed words that distinguish one language from the others, with that language."""
_UNSPACED = {
    "han": "CJK",
    "katakana": "CJK",
    "hiragana": "CJK",
    "thai": "THAI",
    "hangul": "HANGUL",
}
"""The script of each group of characters that is written without spaces."""


class Word(NamedTuple):
    """One word, or one pair of characters of a script without spaces, and what it is compared
    by.
    """

    form: str
    stem: str
    script: str
    ignored: bool = False
    """True for a function word or a generic word, which is not a content word."""
    language: str | None = None
    """The language that the word distinguishes from the others."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The content words of texts, the script of most of their letters, and the language that their
    listed words show.
    """

    parts: tuple[tuple[Word, ...], ...]
    """The content words of each of the texts, in their order, repeats included."""
    script: str | None
    language: str | None
    """None unless the language has two listed words, and twice as many as every other."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The content words of all texts."""
        return tuple(chain.from_iterable(self.parts))

    @property
    def stems(self) -> frozenset[str]:
        """What the content words are compared by."""
        return frozenset(word.stem for word in self.words)


def wording(*texts: str) -> Wording:
    """The content words of texts, with the script and the language of all of them together.

    >>> [word.form for word in wording("The cost of Überstunden, 旅館の売上").words]
    ['uberstunden', '旅館', '売上']
    """
    letters, listed = Counter[str](), Counter[str]()
    parts = tuple(tuple(_content_words(text, letters, listed)) for text in texts)
    script = _most_frequent(letters)
    language = _most_frequent(listed)
    if language is None or script not in _LISTED_SCRIPTS:
        return Wording(parts, script, None)
    times = listed.pop(language)
    second = max(listed.values(), default=0)
    return Wording(parts, script, language if times >= max(2, 2 * second) else None)


def _content_words(text: str, letters: Counter[str], listed: Counter[str]) -> Iterator[Word]:
    """The content words of a text; its letters are counted by script and its listed words by
    language.
    """
    for token in _TOKEN.finditer(text):
        group = token.lastgroup or ""
        if group == "letters":
            word = spaced_word(token[0])
            letters[word.script] += len(word.form)
            if word.language:
                listed[word.language] += 1
            if not word.ignored:
                yield word
            continue
        script = _UNSPACED[group]
        letters[script] += len(token[0])
        for first, second in pairwise(token[0] if group != "hiragana" else ""):
            form = normalise(first + second)
            yield Word(form, form, script)


def _most_frequent(counts: Counter[str]) -> str | None:
    """The key with the highest count, the first in the alphabet of equal ones; None for none."""
    return max(sorted(counts), key=counts.__getitem__, default=None)


@lru_cache(maxsize=20_000)
def spaced_word(token: str) -> Word:
    """The word that a token of at most 60 letters is."""
    form = normalise(token)
    if not form:
        return Word("", "", "OTHER", ignored=True)
    script = "LATIN"
    if not form[0].isascii():
        script = unicodedata.name(form[0], "OTHER").split()[0]
    inflected = {form[:-1], form[:-2]} if len(form) > 4 else set()
    return Word(
        form,
        stem(form),
        script,
        ignored=len(form) == 1 or form in _IGNORED or not inflected.isdisjoint(_ALL_GENERIC),
        language=_LANGUAGE_OF.get(form),
    )


def stem(form: str) -> str:
    """What a normalised word is compared by: its first letters; of an Arabic word the consonants of
    its core.

    >>> stem("wholesalers"), stem("bikes")
    ('whole', 'bike')
    >>> stem(normalise("والمزارعين")) == stem(normalise("مزارع"))
    True
    """
    if "\u0600" <= form[0] <= "\u06ff":  # Arabic
        core: str = _ARABIC_SUFFIX.sub("", ARABIC_PREFIX.sub("", form))
        consonants: str = core.translate(_LONG_VOWELS)
        return (consonants if len(consonants) >= 3 else core)[:ARABIC_STEM_LETTERS]
    if len(form) > 3 and form.endswith("s") and not form.endswith("ss"):
        form = form[:-1]
    return form[:STEM_LETTERS]
