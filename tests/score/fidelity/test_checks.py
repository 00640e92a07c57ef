"""All checks together: quiet on true graphs, alert to attacks, and never an exception for any
answer.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_evaluator.records.scorecard import CHECKS
from graph_evaluator.score.fidelity.subject import BriefContent
from tests.builders.graphs import ANSWERS
from tests.score.fidelity.checking import PROMPT, brief, check_all, checks_against
from tests.score.fidelity.drawn_graphs import PROMPTS, true_graphs

TRUE = true_graphs()
SUBJECTS = {one.brief.id: BriefContent(one.brief) for one in TRUE}


def results(drafted, of, prompt="draft_graph_v21"):
    checks = checks_against(SUBJECTS[of.brief.id], PROMPTS[prompt], drafted)
    return {result.name: result for result in checks}


KNOWN_FAILURES = {"bento-jp, 抽象": ["grounding"]}
"""Two words of 32 are the brief's."""


@pytest.mark.parametrize("prompt", sorted(PROMPTS))
@pytest.mark.parametrize("one", TRUE, ids=lambda one: f"{one.language}: {one.id}")
def test_no_check_fails_a_true_graph(one, prompt):
    found = results(one.graph, one, prompt)
    failed = [name for name, result in found.items() if result.outcome == "fail"]
    assert failed == KNOWN_FAILURES.get(one.id, [])
    assert {found[name].outcome for name in ("direction", "prompt_copy")} == {"pass"}


@given(drafted=ANSWERS, body=st.text(max_size=40), target=st.booleans())
def test_no_answer_and_no_brief_raises(drafted, body, target):
    about = brief(body or "x", has_numeric_target=target, **({"target": 5} if target else {}))
    assert len(check_all(drafted, about, PROMPT)) == len(CHECKS)
