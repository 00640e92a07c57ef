"""The languages that the drafter knows, and how it tells them apart."""

import re

from stages.simulate import little_words
from stages.simulate.language import Language

ENGLISH = Language(
    code="en",
    options_ahead=r"option|proposal|propose|idea|way|forward|consider|decide between|candidate|offer|could be done|alternative|choice",
    staying=r"\b(status quo|stay|remain|as (?:it|we|they|things) (?:is|are)|as (?:we|they) were|carry on|go on|nothing"
    r"|no (?:structural )?change|unchanged|extend the present|do without|leave (?:it|things|everything))\b",
    no_staying=r"not a choice|not acceptable|has left the market|no longer possible|must be replaced|cannot continue|cannot stay",
    aim=r"\b(goal|target|aim|want|wants|objective|should reach|must reach|must cut|resolved that|reach|below|at least|by the end of)\b",
    either=r"\bor\b",
    little=little_words.ENGLISH,
    circumstances=(
        "Moves of rivals within a year",
        "General price level of purchases",
        "New legal requirements",
        "Labour market in the region",
        "Seasonal swings beyond our control",
    ),
    choice="Which way to go on {}",
    staying_label="Status quo: {}",
    other_option="Try {} on a small scale first",
    outcome="Improvement in {}",
    risk="Trouble with {} during the change",
    goal="A lasting improvement of {}",
    summary="The choice turns on how strongly {} responds and on how certain that is.",
    advice=(
        "Measure {} for four weeks before the decision",
        "Ask two others who changed {} what they would do differently",
        "Set out what would make you reverse the choice on {}",
        "Consider a smaller step on {} with a date for review",
    ),
    cause="Something outside the graph moves both at once, such as the general state of {}.",
)

GERMAN = Language(
    code="de",
    options_ahead=r"zur wahl|option|möglichkeit|vorschl|varianten?|alternativen?|ideen",
    staying=r"\b(wie bisher|weiterbetrieb|status quo|unverändert|belassen|nichts (?:tun|ändern)|weiter so)\b",
    no_staying=r"keine wahl|nicht mehr möglich|muss ersetzt werden",
    aim=r"\b(ziel|ziele|soll|sollen|erreichen|wollen|möchten|mindestens|höchstens|beschlossen)\b",
    either=r"\boder\b",
    little=little_words.GERMAN,
    circumstances=(
        "Strompreis am Großmarkt",
        "Künftige gesetzliche Auflagen",
        "Verhalten der Mitbewerber",
        "Zinsniveau",
    ),
    choice="Welcher Weg bei {}",
    staying_label="Status quo: {}",
    other_option="{} zunächst in kleinem Umfang erproben",
    outcome="Verbesserung bei {}",
    risk="Schwierigkeiten mit {} in der Umstellung",
    goal="Dauerhafte Verbesserung bei {}",
    summary="Die Wahl hängt daran, wie stark {} reagiert und wie sicher das ist.",
    advice=(
        "{} vor der Entscheidung vier Wochen lang messen",
        "Zwei andere fragen, die {} geändert haben",
        "Festlegen, was bei {} zur Umkehr führen würde",
    ),
    cause="Etwas außerhalb des Graphen bewegt beide zugleich, etwa die allgemeine Lage bei {}.",
)

JAPANESE = Language(
    code="ja",
    options_ahead=r"案|選択肢|検討|候補",
    staying=r"現状|このまま|続ける|維持|変えない",
    no_staying=r"続けられない|継続できない",
    aim=r"目標|目指|したい|達成",
    either=r"または|あるいは|それとも",
    little=little_words.JAPANESE,
    circumstances=("為替相場の変動", "最低賃金の引き上げ", "競合の動き", "天候の影響"),
    choice="{}をどう進めるか",
    staying_label="Status quo: {}",
    other_option="{}を小さく試す",
    outcome="{}の改善",
    risk="{}をめぐる混乱",
    goal="{}を持続的に良くする",
    summary="{}がどれだけ動くか、その確かさはどの程度かが分かれ目になる。",
    advice=("決める前に{}を四週間測る", "{}を変えた他社二社に聞く", "{}について引き返す条件を決めておく"),
    cause="{}の全体的な状況のように、図の外のものが両方を動かす。",
)

ARABIC = Language(
    code="ar",
    options_ahead=r"خيارات|خيار|بدائل|أمامنا|مقترح",
    staying=r"نستمر|كما نحن|كما هو|الوضع الحالي|دون تغيير",
    no_staying=r"لا يمكن الاستمرار",
    aim=r"هدف|نريد|يهمنا|الوصول إلى",
    either=r"أو",
    little=little_words.ARABIC,
    circumstances=("أسعار الكهرباء", "تقلب أسعار السوق", "تحركات المنافسين", "أحوال الطقس"),
    choice="أي طريق نسلك في {}",
    staying_label="Status quo: {}",
    other_option="تجربة {} على نطاق صغير",
    outcome="تحسن {}",
    risk="اضطراب {} أثناء التغيير",
    goal="تحسن دائم في {}",
    summary="يتوقف الاختيار على مدى استجابة {} وعلى درجة اليقين في ذلك.",
    advice=("قياس {} أربعة أسابيع قبل القرار", "سؤال جهتين غيرتا {} عن تجربتهما", "تحديد ما يدعو إلى التراجع في {}"),
    cause="شيء خارج الرسم يحرك الاثنين معا، مثل الحالة العامة في {}.",
)

_KANA = re.compile(r"[\u3041-\u30ff]")
_ARABIC = re.compile(r"[\u0621-\u064a]")
_GERMAN = re.compile(r"\b(?:und|der|die|das|nicht|wir|für|ist|ein|eine)\b|[äöüß]", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:and|the|of|we|for|is|not|our|to|in)\b", re.IGNORECASE)


def language_of(text: str) -> Language:
    """The language that a text is most likely written in; English where it is none of those known here."""
    sample = text[:4000]
    if _KANA.search(sample):
        return JAPANESE
    if len(_ARABIC.findall(sample)) * 2 > len(sample.replace(" ", "")) // 2:
        return ARABIC
    return GERMAN if len(_GERMAN.findall(sample)) > len(_ENGLISH.findall(sample)) else ENGLISH
