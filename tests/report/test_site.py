import posixpath
import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from stages.report.failures import meaning_of
from stages.report.findings import Findings
from stages.report.site.cell import cell_file
from stages.report.site.overview import overview_file
from stages.report.site.pages import site_files
from stages.report.site.table import listing
from stages.shared.present.page import Frame, UnsafeId, cell_page
from stages.shared.records.brief import Brief, Expectations, Prompt
from stages.shared.records.response import Cell, Response
from stages.shared.records.scorecard import CheckResult, Finding, Passage, Scorecard
from tests.builders.cases import cases
from tests.builders.graphs import CHAIN, LINKS, edge, node
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

CARDS = (
    card("a", "b1", 0.9, sub_scores={"param_quality": (sub_score("strength_diversity", 0.75),)}),
    invalid("a", "b2", "CYCLE_DETECTED"),
    card("b", "b1", 0.4),
    unanswered("rate_limited", "b", "b2", failure_code="rate_limit_exceeded"),
    unusable("truncated", "c.1", "b1"),
    card("c.1", "b2", 0.2, simulated=True),
)
FRAME = Frame("run", "prompt", "1")
BRIEF = Brief(id="b1", expectations=Expectations(), body="Stay or <b>go</b>?", sha256="0" * 64)


def answer(one: Scorecard, **fields: Any) -> Response:
    graph: Any = {"nodes": CHAIN, "edges": LINKS} if one.status == "success" else None
    given = {"raw_text": "{}", "parsed_graph": graph, "request": {"temperature": 0.0}}
    return response(one.cell, status=one.status, **(given | fields))


def pages(*cards: Scorecard, **fields: Any) -> dict[str, bytes]:
    return written(findings(*cards), *cards, **fields)


def written(found: Findings, *cards: Scorecard, **fields: Any) -> dict[str, bytes]:
    stored = {one.cell: (one, answer(one, **fields)) for one in cards}
    return dict(site_files(found, {"b1": BRIEF}, stored.__getitem__))


def overview(*cards: Scorecard, **fields: Any) -> bytes:
    return overview_file(FRAME, findings(*cards, **fields))[1]


def cell_of(one: Scorecard, **fields: Any) -> bytes:
    return cell_file(
        FRAME, findings(one).cells[0], one.model_id.upper(), one, answer(one, **fields)
    )[1]


@pytest.fixture(name="built", scope="module")
def _built() -> dict[str, bytes]:
    return pages(*CARDS)


def read(content: bytes) -> Read:
    return Read(content.decode())


def html_of(files: dict[str, bytes]) -> dict[str, Read]:
    return {path: read(content) for path, content in files.items() if path.endswith(".html")}


def test_there_is_a_page_for_the_overview_and_every_model_brief_and_cell(
    built: dict[str, bytes],
) -> None:
    models = {f"model/{model}.html" for model in ("a", "b", "c.1")}
    cells = {
        f"cell/{model}/{brief}-1.html" for model in ("a", "b", "c.1") for brief in ("b1", "b2")
    }
    others = {"index.html", "cells.html", "glossary.html", "brief/b1.html", "brief/b2.html"}
    assert set(html_of(built)) == others | models | cells


def test_the_policy_allows_the_files_of_the_site_and_nothing_else(
    built: dict[str, bytes],
) -> None:
    for path, page in html_of(built).items():
        policies = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
        assert policies == [
            "default-src 'none'; style-src 'self' file:; script-src 'self' file:; "
            "frame-src 'self' file:; base-uri 'none'; form-action 'none'"
        ]
        up = "../" * path.count("/")
        assert [link["href"] for link in page.all("link")] == [f"{up}site.css"]
        scripts = {f"{up}{name}" for name in ("../pages.js", "prompt.js", *built)}
        assert {script["src"] for script in page.all("script")} <= scripts
        assert page.inline == {"script": [], "style": []}
        assert not [1 for _, attributes in page.elements if "style" in attributes]


def test_every_link_leads_to_a_page_of_the_site(built: dict[str, bytes]) -> None:
    for name, page in html_of(built).items():
        ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
        for link in page.all("a"):
            target = urlsplit(link["href"])
            assert not target.scheme
            assert not target.netloc
            if target.path:
                assert (
                    posixpath.normpath(
                        posixpath.join(posixpath.dirname(name), unquote(target.path))
                    )
                    in built
                )
            else:
                assert target.fragment in ids


def test_every_id_is_unique_on_its_page(built: dict[str, bytes]) -> None:
    for page in html_of(built).values():
        ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
        assert len(ids) == len(set(ids))


def test_the_overview_names_the_model_to_take_with_the_reason_and_what_went_wrong(
    built: dict[str, bytes],
) -> None:
    text = read(built["index.html"]).text
    assert findings(*CARDS).decision.modes["normal"].reason in text
    assert meaning_of("rate_limited")[0] in text
    assert "CYCLE_DETECTED" in text


def test_notices_are_on_every_page_that_shows_results(built: dict[str, bytes]) -> None:
    for page in html_of(built).values():
        assert "say nothing about real models" in page.text


def test_a_cell_page_shows_graph_scores_and_answer(built: dict[str, bytes]) -> None:
    page = read(built["cell/a/b1-1.html"])
    assert "graph" in {svg.get("class") for svg in page.all("svg")}
    assert "strength_diversity is 0.75." in page.text
    assert "Strength diversity" in page.text
    assert "temperature" in page.text


def test_a_violation_is_listed_with_its_number_and_highlights_its_node() -> None:
    found = (Finding(code="ORPHAN_NODE", message="R has no edges.", nodes=("r",)),)
    page = read(cell_of(invalid("a", "b1", "ORPHAN_NODE", violations=found)))
    assert "Orphan node ORPHAN_NODER has no edges." in page.text
    (item,) = [li for li in page.all("li") if "data-highlights" in li]
    (box,) = [g for g in page.all("g") if g.get("id") == item["data-highlights"]]
    assert "bad" in box["class"].split()


def test_a_failed_fidelity_check_is_shown_with_its_evidence_and_highlights_the_labels_that_it_names() -> (
    None
):
    check = CheckResult(
        name="grounding", outcome="fail", message="2 of 12 words are in the brief.", labels=("R",), numbers=(240000.0,),
        passages=(Passage(text="Stay or <b>go</b>?", start=0, end=18),),
    )  # fmt: skip
    one = card("a", "b1", 0.9, usable=False, expected_score=0.0, fidelity=(check,))
    page = read(cell_of(one))
    assert "does not belong to its brief, so it counts as 0: Grounding." in page.text
    for words in (
        "2 of 12 words are in the brief.",
        "In the graph: R",
        "Numbers: 240,000",
        "Stay or <b>go</b>?",
    ):
        assert words in page.text
    (item,) = [li for li in page.all("li") if "data-highlights" in li]
    assert item["data-highlights"] == "g-n3"


@cases(
    "cell, words",
    {
        "no answer": (Cell("b", "b2", 1), meaning_of("rate_limited")[0]),
        "no graph": (Cell("c.1", "b1", 1), meaning_of("truncated")[0]),
        "invalid": (Cell("a", "b2", 1), "The graph breaks 1 structural rule, so it has no scores"),
    },
)
def test_a_cell_without_scores_says_why(built: dict[str, bytes], cell: Cell, words: str) -> None:
    text = read(built[cell_page(cell)]).text
    assert words in text
    assert "no stated effect was compared" in text


def test_a_cell_shows_its_tokens_cost_and_time_with_what_they_hold() -> None:
    page = read(cell_of(card(draws=2, attempts=3, reasoning_tokens=40)))
    for words in (
        "2,000500 of them cached",
        "90040 of them reasoning",
        "$0.01002 draws",
        "1.0 s3 attempts",
    ):
        assert words in page.text
    page = read(cell_of(card(cached_tokens=0)))
    assert not [
        words
        for words in ("of them", "draw", "attempt")
        if words in page.text.split("The draft graph")[0]
    ]


def test_the_overview_counts_models_briefs_samples_and_the_flags_beyond_the_first() -> None:
    one = read(overview(card(), card(brief="b2"))).text
    assert "1 model drafted decision graphs for 2 briefs, with the prompt prompts" in one
    assert ": 2 cells." in one
    assert "on the pages of models and briefs" not in one
    assert (
        "1 model drafted decision graphs for 1 brief, 2 samples each, with the prompt"
        in read(overview(card(), card(sample=2))).text
    )
    many = read(overview(*(unanswered(brief=f"b{number}") for number in range(10)))).text
    assert "No model drafted a usable graph for b7." in many
    assert "And 2 more, on the pages of models and briefs." in many


def test_a_model_shows_its_figures_and_its_settings(built: dict[str, bytes]) -> None:
    text = read(built["model/a.html"]).text
    for words in ("Rank 1, candidate for normal mode.", "50%1 of 2", "$0.0200", "published"):  # fmt: skip
        assert words in text
    assert "simulated, candidate for normal mode" in read(built["model/c.1.html"]).text
    alone = findings(unanswered(model="x", brief="b1"), configs=())
    assert (
        "Without a rank, without a model config."
        in read(written(alone, unanswered(model="x"))["model/x.html"]).text
    )


PROMPT = Prompt("prompts/p.txt", 'Draw "it".', "1" * 64)


def site_with_prompt(request: dict[str, Any]) -> dict[str, bytes]:
    one = card("a", "b1")
    stored = {one.cell: (one, answer(one, request=request, extraction_method="direct"))}
    return dict(site_files(findings(one), {"b1": BRIEF}, stored.__getitem__, PROMPT))


def copies(page: Read) -> dict[str, str]:
    """What the copy buttons copy: ids on the page, or the prompt."""
    buttons = [button for button in page.all("button") if "data-copy" in button]
    return {button["data-copy"]: button["type"] for button in buttons}


def test_the_prompt_is_a_file_of_the_site_that_pages_of_its_answers_copy() -> None:
    files = site_with_prompt({"instructions_sha256": PROMPT.sha256})
    assert files["prompt.js"] == b'window.PROMPT = "Draw \\"it\\".";\n'
    page = read(files["cell/a/b1-1.html"])
    assert "../../prompt.js" in {script["src"] for script in page.all("script")}
    assert list(copies(page)) == ["prompt", "brief-text", "raw-text"]
    other = read(site_with_prompt({"instructions_sha256": "2" * 64})["cell/a/b1-1.html"])
    assert "prompt" not in copies(other)


def test_brief_answer_and_graph_are_on_the_page_of_a_cell_to_be_copied(
    built: dict[str, bytes],
) -> None:
    page = read(built["cell/a/b1-1.html"])
    ids = {attributes.get("id") for _, attributes in page.elements}
    assert list(copies(page)) == ["brief-text", "raw-text", "graph-json"]
    assert set(copies(page)) <= ids
    assert "Stay or <b>go</b>?" in page.text
    assert '"kind": "decision"' in page.text


def test_a_cell_leads_to_the_other_answers_to_its_brief_with_their_scores(
    built: dict[str, bytes],
) -> None:
    content = built["cell/a/b1-1.html"].decode()
    (others,) = re.findall(r'<nav class="others".*?</nav>', content, re.DOTALL)
    assert re.findall(r'href="([^"]*)".*?">([^<]*)</span>', others) == [
        ("../../cell/b/b1-1.html#brief=b1", "0.400"),
        ("../../cell/c.1/b1-1.html#brief=b1", "0.000"),
    ]


def test_every_finding_of_a_cell_can_be_linked_to() -> None:
    finding = Finding(code="X", message="m", nodes=("d",))
    check = CheckResult(name="grounding", outcome="pass", message="fine")
    one = invalid("a", "b1", "X", violations=(finding,), warnings=(finding,), fidelity=(check,))
    ids = {item.get("id") for item in read(cell_of(one)).all("li")}
    assert {"violation-1", "warning-1", "check-grounding"} <= ids


def test_a_cell_shows_the_coaching_of_its_answer() -> None:
    coaching = {
        "summary": "It turns on <staff>.",
        "strengthen_items": [{"label": "Ask", "detail": "Ask two of them."}, 7],
    }
    graph = {"nodes": CHAIN, "edges": LINKS, "coaching": coaching}
    text = read(cell_of(card("a", "b1"), parsed_graph=graph)).text
    assert "It turns on <staff>." in text
    assert "Ask Ask two of them." in text
    assert "Coaching" not in read(cell_of(card("a", "b1"))).text


def test_a_cell_whose_response_is_missing_still_has_its_page() -> None:
    one = card("a", "b1")
    _, content = cell_file(FRAME, findings(one).cells[0], "A", one, None)
    assert "run dvc checkout" in read(content).text


SAFE = {
    "html", "head", "meta", "link", "title", "style", "body", "a", "header", "nav", "ol", "ul", "li", "span", "main", "div", "p",
    "h1", "h2", "h3", "dl", "dt", "dd", "small", "section", "figure", "figcaption", "i", "table", "caption", "thead",
    "tbody", "tr", "th", "td", "bdi", "code", "details", "summary", "pre", "footer", "script", "svg", "defs", "marker",
    "path", "g", "rect", "text", "circle", "line", "article", "strong", "progress", "input", "label",
    "noscript", "select", "option", "button", "datalist",
}  # fmt: skip


@pytest.fixture(name="hostile", scope="module")
def _hostile() -> dict[str, bytes]:
    """A brief for each hostile text, which is wherever a model or a brief can write."""
    stored: dict[Cell, tuple[Scorecard, Response]] = {}
    for number, text in enumerate(HOSTILE.values()):
        found = (Finding(code="X", message=text, nodes=(text,), path=text),)
        graph: Any = {
            "nodes": [*CHAIN, node(text, text, label=text, category=text)],
            "edges": LINKS,
        }
        for one in (
            invalid("a", f"b{number}", "X", violations=found, warnings=found),
            card("b", f"b{number}", sub_scores={"completeness": (sub_score(text, 0.5),)}),
        ):
            stored[one.cell] = one, answer(
                one, raw_text=text, parsed_graph=graph, error_message=text, request={text: text}, warnings=(text,),
                answered_model=text, endpoint=text,
            )  # fmt: skip
    briefs = {
        f"b{number}": replace(BRIEF, body=text) for number, text in enumerate(HOSTILE.values())
    }
    return dict(
        site_files(findings(*(one for one, _ in stored.values())), briefs, stored.__getitem__)
    )


def only_text(path: str, page: Read) -> None:
    assert {tag for tag, _ in page.elements} <= SAFE, path
    assert page.inline == {"script": [], "style": []}
    for _, attributes in page.elements:
        assert not [key for key in attributes if key.startswith("on") or key == "style"], path
        assert "script:" not in attributes.get("href", "")
    shown = page.text + "".join(
        value for _, attributes in page.elements for value in attributes.values()
    )
    assert not set(shown) & {"\u202e", "\u2066", "\u200b", "\ufeff", "\x00", "\x1b"}, path


@pytest.mark.parametrize("number", range(len(HOSTILE)), ids=HOSTILE)
def test_hostile_texts_stay_texts_on_the_pages_of_their_brief(
    hostile: dict[str, bytes], number: int
) -> None:
    paths = [f"brief/b{number}.html", f"cell/a/b{number}-1.html", f"cell/b/b{number}-1.html"]
    for path in paths:
        only_text(path, read(hostile[path]))


def test_hostile_texts_stay_texts_on_the_overview_and_the_pages_of_models(
    hostile: dict[str, bytes],
) -> None:
    for path in ("index.html", "model/a.html", "model/b.html"):
        only_text(path, read(hostile[path]))


def test_a_huge_answer_makes_no_huge_page() -> None:
    graph: Any = {"nodes": [node(f"n{n}", label="x" * 5000) for n in range(3000)], "edges": []}
    assert len(cell_of(card("a", "b1"), raw_text="y" * 5_000_000, parsed_graph=graph)) < 2_000_000


@pytest.mark.parametrize("identifier", ["../up", "a/b", "", ".hidden", "a b", "<b>", "x" * 101])
def test_an_id_that_is_no_file_name_makes_no_file(identifier: str) -> None:
    with pytest.raises(UnsafeId):
        cell_page(Cell(identifier, "b1", 1))
    with pytest.raises(UnsafeId):
        cell_page(Cell("a", identifier, 1))


def test_hostile_display_names_stay_texts_on_every_page() -> None:
    subs = {"completeness": (sub_score("goal_threshold", 0.5),)}
    cards = [card(f"m{number}", "b1", sub_scores=subs) for number in range(len(HOSTILE))]
    configs = [
        config(one.model_id).model_copy(update={"display_name": text})
        for one, text in zip(cards, HOSTILE.values(), strict=True)
    ]
    for path, page in html_of(written(findings(*cards, configs=configs), *cards)).items():
        only_text(path, page)


def test_a_model_has_one_name_on_every_page() -> None:
    cards = (
        card("mod-1", "b1", 0.9),
        invalid("mod-1", "b2", "X"),
        card("mod-2", "b1", 0.4),
        card("mod-2", "b2", 0.3),
    )
    found = findings(
        *cards,
        configs=[config(model, display_name=f"Model {model[-1]}") for model in ("mod-1", "mod-2")],
    )
    for path, page in html_of(written(found, *cards)).items():
        assert path == "glossary.html" or re.search("Model [12]", page.text)
        assert path.startswith("model/") or "mod-1" not in page.text, (
            path
        )  # a model's page lists its id with its settings


def test_cells_without_an_answer_have_a_table_of_their_own(built: dict[str, bytes]) -> None:
    tables = {
        path: {table["id"] for table in read(built[path]).all("table")}
        for path in ("index.html", "model/a.html")
    }
    assert {"codes-unanswered", "codes-answered"} <= tables["index.html"]
    assert "failures-unanswered" not in tables["model/a.html"]
    assert "failures-answered" in tables["model/a.html"]


def test_counts_of_nothing_lead_nowhere() -> None:
    cards = [card(model, brief) for model in "ab" for brief in ("b1", "b2", "b3")]
    configs = (config("a", "fast"), config("b", "deep"))
    page = overview(*cards, configs=configs).decode()
    assert "cells.html#model=a&amp;status=usable,unchecked" in page
    assert "cells.html#model=a&amp;status=unchecked" not in page


def test_the_counts_of_the_overview_add_up_to_the_cells_and_lead_to_them() -> None:
    cards = [
        card("a", "b1"),
        card("a", "b2"),
        invalid("a", "b3", "X"),
        unusable("truncated", "a", "b4"),
        unanswered("timeout_failed", "a", "b5"),
    ]
    page = overview(*cards).decode()
    facts = re.findall(
        r"<dt>([^<]*)</dt><dd>(?:<a href=\"cells.html#status=([^\"]*)\">)?([^<]*)", page
    )
    counts = {title: (number, status) for title, status, number in facts}
    unanswered_statuses = counts["No answer"][1].split(",")
    assert "timeout_failed" in unanswered_statuses
    assert [
        counts[title][0]
        for title in (
            "Usable graphs",
            "Invalid graphs",
            "Failed a fidelity check",
            "No graph",
            "No answer",
        )
    ] == ["40% (2/5)", "20% (1/5)", "0", "20% (1/5)", "20% (1/5)"]
    assert counts["No graph"][1] == "parse_failed,truncated,refused"


def test_an_overview_of_a_thousand_cells_stays_small() -> None:
    cards = [card(f"m{m}", f"b{b}", 0.5) for m in range(10) for b in range(100)]
    assert len(overview(*cards)) < 200_000


def test_the_heat_of_a_score_grows_with_the_score_and_what_was_not_answered_is_hatched() -> None:
    scores = (1.0, 0.84, 0.83, 0.5, 0.17, 0.16, 0.0)
    cards = [card(f"m{number}", "b1", score) for number, score in enumerate(scores)]
    content = overview(*cards, unanswered(model="n", brief="b1"), card("o", "b2", 0.0)).decode()
    heat = content.split('<table id="heat"')[1].split("</table>")[0]
    rows = heat.split("<tr>")[2:]
    first, second = (
        re.findall(r'<td(?: class="(\w*)"><a [^>]*>([^<]*)</a>)?', row) for row in rows
    )
    assert first == [
        ("h5", "1.00"), ("h5", "0.84"), ("h4", "0.83"), ("h3", "0.50"), ("h1", "0.17"), ("h0", "0.16"), ("h0", "0.00"),
        ("", ""), ("hx", "—"),
    ]  # fmt: skip
    assert [look for look, _ in second] == [*[""] * 7, "h0", ""]


def test_every_mode_with_candidates_has_a_card() -> None:
    configs = [config("a"), config("b"), config("c", "deep")]
    page = read(overview(card("a"), card("b", score=0.4), unanswered(model="c"), configs=configs))
    assert len([one for one in page.all("article") if one.get("class") == "card"]) == 2
    assert "No candidate has delivered a usable graph." in page.text


def test_a_heat_map_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.report.site.overview.MAX_HEAT_FIELDS", 5)
    content = overview(
        *(invalid(model, brief, "X") for model in "ab" for brief in ("b1", "b2", "b3"))
    )
    assert "1 more brief are left out here" in read(content).text
    assert len(rows_of_table(content, "heat")) == 2


def test_the_mean_of_a_sub_score_stands_beside_the_number_of_graphs() -> None:
    subs = {"completeness": (sub_score("goal_threshold", 0.5),)}
    content = overview(*(card("a", brief, 0.5, sub_scores=subs) for brief in ("b1", "b2")))
    assert rows_of_table(content, "profile") == [["A", "2", "0.50"]]


def test_a_cell_page_lists_what_its_graph_holds_and_how_it_was_asked_for() -> None:
    nodes = [
        node("o", "option", data={"interventions": {"g": 0.5, "f": 1.0}}), node("f", category="external"),
        node("f", label="Again"), {"id": "q", "kind": "risk"},
    ]  # fmt: skip
    edges = [edge("o", "f", -0.25), edge("f", "ghost", edge_type="bidirected")]
    given = {"model": "m", "reasoning": {"effort": "low"}}
    content = cell_of(
        card(sample=2),
        parsed_graph={"nodes": nodes, "edges": edges},
        request=given,
        endpoint="e",
        warnings=("odd",),
    )
    assert read(content).text.count("A on b1, sample 2") >= 2
    assert rows_of_table(content, "nodes") == [
        ["O", "option", "", "o", "F = 1, g = 0.5"], ["F", "factor", "external", "f", ""], ["Again", "factor", "", "f", ""],
        ["", "risk", "", "q", ""],
    ]  # fmt: skip
    assert rows_of_table(content, "edges") == [
        ["O", "F", "-0.25", "0.1", "0.9", "directed"], ["F", "ghost", "0.5", "0.1", "0.9", "bidirected"]
    ]  # fmt: skip
    assert rows_of_table(content, "request") == [
        ["model", "m"], ["reasoning", '{"effort":"low"}'], ["endpoint", "e"], ["warning", "odd"]
    ]  # fmt: skip


def test_a_graph_is_drawn_only_for_an_answer_that_counts_and_one_without_nodes_says_so() -> None:
    some: Any = {"nodes": CHAIN, "edges": LINKS}
    assert (
        "There is no graph to draw." in read(cell_of(unusable("truncated"), parsed_graph=some)).text
    )
    empty = read(
        cell_of(invalid("a", "b1", "X", "Y", "X"), parsed_graph={"nodes": [], "edges": []})
    ).text
    assert "The answer has no nodes and no edges." in empty
    assert "The graph breaks 2 structural rules" in empty
    assert "sample" not in read(cell_of(card())).text


@pytest.fixture(name="varied", scope="module")
def _varied() -> dict[str, bytes]:
    """The pages of seven models on a brief, two of which answered another brief too, whose responses are missing."""
    cards = [
        card(f"m{number}", "b1", number / 10, sample) for number in range(6) for sample in (1, 2)
    ]
    cards[-1] = card("m5", "b1", 0.9, 2)
    cards.append(card("m1", "b2", sub_scores={"option_diff": (sub_score("unique_factor", 0.5),)}))
    cards += [unusable("truncated", "t", "b1"), card("t", "b2"), unanswered(model="t", brief="b3")]
    configs = [
        *(config(f"m{number}", params={"temperature": 0.5}) for number in range(5)),
        config("m5", pricing=None),
    ]
    stored = {one.cell: (one, None if one.brief_id == "b2" else answer(one)) for one in cards}
    return dict(site_files(findings(*cards, configs=configs), {"b1": BRIEF}, stored.__getitem__))


def test_a_brief_shows_the_best_graphs_of_two_models(varied: dict[str, bytes]) -> None:
    page = read(varied["brief/b1.html"])
    assert [one for one in page.all("details") if one.get("class") == "pair"] == [
        {"class": "pair", "id": "pair"}
    ]
    assert "M5 and M4 0 added, 0 removed, 0 changed" in page.text
    assert {"../cell/m5/b1-2.html", "../cell/m4/b1-1.html"} <= {
        link["href"] for link in page.all("a")
    }
    assert "The graphs of 7 models for this brief." in page.text
    assert "../cells.html#brief=b1&status=usable,unchecked" in [
        link["href"] for link in page.all("a")
    ]


def test_a_brief_whose_file_and_responses_are_missing_shows_neither_text_nor_graphs(
    varied: dict[str, bytes],
) -> None:
    text = read(varied["brief/b2.html"]).text
    assert "The graphs of 2 models for this brief." in text
    assert not [
        words
        for words in ("Graphs side by side", "Status quo option", "The brief")
        if words in text
    ]
    assert "The response file is missing" in read(varied["cell/t/b2-1.html"]).text


def test_a_model_page_lists_its_settings_with_the_source_of_its_price(
    varied: dict[str, bytes],
) -> None:
    settings = [
        ["id", "m1"],
        ["provider", "openai"],
        ["model", "m1"],
        ["temperature", "0.5"],
        ["pricing", "published"],
    ]
    assert rows_of_table(varied["model/m1.html"], "settings") == settings
    assert rows_of_table(varied["model/m5.html"], "settings")[-1] == ["pricing", "published prices"]
    assert rows_of_table(varied["model/t.html"], "settings") == [["id", "t"]]


def test_a_table_of_cells_shows_samples_only_where_there_are_several_and_colours_the_outcomes(
    varied: dict[str, bytes],
) -> None:
    assert [row[:4] for row in rows_of_table(varied["model/t.html"], "cells")] == [
        ["b1", "0.000", "truncated", "—"], ["b2", "0.500", "usable", "0.500"], ["b3", "—", "server error", "—"]
    ]  # fmt: skip
    assert [row[:4] for row in rows_of_table(varied["model/m2.html"], "cells")] == [
        ["b1", "0.200", "usable", "1"], ["b1", "0.200", "usable", "2"]
    ]  # fmt: skip
    table = varied["model/t.html"].decode().split('<table id="cells"')[1].split("</table>")[0]
    assert re.findall(r'class="tag (\w+)"', table) == ["bad", "good", "warn"]


def test_a_table_of_cells_names_failed_checks_and_broken_rules_alike() -> None:
    check = CheckResult(name="target", outcome="fail", message="None.")
    unfaithful = card("a", "b1", usable=False, fidelity=(check,))
    broken = invalid("a", "b2", "CYCLE_DETECTED", "CYCLE_DETECTED", "ORPHAN_NODE")
    page = pages(unfaithful, broken)["model/a.html"]
    first, second = rows_of_table(page, "cells")
    assert "Target" in first
    assert "Cycle detected ×2, Orphan node" in second


def test_a_listing_of_more_than_300_rows_is_cut_and_says_so() -> None:
    whole, cut = (listing("name", "Things", ("Thing",), [("x",)] * count) for count in (300, 301))
    assert (whole.title, len(whole.rows)) == ("Things", 300)
    assert (cut.title, len(cut.rows)) == ("Things, the first 300 of 301", 300)
