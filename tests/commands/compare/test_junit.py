"""The verdict as JUnit XML."""

from xml.etree import ElementTree as Xml

import pytest

from stages.commands.compare.verdict import VERDICTS, Verdict
from stages.commands.compare.views import junit_xml
from tests.commands.compare.cards import BASE, BETTER, card, cards, compared, side, with_verdict

BETTER_HEAD = compared(cards(BASE), side(cards(BETTER), "v21"))
FAILING = {"worse"}
SKIPPED = {"mixed", "cannot tell", "could not measure"}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_only_worse_fails_and_what_was_not_settled_is_skipped(verdict: Verdict) -> None:
    suites = Xml.fromstring(junit_xml(with_verdict(BETTER_HEAD, verdict)))
    (case,) = suites.findall(".//testcase[@name='verdict']")
    assert (case.find("failure") is not None) is (verdict in FAILING)
    assert (case.find("skipped") is not None) is (verdict in SKIPPED)
    counted = {"failures": ".//failure", "skipped": ".//skipped", "tests": ".//testcase"}
    for suite in (suites, suites[0]):
        for attribute, tag in counted.items():
            assert int(suite.get(attribute, "")) == len(suites.findall(tag))


def test_every_brief_that_moved_is_a_test_with_its_scores_and_its_violations() -> None:
    head = side([*cards(BETTER[:9]), card(brief="b10", codes=("CYCLE_DETECTED",))], "v21")
    suites = Xml.fromstring(junit_xml(compared(cards(BASE), head)))
    moved = {case.get("name"): case for case in suites.findall(".//testcase[@classname='moved']")}
    assert len(moved) == 10
    text = moved["b10 by m"].findtext("system-out") or ""
    assert "score 0.340 → 0.000\ncontent — → —\ngained Cycle detected" in text


def test_no_name_breaks_the_xml() -> None:
    name = "<b>&]]>\x00\x1b\ud800\u202e\uffff\n"
    base = [card(score, brief=f"{name}{index}", model=name) for index, score in enumerate(BASE)]
    head = [card(brief=each.brief_id, model=name, codes=(name,)) for each in base]
    suites = Xml.fromstring(junit_xml(compared(side(base, name), side(head, name))))
    assert len(suites.findall(".//testcase")) == 11
