"""Numbers written as words or with scale words, per language; all words normalised."""

from typing import Final

from num2words import num2words

from stages.score.fidelity.words import normalise

SCALES: Final[dict[str, float]] = {
    "%": 1e-2, "٪": 1e-2, "percent": 1e-2, "per cent": 1e-2, "pct": 1e-2, "prozent": 1e-2, "v.h.": 1e-2, "パーセント": 1e-2, "割": 1e-1,
    "بالميه": 1e-2, "بالمايه": 1e-2, "في الميه": 1e-2, "في المايه": 1e-2, "pour cent": 1e-2, "por ciento": 1e-2,
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "千": 1e3, "الف": 1e3, "الفا": 1e3, "الاف": 1e3,
    "万": 1e4, "萬": 1e4, "lakh": 1e5, "lakhs": 1e5, "lac": 1e5, "crore": 1e7, "crores": 1e7, "百万": 1e6, "千万": 1e7,
    "億": 1e8, "亿": 1e8,
    "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6,
    "مليون": 1e6, "مليونا": 1e6, "ملايين": 1e6, "bn": 1e9, "billion": 1e9, "billions": 1e9, "mrd": 1e9,
    "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9, "مليار": 1e9, "مليارات": 1e9,
}  # fmt: skip
"""What the number before the word is multiplied by."""

FRACTIONS: Final[dict[str, dict[str, float]]] = {
    "en": {"half": 1 / 2, "third": 1 / 3, "thirds": 1 / 3, "quarter": 1 / 4, "quarters": 1 / 4, "fifth": 1 / 5, "fifths": 1 / 5,
           "sixth": 1 / 6, "eighth": 1 / 8, "tenth": 1 / 10, "tenths": 1 / 10},
    "de": {"halb": 1 / 2, "halbe": 1 / 2, "halben": 1 / 2, "halbes": 1 / 2, "halfte": 1 / 2, "drittel": 1 / 3, "viertel": 1 / 4,
           "funftel": 1 / 5, "sechstel": 1 / 6, "achtel": 1 / 8, "zehntel": 1 / 10},
    "fr": {"moitie": 1 / 2, "demi": 1 / 2, "demie": 1 / 2, "tiers": 1 / 3, "quart": 1 / 4, "quarts": 1 / 4},
    "es": {"mitad": 1 / 2, "medio": 1 / 2, "media": 1 / 2, "tercio": 1 / 3, "tercios": 1 / 3, "cuarto": 1 / 4, "cuartos": 1 / 4},
    "ar": {"نصف": 1 / 2, "ثلث": 1 / 3, "ثلثي": 2 / 3, "ثلثين": 2 / 3, "ربع": 1 / 4, "ارباع": 1 / 4},
    "ja": {"半分": 1 / 2, "半数": 1 / 2, "半": 1 / 2},
}  # fmt: skip

_ARABIC: Final[dict[int, str]] = {
    1: "احد احدي", 2: "اثنان اثنين اثنتان اثنتين اثنا اثني", 3: "ثلاث ثلاثه", 4: "اربع اربعه", 5: "خمس خمسه", 6: "ست سته", 7: "سبع سبعه",
    8: "ثمان ثماني ثمانيه", 9: "تسع تسعه", 10: "عشر عشره", 20: "عشرون عشرين", 30: "ثلاثون ثلاثين", 40: "اربعون اربعين",
    50: "خمسون خمسين", 60: "ستون ستين", 70: "سبعون سبعين", 80: "ثمانون ثمانين", 90: "تسعون تسعين", 100: "ميه مايه",
    200: "مييتان مييتين مايتان مايتين ميتان ميتين",
}  # fmt: skip
_ALSO: Final[dict[str, dict[str, int]]] = {
    "en": {"dozen": 12, "hundred": 100, "once": 1, "twice": 2, "first": 1, "second": 2},
    "de": {"dutzend": 12, "hundert": 100, "eine": 1, "einem": 1, "einer": 1, "beide": 2, "beiden": 2},
    "fr": {"douzaine": 12, "deux": 2, "une": 1},
    "es": {"docena": 12, "una": 1, "un": 1, "ciento": 100},
}
_HAN: Final = {"〇": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HAN_POWERS: Final = {"十": 10, "百": 100, "千": 1000}


def _spelt(language: str) -> dict[str, int]:
    """The numbers up to 100 that are one word (or one with hyphens) in a language that num2words writes."""
    words = {normalise(num2words(number, lang=language)): number for number in range(101)}
    return {word: number for word, number in words.items() if " " not in word} | _ALSO.get(language, {})


CARDINALS: Final[dict[str, dict[str, int]]] = {language: _spelt(language) for language in ("en", "de", "fr", "es")} | {
    "ar": {word: number for number, words in _ARABIC.items() for word in words.split()}
    | {
        word + hundred: 100 * number
        for number in range(3, 10)
        for word in _ARABIC[number].split()
        for hundred in _ARABIC[100].split()
    }
}
"""Number words by language."""


def han_number(digits: str) -> int:
    """The number that Han digits write, without 万 and 億.

    >>> han_number("三百二十"), han_number("二〇二七"), han_number("十")
    (320, 2027, 10)
    """
    if not any(digit in _HAN_POWERS for digit in digits):
        return int("".join(str(_HAN[digit]) for digit in digits))
    total = part = 0
    for digit in digits:
        if digit in _HAN_POWERS:
            total += max(part, 1) * _HAN_POWERS[digit]
            part = 0
        else:
            part = _HAN[digit]
    return total + part
