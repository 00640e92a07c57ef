import json
import posixpath
import re
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from graph_evaluator.present.page import Frame, UnsafeId, cell_page
from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.codes import meaning_of
from graph_evaluator.records.graph import read as read_graph
from graph_evaluator.records.response import Cell
from graph_evaluator.records.scorecard import CheckResult, EdgeRef, EffectResult, Finding
from graph_evaluator.report.drawing.sketch import draw_graph
from graph_evaluator.report.site.cell import DrawnParts, ReadAnswer, cell_file
from graph_evaluator.report.site.pages import overview_file, site_files
from tests.approval import check_approved
from tests.builders.cases import cases
from tests.builders.graphs import CHAIN, LINKS, node
from tests.builders.responses import response
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
    sub_score,
    unanswered,
    unusable,
)
from tests.report.hostile import HOSTILE
from tests.report.page import Read, rows_of_table
from tests.report.rich_run import rich_run

CARDS = (
    card("a", "b1", 0.9, sub_scores={"param_quality": (sub_score("strength_diversity", 0.75),)}),
    invalid("a", "b2", "CYCLE_DETECTED"),
    card("b", "b1", 0.4),
    unanswered("rate_limited", "b", "b2", failure_code="rate_limit_exceeded"),
    unusable("truncated", "c.1", "b1"),
    card("c.1", "b2", 0.2, simulated=True),
)
FRAME = Frame("run", "prompt", "1")
STATED = {
    "concepts": {"costs": ["Costs"]},
    "effects": ["costs lowers goal"],
    "options": [["Stay"], ["Go", "Leave"]],
}
BRIEF = Brief(
    id="b1",
    expectations=Expectations.model_validate(STATED),
    body="Stay or <b>go</b>?",
    sha256="0" * 64,
)


def answer(one, **fields):
    graph = {"nodes": CHAIN, "edges": LINKS} if one.status == "success" else None
    given = {"raw_text": "{}", "parsed_graph": graph, "request": {"temperature": 0.0}}
    return response(one.cell, status=one.status, **(given | fields))


def pages(*cards):
    stored = {one.cell: (one, answer(one)) for one in cards}
    return dict(site_files(findings(*cards), {"b1": BRIEF}, stored.__getitem__, "Draft <b>."))


def overview(*cards, **fields):
    return overview_file(FRAME, findings(*cards, **fields))[1]


def cell_of(one, **fields):
    return cell_file(FRAME, ReadAnswer(one.model_id.upper(), one, answer(one, **fields)))[1]


@pytest.fixture(name="built", scope="module")
def _built():
    return pages(*CARDS)


def read(content):
    return Read(content.decode())


def html_of(files):
    return {path: read(content) for path, content in files.items() if path.endswith(".html")}


def test_there_is_a_page_for_the_overview_and_every_model_brief_and_cell(built):
    pages = {cell_page(one.cell) for one in CARDS}
    pages |= {f"model/{one.model_id}.html" for one in CARDS}
    pages |= {f"brief/{one.brief_id}.html" for one in CARDS}
    assert set(html_of(built)) == pages | {
        "index.html",
        "cells.html",
        "glossary.html",
        "prompt.html",
    }


def test_the_policy_allows_the_files_of_the_site_and_nothing_else(built):
    for path, page in html_of(built).items():
        policies = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
        assert policies == [
            "default-src 'none'; style-src 'self' file:; script-src 'self' file:; "
            "frame-src 'self' file:; base-uri 'none'; form-action 'none'"
        ]
        up = "../" * path.count("/")
        assert [link["href"] for link in page.all("link")] == [f"{up}site.css"]
        scripts = {f"{up}{name}" for name in ("prompt.js", *built)}
        assert {script["src"] for script in page.all("script")} <= scripts
        assert page.inline == {"script": [], "style": []}
        assert not [1 for _, attributes in page.elements if "style" in attributes]


def test_every_link_leads_to_a_page_of_the_site(built):
    for name, page in html_of(built).items():
        ids = {attributes.get("id") for _, attributes in page.elements}
        for link in page.all("a"):
            target = urlsplit(link["href"])
            path = posixpath.join(posixpath.dirname(name), unquote(target.path))
            assert not target.scheme + target.netloc
            assert posixpath.normpath(path) in built if target.path else target.fragment in ids


DEFAULT = (EdgeRef(index=2, source="f", target="r"),)


def test_the_prompt_of_the_run_is_a_page(built):
    assert (
        "the instructions that every model gets with every brief. Draft <b>."
        in read(built["prompt.html"]).text
    )


def test_what_is_wrong_links_to_the_nodes_and_edges_that_it_names_and_costs_form():
    check = CheckResult(
        name="grounding", outcome="fail", message="2 of 12 words are in the brief.", labels=("R", "gone"),
    )  # fmt: skip
    passed = CheckResult(name="direction", outcome="pass", message="All 3 signs agree.")
    marks = {
        "param_quality": (sub_score("range_discipline", 0.5, nodes=("f",)), sub_score("std_variation", 1.0)),
        "completeness": (sub_score("default_takeover", 0.2, edges=DEFAULT),),
    }  # fmt: skip
    one = card(
        "a", "b1", 0.9, usable=False, expected_score=0.0, fidelity=(check, passed), sub_scores=marks
    )
    page = read(cell_of(one))
    text = page.text.partition("What went wrong")[2]
    in_order = (
        "failed Grounding 2 of 12 words are in the brief. R · gone",
        "-0.080 form Default takeover default_takeover is 0.2. F → R→ Ask for separate values",
        "-0.037 form Range discipline range_discipline is 0.5. F→",
        "1 check passed: direction",
        "1 sub-score at 1: std variation",
    )
    places = [text.index(words) for words in in_order]
    assert places == sorted(places)
    targets = [link["href"] for link in page.all("a") if link["href"].startswith("#g-")]
    assert targets[:3] == ["#g-n3", "#g-e2", "#g-n2"]


def test_of_two_nodes_with_one_id_each_label_leads_to_its_own():
    twins: list[Any] = [
        {"id": "x", "kind": "factor", "label": label} for label in ("First", "Second")
    ]
    graph, _ = read_graph({"nodes": twins, "edges": []})
    parts = DrawnParts(graph, draw_graph(graph, "g", "Twins"))
    assert [str(link) for link in parts.of(["First", "Second", "x"])] == [
        '<a href="#g-n0"><bdi>First</bdi></a>',
        '<a href="#g-n1"><bdi>Second</bdi></a>',
    ]


@cases(
    "page, words",
    {
        "no answer": ("b/b2", f"rate limited {meaning_of('rate_limited').meaning} {meaning_of('rate_limited').fix}"),
        "no graph": ("c.1/b1", f"Form —, counts as 0.000 · Content 0.000 {meaning_of('truncated').meaning}"),
        "invalid": ("a/b2", "invalid Form —, counts as 0.000 · Content 0.000"),
    },
)  # fmt: skip
def test_a_cell_without_scores_says_why_and_what_it_counts_as(built, page, words):
    assert words in read(built[f"cell/{page}-1.html"]).text


def test_pages_of_every_kind_say_everything_in_its_place():
    found, briefs, read_cell = rich_run()
    written = dict(site_files(found, briefs, read_cell))
    shown = (
        *("index", "brief/b1", "brief/b5", "model/careful", "model/flaky", "model/m"),
        *("cell/careful/b1-1", "cell/flaky/b4-1", "cell/m/b7-3"),
    )
    for name in shown:
        check_approved(f"{name.replace('/', '-')}.txt", read(written[f"{name}.html"]).lines)
    check_approved("cells.js", written["cells.js"].decode())
    cell, index = (written[f"{name}.html"].decode() for name in ("cell/careful/b1-1", "index"))
    drawing = re.search(r'<svg[^>]*role="img".*?</svg>', cell, re.DOTALL)
    assert drawing
    check_approved("graph.svg", drawing[0].replace("><", ">\n<"))
    charts = re.findall(r'<figure class="chart">.*?</figure>', index, re.DOTALL)
    check_approved("charts.html", "\n".join(charts))


@pytest.fixture(name="hostile", scope="module")
def _hostile():
    """A model and a brief for each hostile text, which is wherever a model or a brief can write."""
    stored = {}
    briefs, configs = {}, []
    for number, text in enumerate(HOSTILE.values()):
        model, brief = f"m{number}", f"b{number}"
        briefs[brief] = BRIEF._replace(body=text)
        configs.append(config(model).model_copy(update={"display_name": text}))
        found = (Finding(code="X", message=text, nodes=(text,), path=text),)
        nodes = [*CHAIN, node(text, text, label=text, category=text)]
        for one in (
            invalid(model, brief, "X", violations=found, warnings=found),
            card(model, brief, sample=2, sub_scores={"completeness": (sub_score(text, 0.5),)}),
        ):
            stored[one.cell] = one, answer(
                one, raw_text=text, parsed_graph={"nodes": nodes, "edges": LINKS}, error_message=text, request={text: text},
                warnings=(text,), answered_model=text, endpoint=text,
            )  # fmt: skip
    shown = findings(*(one for one, _ in stored.values()), configs=configs)
    return dict(site_files(shown, briefs, stored.__getitem__))


def test_hostile_texts_stay_texts_and_add_no_element_to_any_page(built, hostile):
    harmless = {tag for page in html_of(built).values() for tag, _ in page.elements}
    for path, page in html_of(hostile).items():
        assert {tag for tag, _ in page.elements} <= harmless, path
        assert page.inline == {"script": [], "style": []}
        given = [pair for _, attributes in page.elements for pair in attributes.items()]
        assert not [key for key, _ in given if key.startswith("on") or key == "style"], path
        assert not [value for key, value in given if key == "href" and "script:" in value], path
        shown = page.text + "".join(value for _, value in given)
        assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\ufeff", "\x00", "\x1b"}, path


def test_a_huge_answer_makes_no_huge_page():
    graph = {"nodes": [node(f"n{n}", label="x" * 5000) for n in range(3000)], "edges": []}
    assert len(cell_of(card(), raw_text="y" * 5_000_000, parsed_graph=graph)) < 2_000_000


@pytest.mark.parametrize("identifier", ["../up", "a/b", "", ".hidden", "a b", "<b>", "x" * 101])
def test_an_id_that_is_no_file_name_makes_no_file(identifier):
    for cell in (Cell(identifier, "b1", 1), Cell("a", identifier, 1)):
        with pytest.raises(UnsafeId):
            cell_page(cell)


def test_a_heat_map_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr("graph_evaluator.report.site.pages.MAX_BRIEFS", 2)
    content = overview(
        *(invalid(model, brief, "X") for model in "ab" for brief in ("b1", "b2", "b3"))
    )
    assert "Left out here: 1 more brief;" in read(content).text
    assert len(rows_of_table(content, "heat")) == 2


def test_a_cell_page_lists_all_settings_of_an_option_and_of_the_request():
    nodes = [node("o", "option", data={"interventions": {"g": 0.5, "f": 1.0}}), node("f")]
    given = {"model": "m", "reasoning": {"effort": "low"}}
    graph = {"nodes": nodes, "edges": []}
    content = cell_of(card(), parsed_graph=graph, request=given, endpoint="e", warnings=("odd",))
    assert rows_of_table(content, "nodes")[0] == ["O", "option", "", "g = 0.5; F = 1", "o"]
    assert rows_of_table(content, "request") == [
        ["model", "m"], ["reasoning", '{"effort":"low"}'], ["endpoint", "e"], ["warnings", "odd"]
    ]  # fmt: skip


@cases(
    "page, words",
    {
        "its advice": (
            cell_of(card(), parsed_graph={"nodes": CHAIN, "edges": [], "coaching": {"summary": "On <staff>."}}),
            "The model's own advice. It does not count. On <staff>.",
        ),
        "a cut answer": (cell_of(unusable("truncated"), raw_text='{"nodes": ['), 'The answer {"nodes": ['),
        "a refusal": (cell_of(unusable("refused"), raw_text="", error_message="I <can't>."), "The answer I <can't>."),
        "no answer": (cell_of(unanswered(), error_message="HTTP 500"), "Why there is no answer HTTP 500"),
        "an empty graph": (
            cell_of(invalid("a", "b1", "X"), parsed_graph={"nodes": [], "edges": []}),
            "The answer has no nodes and no edges.",
        ),
        "no file": (
            cell_file(FRAME, ReadAnswer("A", card(), None))[1],
            "The response file is missing: run dvc checkout.",
        ),
    },
)  # fmt: skip
def test_a_cell_says_what_there_is_of_its_graph(page, words):
    assert words in read(page).text


def test_without_an_answer_the_share_of_usable_graphs_is_not_measured():
    built = pages(card(), unanswered(model="b"), unanswered(brief="b2"))
    for page in ("model/b.html", "brief/b2.html"):
        assert "Usable graphs—no answer" in read(built[page]).text
    board = rows_of_table(built["index.html"], "leaderboard")
    assert [row[1] for row in board if "—" in row[3:5]] == ["B"]


def test_a_brief_shows_its_effects_by_model_and_gives_its_graphs_to_the_script_the_best_first():
    def saying(*outcomes):
        return [EffectResult(effect="rent raises goal", outcome=outcome) for outcome in outcomes]

    cards = [
        card("a", "b1", 0.3, effects=saying("right")), card("b", "b1", 0.9, effects=saying("missing")),
        card("b", "b1", 0.8, 2, effects=saying("wrong")), unusable("truncated", "d", "b1"),
    ]  # fmt: skip
    content = pages(*cards)["brief/b1.html"]
    assert rows_of_table(content, "effects") == [
        ["costs lowers goal", "—", "—"], ["rent raises goal", "1 wrong, 1 missing", "right"]
    ]  # fmt: skip
    page = read(content)
    assert page.text.index("Stay or <b>go</b>?") < page.text.index("Answers to b1")
    assert "The brief names Stay · Go." in page.text
    links = {link["href"] for link in page.all("a")}
    assert {"../cell/b/b1-2.html", "../cells.html#brief=b1&status=usable,unchecked"} <= links
    (graphs,) = [json.loads(div["data-graphs"]) for div in page.all("div") if "data-graphs" in div]
    assert [(name, model, page) for name, model, page, _ in graphs] == [
        ("B", "b", "cell/b/b1-1.html"), ("B, sample 2", "b", "cell/b/b1-2.html"), ("A", "a", "cell/a/b1-1.html")
    ]  # fmt: skip
    assert graphs[0][3] == graphs[2][3]


def test_the_heat_of_a_score_grows_with_the_score_and_what_was_not_answered_is_hatched():
    cards = [card(model, "b1", score) for model, score in (("a", 1.0), ("b", 0.5), ("c", 0.0))]
    page = overview(*cards, unanswered(model="n")).decode()
    (row,) = page.split('<table id="heat"')[1].split("</table>")[0].split("<tr>")[2:]
    assert re.findall(r'<td class="(\w*)"', row) == ["h3", "h5", "h3", "h0", "hx"]
