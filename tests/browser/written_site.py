"""A small site on disk, some of whose graphs, answers and findings are hostile."""

from dataclasses import replace
from typing import Any

from graph_evaluator.compare.comparison import compare
from graph_evaluator.compare.views import comparison_page
from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.scorecard import CheckResult, EdgeRef, Finding
from graph_evaluator.report.reviews import agreement_section
from graph_evaluator.report.site.pages import site_files
from tests.builders.graphs import CHAIN, LINKS, edge, node
from tests.builders.responses import response
from tests.builders.reviews import key, pair, reviewed
from tests.builders.scorecards import (
    card,
    config,
    findings,
    invalid,
    sub_score,
    unanswered,
    unusable,
)
from tests.compare.cards import BASE, BETTER, PARAMS, side
from tests.compare.cards import card as scored_card
from tests.compare.cards import cards as scorecards
from tests.report.hostile import HOSTILE

MODELS = ("alpha", "beta", "gamma", "delta", "epsilon")
BRIEFS = ("b1", "b2", "b3")
SUBS = {
    "param_quality": (sub_score("strength_diversity", 0.75), sub_score("default_takeover", 0.2)),
    "completeness": (sub_score("goal_threshold", 1.0),),
}
NODES = [*CHAIN, *(node(f"h{number}", label=text) for number, text in enumerate(HOSTILE.values()))]
EDGES = [
    *LINKS,
    *(edge("f", f"h{number}", 0.1) for number in range(len(HOSTILE))),
    edge("f", "ghost"),
    edge("g", "d"),
]
TRICKS = "\n".join(HOSTILE.values())


FOUND = (
    Finding(code="CYCLE_DETECTED", message=f"d, o, f, g form a cycle. {TRICKS}", nodes=("d", "g")),
    Finding(
        code="INVALID_EDGE_REF", message="f → ghost: there is no ghost.", nodes=("ghost",),
        edges=(EdgeRef(index=33, source="f", target="ghost"),),
    ),
)  # fmt: skip


def cards():
    """Scores that rise with the model and fall with the brief, and one of each failure."""
    labels = ("O", *HOSTILE.values())
    check = CheckResult(name="grounding", outcome="fail", message=TRICKS, labels=labels)
    found = [
        card(
            model, brief, round(0.9 - 0.15 * m - 0.05 * b, 3), est_cost_usd=0.002 * (5 - m), latency_ms=900.0 * (m + 1),
            sub_scores=SUBS, fidelity=() if m or b else (check,),
        )
        for m, model in enumerate(MODELS[:4]) for b, brief in enumerate(BRIEFS)
    ]  # fmt: skip
    codes = [finding.code for finding in FOUND]
    return [
        *found[:-1],
        invalid("delta", "b3", *codes, violations=FOUND, warnings=FOUND[:1]),
        unanswered("rate_limited", "epsilon", "b1", failure_code="rate_limit_exceeded"),
        unusable("truncated", "epsilon", "b2"),
        unusable("parse_failed", "epsilon", "b3"),
    ]


def answer(one):
    """The answer of a cell; whatever a model can write into it is hostile."""
    edges = EDGES if one.model_id != "delta" else [*EDGES[:2], *EDGES[3:]]
    graph: Any = {"nodes": NODES, "edges": edges} if one.status == "success" else None
    return response(
        one.cell, status=one.status, raw_text=TRICKS, parsed_graph=graph, error_message=TRICKS, answered_model=TRICKS, request={"model": TRICKS, "temperature": 0.0},
    )  # fmt: skip


def write_site(folder):
    """Write the site and return its folder."""
    given = cards()
    modes = ("fast", "fast", "normal", "normal", "deep")
    found = findings(*given, configs=list(map(config, MODELS, modes)))
    stored = {one.cell: (one, answer(one)) for one in given}
    brief = Brief(id="b1", expectations=Expectations(), body=TRICKS, sha256="0" * 64)
    briefs = {name: brief._replace(id=name) for name in BRIEFS}
    files = dict(
        site_files(
            replace(found, sections=(agreement_section(reviews(), found.cells, 0.95),)),
            briefs,
            stored.__getitem__,
        )
    )
    files["compare.html"] = compared()
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def reviews():
    """Two reviewers."""
    of = key(*(pair(f"p{number}", brief, "beta", "alpha") for number, brief in enumerate(BRIEFS)))
    judged = {"p0": "left", "p1": "right", "p2": "none"}
    return tuple(reviewed(of, name, judged) for name in ("ann", "bob"))


def compared():
    """A comparison in which model ids and violation codes are hostile."""
    failed = [scored_card(brief="b01", model="beta", codes=(text,)) for text in HOSTILE.values()]
    sides = [
        [
            *scorecards(scores, model="alpha"),
            *(cell for text in HOSTILE.values() for cell in scorecards(scores[:3], model=text)),
            *more,
        ]
        for scores, more in ((BASE, ()), (BETTER, failed))
    ]
    sides[0].append(scored_card(brief="b01", model="beta"))
    return comparison_page(
        compare(side(sides[0]), side(sides[1], "workspace", revision=None), PARAMS), site="."
    )
