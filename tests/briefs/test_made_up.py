"""Made-up briefs: names that mean nothing, sentences with one sign, and a text that says what its
front-matter and its graph say.
"""

import hashlib
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from generators.made_up import true_graph
from graph_evaluator.briefs.__main__ import main
from graph_evaluator.briefs.made_up import (
    LANGUAGES,
    MADE_UP,
    InventedDecision,
    made_up_text,
)
from graph_evaluator.language.words import spaced_word
from graph_evaluator.records.brief import COMPLEXITIES, parse_brief
from graph_evaluator.records.errors import InputError
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_prompt
from tests.builders.cases import cases

NAMES = [*MADE_UP["names"].split(), *MADE_UP["offers"].lower().split()]
NODES = {1: (11, 12), 2: (11, 12), 3: (13, 16)}
each_language = pytest.mark.parametrize("language", LANGUAGES)


def phrases(language, kind):
    """All phrases of a kind, of every level."""
    found = MADE_UP[language][kind]
    levels = found.values() if isinstance(found, dict) else [found]
    return [phrase for level in levels for phrase in level]


@cases(
    "language, level, digest",
    {
        "en 1": ("en", 1, "cb2e625959c73102"),
        "en 2": ("en", 2, "e958820d0e1d22ab"),
        "en 3": ("en", 3, "cde4bc492304468f"),
        "de 1": ("de", 1, "649ea64d044759eb"),
        "de 2": ("de", 2, "2c0149f37a1500ad"),
        "de 3": ("de", 3, "446955ad66767c72"),
    },
)
def test_a_seed_gives_the_same_bytes_for_ever(language, level, digest):
    text = made_up_text(InventedDecision(7, 1, level, language))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from((1, 2, 3)), st.sampled_from(LANGUAGES))
def test_the_graph_of_a_brief_is_usable_and_all_that_it_states(seed, level, language):
    decision = InventedDecision(seed, 1, level, language)
    brief = parse_brief(decision.id, made_up_text(decision), decision.id)
    prompt = load_prompt("prompts/draft_graph_v20.txt")
    card = Scorer(ScoringRules(), [brief], prompt).score_graph(true_graph(decision), brief.id)
    assert (card.violations, card.warnings, card.noticed_checks) == ((), (), ())
    assert (card.content, card.invented, card.right_choice) == (1.0, (), True)
    least, most = NODES[level]
    assert least <= (card.node_count or 0) <= most
    assert (card.overall_score or 0) >= (0.95 if level == 3 else 0.97)
    stated = brief.expectations
    assert stated.complexity == COMPLEXITIES[level - 1]
    assert bool(stated.excluded) is (level == 3)
    denied = [effect for effect in stated.effects if effect.verb == "does not affect"]
    assert bool(denied) is (level > 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from((1, 2, 3)), st.sampled_from(LANGUAGES))
def test_a_text_has_every_stated_effect_in_a_sentence_or_two_and_no_gap(seed, level, language):
    decision = InventedDecision(seed, 1, level, language)
    text = decision.tell()
    assert not re.search(r"[][{}<>|]|  |\.\.|None", text)
    for paragraph in text.split("\n\n"):
        assert re.match(r"[A-ZÄÖÜ].*[.?]$", paragraph)
    sentences = re.split(r"(?<=[.?]) ", text.replace("\n\n", " "))
    nearby = [f"{one} {other}".casefold() for one, other in pairwise(sentences)]
    for effect in decision.effects:
        names = [decision.shown(name).casefold() for name in (effect.cause, effect.target)]
        assert any(all(name in place for name in names) for place in nearby), effect


def test_names_differ_in_four_letters_and_are_no_words():
    assert len({name[:4] for name in NAMES}) == len(NAMES)
    words = Path("tests/briefs/words.txt").read_text().split()
    near = [
        (name, word)
        for name in NAMES
        for word in words
        if name in word or Levenshtein.distance(name, word, score_cutoff=1) <= 1
    ]
    assert near == []
    assert [name for name in NAMES if spaced_word(name).ignored] == []


@each_language
def test_every_way_to_state_an_effect_has_both_ends_and_two_signs(language):
    effects = phrases(language, "effects")
    assert len(set(effects)) >= 40
    ends = {"effects": "AB", "options": "AB", "denials": "AB", "option_denials": "AB"}
    ends |= {"double": "ABC", "chain": "ABC", "common_cause": "ABC"}
    for kind, slots in ends.items():
        for phrase in phrases(language, kind):
            raises, lowers = (re.sub(r"\[(.*?)\|(.*?)\]", sign, phrase) for sign in (r"\1", r"\2"))
            for sentence in (raises, lowers):
                assert set(re.findall(r"{([A-Z])}", sentence)) == set(slots), phrase
            is_signed = kind in ("effects", "options", "double", "chain", "common_cause")
            assert not is_signed or raises != lowers, phrase
            assert ("<" in phrase) is (kind in ("double", "chain")), phrase


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "briefs").mkdir()
    return tmp_path / "briefs"


def test_invent_writes_the_briefs_of_a_seed_and_leaves_other_texts_alone(folder):
    main(["invent", "--seed", "7", "--count", "2"])
    written = {file.name: file.read_text() for file in folder.iterdir()}
    assert written == {
        f"made-up-7-0{number}.md": made_up_text(InventedDecision(7, number, 2, "en"))
        for number in (1, 2)
    }
    main(["invent", "--seed", "7", "--count", "2"])
    with pytest.raises(InputError, match=r"made-up-7-02.md: exists with another text"):
        main(["invent", "--seed", "7", "--count", "3", "--language", "de"])
    assert {file.name: file.read_text() for file in folder.iterdir()} == written


@cases(
    "arguments, said",
    {
        "no brief": (["invent", "--seed", "1", "--count", "0"], "--count: must be from 1 to 99"),
        "a negative seed": (["invent", "--seed", "-1", "--count", "1"], "--seed: must be from 0"),
        "a path": (["new", "../x"], "ID: must be letters, digits"),
        "a brief that exists": (["new", "there"], "there.md: exists with another text"),
    },
)
def test_what_cannot_be_written_is_one_message(folder, arguments, said):
    (folder / "there.md").write_text("Mine.")
    with pytest.raises(InputError) as raised:
        main(arguments)
    assert said in str(raised.value)
    assert [file.name for file in folder.iterdir()] == ["there.md"]


def test_a_new_brief_is_read_once_its_text_is_written(folder):
    main(["new", "mine"])
    text = (folder / "mine.md").read_text()
    with pytest.raises(InputError, match="body: is empty"):
        parse_brief("mine", text, "mine")
    filled = re.sub(r"(?m)^# (?=[a-z_]+:|  )", "", text) + "Stay or go?\n"
    stated = parse_brief("mine", filled, "mine").expectations
    assert (len(stated.effects), stated.best, stated.excluded) == (
        3,
        "first option",
        ("second option",),
    )
