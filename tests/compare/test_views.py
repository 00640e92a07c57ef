"""The comparison in the terminal, in Markdown, on the page and as JSON."""

import io
import json
import re
from collections.abc import Callable
from typing import TypeAlias

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.outlook import Outlook
from stages.compare.pages import comparison_page
from stages.compare.views import document, junit_xml, markdown, terminal
from stages.compare.wording import what_would_settle
from stages.contracts.run import PromptRef, RecordedCounts
from stages.shell import numbers
from tests.compare.cards import (
    BASE,
    BETTER,
    PARAMS,
    card,
    cards,
    compared,
    manifest,
    side,
)
from tests.report.page import Read

View: TypeAlias = Callable[[Comparison | Unmeasured], str]
HOSTILE = "</td><script>alert(1)</script>`|\n[x](javascript:y) [red]@team"


def shown(result: Comparison | Unmeasured) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=100, highlight=False)
    for part in terminal(result, 100):
        console.print(part)
    return stream.getvalue()


def page(result: Comparison | Unmeasured, site: str = "") -> str:
    return comparison_page(result, site=site).decode()


FORMS = {"terminal": shown, "Markdown": markdown, "page": page}
in_every_form = pytest.mark.parametrize("view", FORMS.values(), ids=FORMS)


def better() -> Comparison:
    return compared(cards(BASE), side([*cards(BETTER), card(brief="new")], "v21"))


def two_models() -> Comparison:
    base, head = (
        [each for model in "mn" for each in cards(scores, model=model)] for scores in (BASE, BETTER)
    )
    return compared(base, head)


def hostile() -> Comparison:
    base = [
        card(score, brief=f"{HOSTILE}{index}", model=HOSTILE) for index, score in enumerate(BASE)
    ]
    head = [card(brief=each.brief_id, model=HOSTILE, codes=(HOSTILE,)) for each in base]
    return compared(side(base, HOSTILE), side(head, HOSTILE))


@in_every_form
def test_the_verdict_comes_first_with_the_difference_and_its_evidence(view: View) -> None:
    text = re.sub(
        r"<style>.*?</style>|<title>.*?</title>|\s+", " ", view(better()), flags=re.DOTALL
    ).lower()
    assert text.index("better") < text.index("+0.363")
    assert "over 10 briefs" in text
    if view is not shown:
        assert text.index("prompt on both sides: ") < text.index("+0.363")


@in_every_form
def test_a_comparison_that_could_not_be_made_says_why(view: View) -> None:
    text = view(
        Unmeasured(baseline="main", candidate="workspace", reasons=("main has no results",))
    )
    assert "could not measure" in text.lower()
    assert "main has no results" in text


@in_every_form
def test_scores_that_only_git_keeps_are_called_unverified_in_the_headline(view: View) -> None:
    head = side(cards(BETTER), "v21", recorded=True)
    text = " ".join(view(compared(cards(BASE), head)).split())
    assert "reported by the branch, not verified" in text[: text.index("of the baseline")]


@in_every_form
def test_where_no_brief_is_shared_both_sides_have_their_figures_and_there_is_no_verdict(
    view: View,
) -> None:
    traffic = [card(0.9, brief=f"log-{index}") for index in range(8)]
    text = " ".join(view(compared(cards(BASE), side(traffic, "v21"))).split())
    assert "could not measure" in text.lower()
    assert "main: expected score 0.360 (95% interval" in text
    assert "v21: expected score 0.900 (95% interval" in text
    assert "The inputs differ: no brief has an answer of one model on both sides" in text


def test_answers_of_a_recorded_model_are_named_with_their_own_prompt() -> None:
    counts = RecordedCounts(
        answers_sha256="0" * 64,
        prompt="prompts/live.txt",
        answers=10,
        not_recorded=0,
        left_out=0,
        without_answer=0,
    )
    run = manifest(recorded={"logged": counts})
    called = side(cards(BASE), "called", run=run, model="called")
    logged = side(cards(BETTER), "logged", run=run, model="logged")
    prompts = [called.prompt, logged.prompt]
    text = markdown(compared(called, logged))
    assert prompts == ["prompts/v20.txt", "prompts/live.txt"]
    assert "Prompt: prompts/v20.txt of the baseline, prompts/live.txt of the candidate" in text


def test_markdown_names_the_prompts_and_aligns_numbers_to_the_right() -> None:
    head = side(cards(BETTER), run=manifest(prompt=PromptRef(path="prompts/v21.txt", sha256="b")))
    text = markdown(compared(cards(BASE), head))
    assert (
        text.count("Prompt: prompts/v20.txt of the baseline, prompts/v21.txt of the candidate") == 1
    )
    assert "Inputs that changed" not in text
    rule = next(line for line in text.splitlines() if line.startswith("|:"))
    assert [cell.endswith(":") for cell in rule.strip("|").split("|")] == [False] * 2 + [True] * 5


@in_every_form
def test_ten_cells_that_moved_are_shown_and_the_rest_is_counted(view: View) -> None:
    text = view(compared(cards([0.3] * 14), side(cards([0.5] * 14), "v21")))
    assert "results/summary.md" not in text
    first, _ = re.split(r"\b4 more", text, maxsplit=1)
    assert ("b10" in first, "b11" in first) == (True, False)


@in_every_form
def test_the_models_are_listed_by_what_an_answer_costs(view: View) -> None:
    prices = {"dear": 0.04, "free": None, "cheap": 0.001}
    base, head = (
        [
            each
            for model, price in prices.items()
            for each in cards(scores, model=model, est_cost_usd=price)
        ]
        for scores in (BASE, BETTER)
    )
    text = view(compared(base, head)).partition("all models")[2]
    places = [text.index(price) for price in ("$0.00100", "$0.0400")]
    assert places == sorted(places)


def test_markdown_puts_the_insert_between_the_verdict_and_what_moved() -> None:
    text = markdown(better(), insert="| Path | Metric |")
    assert text.index("Better") < text.index("| Path | Metric |") < text.index("What moved")


@in_every_form
def test_a_models_interval_is_in_its_row_and_a_dash_where_nothing_changed(view: View) -> None:
    result = better()
    test = result.overall.judgement.difference
    assert view(result).count(numbers.difference_interval(test.low, test.high)) >= 2
    assert numbers.MISSING in view(compared(cards(BASE), cards(BASE, model="n")))


def test_json_holds_the_unrounded_numbers_of_both_sides_and_the_settings() -> None:
    found = json.loads(document(better()))
    assert found["verdict"] == "better"
    test = found["overall"]["judgement"]["difference"]
    assert test["value"] == pytest.approx(0.363, abs=1e-12)
    assert test["low"] > 0
    settings = {"min_difference": 0.02, "confidence": 0.95, "planned_looks": 1}
    assert found["settings"] == settings
    assert found["only_candidate"] == [["m", "new"]]
    of_side = "name revision date run_id prompt rescored recorded model"
    assert set(found["baseline"]) == set(found["candidate"]) == set(of_side.split())
    figures = found["overall"]["figures"]
    assert set(figures) == {"baseline", "candidate", "cost_ratio", "latency_ratio"}
    assert figures["candidate"]["expected"]["value"] == pytest.approx(0.723)


@pytest.mark.parametrize(
    "view", [*FORMS.values(), document, junit_xml], ids=[*FORMS, "JSON", "JUnit"]
)
def test_equal_comparisons_give_equal_bytes(
    view: Callable[[Comparison | Unmeasured], str | bytes],
) -> None:
    assert view(better()) == view(better())


def test_nothing_in_a_name_is_markup() -> None:
    text = markdown(hostile())
    parsed = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    tokens = [inner for token in parsed for inner in (token, *(token.children or ()))]
    assert not [token for token in tokens if token.type in ("link_open", "image")]
    html = {
        token.content.strip() for token in tokens if token.type in ("html_block", "html_inline")
    }
    assert not [
        each
        for each in html
        if not re.fullmatch(r"</?details>\s*(<summary>[^<]*</summary>)?", each)
    ]
    assert "@team" not in re.sub(r"`[^`\n]*`", "", text)
    rows = [
        line.replace("\\|", "")
        for line in text.splitlines()
        if line.startswith("|") and "script" in line
    ]
    assert {line.count("|") for line in rows} == {8, 6}
    assert "<script>alert" not in page(hostile())
    assert "[red]" in shown(hostile())


@in_every_form
def test_nothing_in_a_name_is_hidden_or_reaches_the_terminal_as_a_command(view: View) -> None:
    name = "\x1b]0;owned\x07\x1b[31mred\u202egnp\r\x9b2J"
    base = [card(score, brief=f"{name}{index}", model=name) for index, score in enumerate(BASE)]
    head = [card(brief=each.brief_id, model=name, codes=(name,)) for each in base]
    found = compared(
        side(base, name), side(head, name, run=manifest(run_id=name, briefs={"b01": "2"}))
    )
    assert not set(view(found)) & set("\x1b\x07\u202e\r\x9b")


def test_the_page_loads_nothing_from_elsewhere_and_links_to_nothing_without_a_site() -> None:
    markup = page(better())
    read = Read(markup)
    assert not re.search(r"\ssrc\s*=|url\((?!#)|@import|https?:(?!//www.w3.org)", markup)
    assert {link.get("href") for link in read.all("a")} <= {"#main"}


def test_the_page_draws_every_model_and_all_together_and_labels_what_is_too_small_to_matter() -> (
    None
):
    markup = page(two_models())
    read = Read(markup)
    (chart,) = [svg for svg in read.all("svg") if svg.get("role") == "img"]
    assert "Differences of the expected score" in str(chart.get("aria-label"))
    drawn = markup[markup.index("<svg") : markup.index("</svg>")]
    for label in (
        ">all models<",
        ">m<",
        ">n<",
        "too small to matter: ±0.02",
        "+0.363",
    ):
        assert label in drawn
    assert drawn.count('stroke-width="5"') == 3


@in_every_form
def test_one_model_has_one_row_and_several_one_for_all(view: View) -> None:
    assert "all models" not in view(better())
    assert "all models" in view(two_models())


def test_what_moved_links_to_the_pages_of_the_heads_site() -> None:
    head = side(cards(BETTER), "workspace", revision=None)
    text = page(compared(cards(BASE), head), site="../site")
    assert 'href="../site/cell/m/b04-1.html"' in text
    assert 'href="../site/brief/b04.html"' in text
    assert 'href="site/' not in page(better(), site="site"), "the site is of the working tree"


def test_what_would_settle_it_is_briefs_or_samples_with_their_price() -> None:
    found = Outlook(
        target=0.02, briefs=40, briefs_usd=1.2, samples=6, samples_usd=0.5, sampling_known=True
    )
    assert what_would_settle(found, 10) == (
        "What would change this: a difference of 0.020 is found, four times in five, with about "
        "40 briefs (30 more, about $1.20); or with 6 samples per cell (about $0.500)."
    )


@in_every_form
def test_what_is_beside_the_verdict_decides_nothing_and_has_a_fixed_order(view: View) -> None:
    text = " ".join(view(better()).split())
    _, _, beside = text.partition("Beside the verdict, deciding nothing")
    places = [beside.index(name) for name in ("Quality, ", "Failures, ", "Content, ", "Briefs: ")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("looks", "shown_as"),
    [(1, "at 95% confidence;"), (2, "at 97.5% confidence (95% shared by 2 planned looks)")],
)
def test_planned_looks_are_stated_with_the_level_that_they_leave(looks: int, shown_as: str) -> None:
    params = PARAMS.model_copy(update={"planned_looks": looks})
    assert shown_as in " ".join(shown(compared(cards(BASE), cards(BETTER), params)).split())


def test_cells_of_one_side_and_cells_without_an_answer_are_reported() -> None:
    head = [*cards(BETTER), card(None, brief="b01", sample=2), card(brief="new")]
    text = shown(compared(cards(BASE), side(head, "v21")))
    assert "Only in v21: m / new." in text
    assert "1 cell of v21 without an answer: left out, not counted as 0." in text


@in_every_form
def test_cost_and_latency_are_explained_as_the_table_shows_them(view: View) -> None:
    text = " ".join(view(better()).split())
    assert "per answer, with candidate over baseline in brackets; latency is candidate over" in text
