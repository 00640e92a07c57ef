"""Words of a text in a form that can be compared: across case, accents, width, Arabic spelling and inflection.

Scripts that do not put spaces between words (Han, Katakana, Thai) and Hangul are compared as pairs of neighbouring
characters. Hiragana mostly writes endings and particles and is left out.
"""

import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from itertools import chain, pairwise
from typing import Any, Final

import regex

WORDS: Final[dict[str, Any]] = tomllib.loads(
    files("stages.score.fidelity").joinpath("words.toml").read_text(encoding="utf-8")
)
"""The content of `words.toml`."""
WORD_LISTS: Final = {
    name: {language: " ".join(text.split()) for language, text in WORDS[name].items()}
    for name in ("function", "generic", "common")
}
"""For each kind of words that say little about a subject, the words of each language."""

STEM_LETTERS: Final = 5
"""Words that share so many first letters count as the same word."""
ARABIC_STEM_LETTERS: Final = 4
SHORT_LETTERS: Final = 4
"""A word of so many letters is the same as one that adds up to three."""
COMPOUND_LETTERS: Final = 6
"""A word occurs inside a compound if so many of its first letters do: "Imkerei" in "Nebenerwerbsimkerei"."""
SCRIPTS_OF_LISTED_LANGUAGES: Final = frozenset({"LATIN", "ARABIC"})
"""Scripts in which a text of a few labels has words that show its language."""

_TOKEN: Final = regex.compile(
    r"(?P<han>[\p{Han}々〆]+)|(?P<katakana>[\p{Katakana}ー]+)|(?P<hiragana>\p{Hiragana}+)"
    r"|(?P<thai>\p{Thai}[\p{Thai}\p{M}]*)|(?P<hangul>\p{Hangul}+)"
    r"|(?P<letters>(?:(?![\p{Han}\p{Katakana}\p{Hiragana}\p{Thai}\p{Hangul}])[\p{L}\p{M}\u0640]){1,60})"
)
_UNIFIED: Final = str.maketrans({"ى": "ي", "ة": "ه", "ٱ": "ا", "ـ": None, "ک": "ك", "ی": "ي"})
_ARABIC_PREFIX: Final = regex.compile(r"^(?:وال|بال|كال|فال|لل|ال|و|ب|ل)(?=.{3})")
_ARABIC_SUFFIX: Final = regex.compile(r"(?<=.{3})(?:يه|ات|ون|ين|ان|ها|هم|نا|ه|ي|ا)$")
_LONG_VOWELS: Final = str.maketrans("", "", "اوي")
_MARKS: Final = regex.compile(r"[\p{M}--[\u3099\u309A]]+", regex.V1)
"""Combining marks but the Japanese voicing marks."""


def normalise(text: str) -> str:
    """The text in compatibility form and without case, combining marks or variants of Arabic letters.

    The Japanese voicing marks stay: without them other words would result.

    >>> normalise("Größe ＡＢＣ ガ أُسْرة")
    'grosse abc ガ اسره'
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept: str = _MARKS.sub("", decomposed).translate(_UNIFIED)
    return unicodedata.normalize("NFC", kept).casefold()


_NORMAL: Final = {
    name: {language: frozenset(normalise(text).split()) for language, text in lists.items()}
    for name, lists in WORD_LISTS.items()
}
_GENERIC: Final = frozenset[str]().union(*_NORMAL["generic"].values())
_IGNORED: Final = _GENERIC.union(*_NORMAL["function"].values())
_COMMON: Final = frozenset[str]().union(*_NORMAL["common"].values())
_COMMON_PAIRS: Final = frozenset(
    one + other for word in _NORMAL["common"]["ja"] for one, other in pairwise(word)
)
_GENERIC_UNSPACED: Final = regex.compile(
    "|".join(sorted(_NORMAL["generic"]["ja"], key=lambda word: (-len(word), word)))
)
_LISTED: Final = {
    language: words | _NORMAL["generic"][language]
    for language, words in _NORMAL["function"].items()
}
_TIMES_LISTED: Final = Counter(chain.from_iterable(_LISTED.values()))
_LANGUAGE_OF: Final = {
    word: language
    for language, words in _LISTED.items()
    for word in words - {"status", "quo"}
    if _TIMES_LISTED[word] == 1
}
"""The listed words that distinguish one language from the others."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word, or one pair of characters of a script without spaces: what it is compared by, and its offsets in its text."""

    form: str
    stem: str
    script: str
    common: bool
    """True for a word of management, which many briefs share."""
    ignored: bool = False
    """True for a function word or a generic word, which is no content word."""
    language: str | None = None
    """The language that the word distinguishes from the others."""
    start: int = 0
    end: int = 0

    @property
    def unspaced(self) -> bool:
        """True for a pair of characters of a script that is written without spaces."""
        return self.script in _UNSPACED.values()


@dataclass(frozen=True, slots=True)
class Wording:
    """The content words of texts, the script of most of their letters, and the language that their listed words show."""

    parts: tuple[tuple[Word, ...], ...]
    """The content words of each of the texts, in their order, repeats included."""
    script: str | None
    language: str | None
    """None unless the language has two listed words, and twice as many as every other."""
    listed_share: float
    """The share of the listed words of this language in all words between spaces."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The content words of all texts."""
        return tuple(chain.from_iterable(self.parts))


def wording(*texts: str) -> Wording:
    """The content words of texts, with the script and the language of all of them together.

    >>> [word.form for word in wording("The cost of Überstunden, 旅館の売上").words]
    ['uberstunden', '旅館']
    """
    parts: list[tuple[Word, ...]] = []
    letters, listed = Counter[str](), Counter[str]()
    spaced = 0
    for text in texts:
        words: list[Word] = []
        for token in _TOKEN.finditer(text):
            start, end = token.span()
            if token.lastgroup != "letters":
                unspaced = _UNSPACED[token.lastgroup or ""]
                letters[unspaced] += end - start
                if token.lastgroup != "hiragana":
                    words += _pairs(token[0], unspaced, start)
                continue
            word = spaced_word(token[0])
            spaced += 1
            letters[word.script] += len(word.form)
            if word.language:
                listed[word.language] += 1
            if not word.ignored:
                words.append(replace(word, start=start, end=end))
        parts.append(tuple(words))
    script = max(sorted(letters), key=letters.__getitem__, default=None)
    language = max(sorted(listed), key=listed.__getitem__, default=None)
    least = max(
        2, 2 * max((count for other, count in listed.items() if other != language), default=0)
    )
    if language is None or script not in SCRIPTS_OF_LISTED_LANGUAGES or listed[language] < least:
        return Wording(tuple(parts), script, None, 0.0)
    return Wording(tuple(parts), script, language, listed[language] / spaced)


_UNSPACED: Final = {
    "han": "CJK",
    "katakana": "CJK",
    "hiragana": "CJK",
    "thai": "THAI",
    "hangul": "HANGUL",
}
"""The script of each group of characters that is written without spaces."""


@lru_cache(maxsize=20_000)
def spaced_word(token: str) -> Word:
    """The word that a token of at most 60 letters is, wherever it is."""
    form = normalise(token)
    if not form:
        return Word("", "", "OTHER", common=False, ignored=True)
    script = "LATIN" if form[0].isascii() else unicodedata.name(form[0], "OTHER").split()[0]
    ignored = len(form) == 1 or form in _IGNORED or _is_form_of(_GENERIC, form)
    return Word(
        form, stem(form), script, _is_form_of(_COMMON, form), ignored, _LANGUAGE_OF.get(form)
    )


def _is_form_of(words: frozenset[str], form: str) -> bool:
    """True for one of the words, also with one or two letters of inflection or behind an Arabic article or particle."""
    if form in words or (len(form) > 4 and (form[:-1] in words or form[:-2] in words)):
        return True
    return "\u0600" <= form[0] <= "\u06ff" and _ARABIC_PREFIX.sub("", form) in words


def stem(form: str) -> str:
    """What a normalised word is compared by: its first letters; of an Arabic word the consonants of its core.

    >>> stem("wholesalers"), stem("bikes"), stem(normalise("والمزارعين")) == stem(normalise("مزارع"))
    ('whole', 'bike', True)
    """
    if "\u0600" <= form[0] <= "\u06ff":
        core: str = _ARABIC_SUFFIX.sub("", _ARABIC_PREFIX.sub("", form))
        consonants: str = core.translate(_LONG_VOWELS)
        return (consonants if len(consonants) >= 3 else core)[:ARABIC_STEM_LETTERS]
    if len(form) > 3 and form.endswith("s") and not form.endswith("ss"):
        form = form[:-1]
    return form[:STEM_LETTERS]


def _pairs(run: str, script: str, start: int) -> Iterator[Word]:
    begin = 0
    for generic in (*_GENERIC_UNSPACED.finditer(run), None):
        end = generic.start() if generic else len(run)
        for index in range(begin, end - 1):
            form = normalise(run[index : index + 2])
            place = start + index
            yield Word(form, form, script, form in _COMMON_PAIRS, start=place, end=place + 2)
        begin = generic.end() if generic else end


def _is_short(word: Word) -> bool:
    return SHORT_LETTERS <= len(word.form) <= SHORT_LETTERS + 3 and not word.unspaced


class Vocabulary:
    """The words of a text by form, by stem and by beginning, each with its first place."""

    def __init__(self, words: Sequence[Word]) -> None:
        backwards = words[::-1]
        self.forms = {word.form: word for word in backwards}
        self.stems = {word.stem: word for word in backwards}
        # words of four to seven letters by the first four, for "rent", "rented" and "rental"
        self._short = {word.form[:SHORT_LETTERS]: word for word in backwards if _is_short(word)}
        # words that are long enough to be recognised inside a compound
        long = (word for word in backwards if len(word.form) >= COMPOUND_LETTERS)
        self._beginnings = {word.form[:COMPOUND_LETTERS]: word for word in long}

    def find(self, word: Word) -> Word | None:
        """The word of the text that this word is a form of, or that is a part of it; None if there is none."""
        found = self.forms.get(word.form) or self.stems.get(word.stem)
        if found or word.unspaced:
            return found
        short = self._short.get(word.form[:SHORT_LETTERS]) if _is_short(word) else None
        if short and SHORT_LETTERS in (len(short.form), len(word.form)):
            return short
        for index in range(2, len(word.form) - COMPOUND_LETTERS + 1):
            if part := self._beginnings.get(word.form[index : index + COMPOUND_LETTERS]):
                return part
        return None
