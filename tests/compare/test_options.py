"""The command line, the settings and the exit codes."""

from dataclasses import replace

import pytest

from graph_evaluator.compare.__main__ import exit_code, parse_options
from graph_evaluator.compare.comparison import NotCompared
from graph_evaluator.compare.verdict import EXIT_CODES
from tests.builders.cases import cases
from tests.compare import cards as written
from tests.compare.cards import compared, side, with_verdict

BETTER = compared(side(written.cards(written.BASE)), side(written.cards(written.BETTER)))


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        pytest.param([], (4, 0, 0, 1, 3, 0, 3), id="every verdict has its code"),
        pytest.param(["--fail-on", "worse"], (0, 0, 0, 1, 0, 0, 0), id="worse alone"),
        pytest.param(["--fail-on", "worse,could-not-measure"], (4, 0, 0, 1, 0, 0, 0), id="two"),
    ],
)
def test_the_exit_code_states_the_verdict(arguments, codes):
    fail_on = parse_options(["main", *arguments]).fail_on
    results = (with_verdict(BETTER, verdict) for verdict in EXIT_CODES)
    assert tuple(exit_code(result, fail_on) for result in results) == codes


NOT_RUN = NotCompared(baseline="a", candidate="b", reasons=(), not_run=True)


@cases(
    "fail_on, result, code",
    {
        "not run": ("worse,not-run", NOT_RUN, 4),
        "not measured otherwise": ("worse,not-run", replace(NOT_RUN, not_run=False), 0),
        "run": ("worse,not-run", BETTER, 0),
    },
)
def test_what_was_not_run_can_fail_too(fail_on, result, code):
    assert exit_code(result, parse_options(["main", "--fail-on", fail_on]).fail_on) == code


@cases(
    "arguments, said",
    {
        "a misspelt verdict": (
            ["main", "--fail-on", "wurse"],
            'no "wurse" (did you mean "worse"?)',
        ),
        "no baseline": ([], "BASELINE is missing"),
        "options of a comparison": (
            ["--history", "main", "v2", "--fail-on", "worse"],
            "CANDIDATE, --fail-on cannot be used with --history",
        ),
        "two revisions": (["--models", "a", "b", "main", "v2"], "CANDIDATE cannot be used with"),
    },
)
def test_what_has_no_meaning_is_refused(arguments, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse_options(arguments)
    assert said in " ".join(capsys.readouterr().err.split())
