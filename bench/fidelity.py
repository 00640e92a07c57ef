"""`python -m bench.fidelity`: how often the fidelity checks catch attacks, whether they stay quiet on true graphs, what they cost.

The true graphs are those of `tests/score/fidelity/true_graphs/`, drafted by hand from their briefs; each attack is made from
each of them, and another brief's graph from each pair. Gaming generators put words of the brief into graphs whose edges
were drawn by hand too (`drawn_graphs/`), with stated effects. An attack is caught when a check fails; warnings are counted beside.
A second table has the outcomes of `grounding` for foreign graphs by the length of the brief.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from tabulate import tabulate

from bench.figure import Figure, figure, table
from stages.contracts.brief import Brief, Expectations
from stages.contracts.graph import read
from stages.contracts.scorecard import CheckResult
from stages.language.words import wording
from stages.score.attacks import (
    ATTACKS,
    AttackTarget,
    GraphJson,
    changed,
    example_graph,
    invented_target,
)
from stages.score.fidelity.checker import FidelityChecker
from tests.score.fidelity.drawn_graphs import DrawnGraph, drawn_graphs
from tests.score.fidelity.true_graphs import (
    PROMPTS,
    TrueGraph,
    generic_labels_in,
    true_graphs,
    with_generic_labels,
)

CAUGHT_AT_LEAST = {
    "prompt_example": 0.97,
    "generic_labels": 0.97,
    "other generic labels": 0.97,
    "invented_target, front-matter can tell": 0.97,
    "other brief, same language": 0.85,
}
REPEATS = 20
BRIEF_WORDS = (200, 400, 800, 1_500)
TEXTS_PER_GRAPH = 5
PROMPT = PROMPTS["draft_graph_v21"]
TRUE = "true graphs"


@dataclass(frozen=True)
class Case:
    """One graph, what it is, and the brief that it is checked against."""

    what: str
    about: str
    graph: GraphJson
    brief_id: str


Results = dict[str, list[tuple[Case, tuple[CheckResult, ...]]]]
"""By what the graphs are."""


def main() -> None:
    """Print how each attack ends, then the figures with their targets. Exits with 1 if a target is missed."""
    results = _results()
    rows = [
        (what, len(found), *_shares([checks for _, checks in found]))
        for what, found in results.items()
    ]
    print(
        tabulate(
            rows,
            headers=("graphs", "n", "fail", "warn", "quiet", "by check"),
            tablefmt="pipe",
            floatfmt=".1%",
        )
    )
    headers = ("words of the brief", "n", "fail", "warn", "pass")
    by_length = [grounding_of_foreign_graphs(words) for words in BRIEF_WORDS]
    print(tabulate(by_length, headers=headers, tablefmt="pipe", floatfmt=".1%"))
    for case, checks in results[TRUE]:
        noted = [
            f"{check.name} {check.outcome}: {check.message}" for check in checks if _noticed(check)
        ]
        if noted:
            print(f"{case.about}: {'; '.join(noted)}")
    found = figures(results)
    print(table(found))
    sys.exit(any(one.met is False for one in found))


def figures(results: Results | None = None) -> list[Figure]:
    """The rates that have a target, and the time of an answer."""
    results = results or _results()
    failed = {what: _shares([checks for _, checks in found])[0] for what, found in results.items()}
    graphs = true_graphs()
    checker = _checker(graphs)
    drafts = [(read(one.graph)[0], one.brief.id) for one in graphs]
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        for draft, brief_id in drafts:
            checker.check(draft, brief_id)
        times.append((time.process_time() - begun) / len(graphs) * 1000)
    return [
        figure("true graphs that fail a check", [failed[TRUE]], "share", target=0.0),
        *(
            figure(f"{what}: failed a check", [failed[what]], "share", target=least, at_least=True)
            for what, least in CAUGHT_AT_LEAST.items()
        ),
        figure("fidelity checks of an answer, CPU", times, "ms", target=1.0),
    ]


def _checker(graphs: Sequence[TrueGraph | DrawnGraph]) -> FidelityChecker:
    return FidelityChecker(PROMPT, {one.brief.id: one.brief for one in graphs}.values())


def _results() -> Results:
    graphs = true_graphs()
    drawn = drawn_graphs()
    checker = _checker([*graphs, *drawn])
    results: Results = {}
    for case in (*cases(graphs, PROMPT), *gaming_cases(drawn)):
        results.setdefault(case.what, []).append(
            (case, checker.check(read(case.graph)[0], case.brief_id))
        )
    return results


def cases(graphs: Sequence[TrueGraph], prompt: str) -> Iterator[Case]:
    """The true graphs, and every attack on them."""
    example = example_graph(prompt)
    for one in graphs:
        yield Case(TRUE, one.id, one.graph, one.brief.id)
    for attack in ATTACKS:
        for one in graphs:
            made = changed(attack, AttackTarget(one.graph, None, example, one.id))
            if made is not None:
                what = attack.__name__
                if attack is invented_target:
                    expects = one.brief.expectations
                    exact = expects.target or not expects.has_numeric_target
                    what += (
                        ", front-matter can tell" if exact else ", front-matter without the number"
                    )
                yield Case(what, one.id, made, one.brief.id)
    for one in graphs:
        for labels in generic_labels_in(one.language):
            yield Case(
                "other generic labels", one.id, with_generic_labels(one.graph, labels), one.brief.id
            )
        for other in graphs:
            if other.brief.id != one.brief.id:
                language = "same" if _language(one) == _language(other) else "another"
                yield Case(
                    f"other brief, {language} language",
                    f"{one.id} as {other.id}",
                    one.graph,
                    other.brief.id,
                )


def gaming_cases(graphs: Sequence[DrawnGraph]) -> Iterator[Case]:
    """Graphs drawn by hand as they are, and with labels that are made of the brief's words without reading it."""
    for one in graphs:
        yield Case("drawn graphs", one.id, one.graph, one.brief.id)
        words = [word.form for word in wording(one.brief.body).words]
        for name, make_label in GENERATORS.items():
            random = Random(f"{one.id} {name}")
            labels = [make_label(words, place, random) for place in range(len(one.graph["nodes"]))]
            nodes = [
                node | {"label": label}
                for node, label in zip(one.graph["nodes"], labels, strict=True)
            ]
            yield Case(f"gaming: {name}", one.id, one.graph | {"nodes": nodes}, one.brief.id)


def grounding_of_foreign_graphs(words: int) -> tuple[int, int, float, float, float]:
    """How `grounding` ends for English graphs against texts of so many words: the number of words and of
    graphs, and the shares that fail, warn and pass.

    The texts are put together from the bodies of other briefs, and have no front-matter.
    """
    graphs: list[TrueGraph | DrawnGraph] = [*true_graphs(), *drawn_graphs()]
    graphs = [one for one in graphs if one.language == "english"]
    bodies = {one.brief.id: one.brief.body for one in graphs}
    outcomes = Counter[str]()
    for one in graphs:
        others = [body for brief_id, body in bodies.items() if brief_id != one.brief.id]
        for number in range(TEXTS_PER_GRAPH):
            Random(f"{one.id} {number}").shuffle(others)
            text = " ".join(" ".join(others).split()[:words])
            brief = Brief(id="long", expectations=Expectations(), body=text, sha256="")
            checks = FidelityChecker("", [brief]).check(read(one.graph)[0], brief.id)
            outcomes[next(check.outcome for check in checks if check.name == "grounding")] += 1
    times = outcomes.total()
    fail, warn, passed = (outcomes[name] / times for name in ("fail", "warn", "pass"))
    return words, times, fail, warn, passed


def _random_words(words: Sequence[str], _: int, random: Random) -> str:
    return " ".join(random.choices(words, k=3))


def _window(words: Sequence[str], _: int, random: Random) -> str:
    start = random.randrange(max(len(words) - 3, 1))
    return " ".join(words[start : start + 4])


def _frequent_words(words: Sequence[str], place: int, _: Random) -> str:
    frequent = [word for word, _ in Counter(words).most_common(12)]
    return " ".join(frequent[(place + step) % len(frequent)] for step in (0, 1, 5))


def _numbered_word(words: Sequence[str], place: int, _: Random) -> str:
    return f"{words[place % len(words)]} {place}"


GENERATORS: dict[str, Callable[[Sequence[str], int, Random], str]] = {
    "random words of the brief": _random_words,
    "windows of words": _window,
    "frequent words": _frequent_words,
    "word 0": _numbered_word,
}
"""Generators that know nothing but the words of a brief: guarantee 13."""


def _noticed(check: CheckResult) -> bool:
    return check.outcome in ("warn", "fail")


def _shares(results: Sequence[tuple[CheckResult, ...]]) -> tuple[float, float, float, str]:
    """The shares with a failed check, else with a warning, else with neither; and which checks failed or warned, how often."""
    outcomes = [{check.outcome for check in checks} for checks in results]
    failed = sum("fail" in one for one in outcomes) / len(outcomes)
    warned = sum("warn" in one and "fail" not in one for one in outcomes) / len(outcomes)
    names = [
        f"{check.name} {check.outcome}" for checks in results for check in checks if _noticed(check)
    ]
    by_check = ", ".join(
        f"{name} {names.count(name) / len(results):.0%}" for name in sorted(set(names))
    )
    return failed, warned, 1 - failed - warned, by_check


def _language(graph: TrueGraph) -> str:
    return "english" if graph.style == "other language" else graph.language


if __name__ == "__main__":
    main()
