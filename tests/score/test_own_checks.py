"""A team's own checks run in a child process without keys; what is wrong with one is one message, and nothing is written."""

import json
import os
import subprocess
import sys

import pytest

from graph_evaluator.records.errors import GraphEvaluatorError, InputError
from graph_evaluator.score import __main__ as score
from graph_evaluator.score import check_process
from graph_evaluator.score.own_checks import CheckFailed
from tests.builders.cases import cases
from tests.score.test_command import PARAMS, answer, project, put, scorecards

__all__ = ["project"]

CHECK = '"""Has it a label of one word?"""\nFIX = "Ask for one."\ndef check(graph, brief):\n    '


def with_checks(project, checks, *, fails=False):
    """The project with these bodies of functions as checks, and a stored answer."""
    (project / "checks").mkdir(exist_ok=True)
    listed = ""
    for name, body in checks.items():
        text = body if "def check" in body else CHECK + body
        (project / f"checks/{name}.py").write_text(text)
        listed += f"    {name}: {{fails: {str(fails).lower()}}}\n"
    (project / "params.yaml").write_text(f"{PARAMS}score:\n  checks:\n{listed}")
    put(project, "m/a-brief/response.json", **answer())


def scored(project):
    score.main([])
    (card,) = scorecards(project)
    return card


def test_every_kind_of_answer_is_counted_as_it_is(project):
    bodies = {
        "right": "return len(graph['nodes']) == 9, f\"{brief['id']}: {brief['body']}\"",
        "wrong": "return any(node['label'] == 'Price' for node in graph['nodes'])",
        "none": "return None",
        "measure": "return 0.25, 'A quarter.'",
        "whole": "return 1",
    }
    with_checks(project, bodies)
    card = scored(project)
    assert card["own_checks"] == {
        "right": True,
        "wrong": False,
        "none": None,
        "measure": 0.25,
        "whole": 1.0,
    }
    results = {entry["name"]: (entry["outcome"], entry["message"]) for entry in card["fidelity"]}
    assert results["right"] == ("pass", "a-brief: What to charge?")
    assert results["wrong"] == ("warn", "Has it a label of one word? Ask for one.")
    assert results["none"] == ("not_applicable", "Has it a label of one word?")
    assert results["measure"] == ("pass", "A quarter.")
    assert card["usable"]


def test_a_check_that_fails_makes_a_graph_unusable_and_is_part_of_the_rules(project):
    with_checks(project, {"never": "return False"})
    lenient = scored(project)
    with_checks(project, {"never": "return False"}, fails=True)
    strict = scored(project)
    assert (lenient["usable"], strict["usable"], strict["expected_score"]) == (True, False, 0.0)
    assert strict["checks"]["never"] == "fail"
    with_checks(project, {"never": "return not True"}, fails=True)
    other = scored(project)
    rules = [card["scoring_rules"] for card in (lenient, strict, other)]
    assert len(set(rules)) == 3


def test_a_check_sees_no_key_and_what_it_prints_or_changes_stays_with_it(project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    environment = "import os; print('{}'); graph.clear(); return True, ' '.join(os.environ)"
    with_checks(project, {"first": environment, "second": "return len(graph) == 3"})
    card = scored(project)
    assert card["own_checks"] == {"first": True, "second": True}
    names = card["fidelity"][-2]["message"].split()
    assert "PATH" in names
    assert "OPENAI_API_KEY" in os.environ
    assert "OPENAI_API_KEY" not in names


@cases(
    "body, said",
    {
        "raises": ("return graph['nods']", "checks/bad.py:4: KeyError: 'nods' (on m/a-brief/1)"),
        "ends the process": (
            "import os; os._exit(3)",
            "checks/bad.py: ended with exit code 3 (on m/a-brief/1)",
        ),
        "leaves": ("raise SystemExit", "checks/bad.py:4: SystemExit"),
        "is endless": ("while True: pass", "checks/bad.py:4: took too long (on m/"),
        "swallows everything": (
            "\n    while True:\n        try:\n            pass\n        except BaseException:\n            pass",
            "took too long",
        ),
        "waits": ("import time; time.sleep(60)", "checks/bad.py:4: took too long"),
        "not a number": ("return float('nan')", "checks/bad.py:3: TypeError: check returned nan"),
        "too large": ("return 1.5", "check returned 1.5 instead of True, False, None, a number"),
        "a text": ("return 'yes'", "check returned 'yes'"),
        "no sentence": ("return True, 5", "check returned (True, 5)"),
        "at its import": ("import nothing_here\ndef check(graph, brief): ...", "checks/bad.py:1:"),
    },
)
def test_what_is_wrong_with_a_check_is_one_message_and_nothing_is_written(project, body, said):
    with_checks(project, {"good": "return True", "bad": body})
    put(project, "m/b-brief/response.json", **answer(brief="b-brief"))
    with pytest.raises(CheckFailed) as raised:
        score.main([])
    assert said in str(raised.value)
    assert not (project / "results/scorecards.jsonl").exists()


def test_the_process_ends_with_what_a_check_started(tmp_path):
    body = "import threading; threading.Thread(target=threading.Event().wait).start(); return True"
    (tmp_path / "slow.py").write_text(CHECK + body)
    command = [sys.executable, "-I", check_process.__file__, str(tmp_path / "slow.py")]
    ended = subprocess.run(command, input=b"[{}, {}]\n", capture_output=True, timeout=10)
    assert json.loads(ended.stdout) == {"value": True, "sentence": ""}


def test_a_check_that_stumbles_on_a_damaged_graph_is_named_with_the_damage(project):
    with_checks(project, {"bad": "return graph['edges'][4]['strength']['mean'] > 0 or 1 / 0"})
    with pytest.raises(
        GraphEvaluatorError,
        match=r"bad\.py:4: ZeroDivisionError: .*whose graph was damaged: signs turned",
    ):
        score.main([])
    assert not (project / "results/scorecards.jsonl").exists()


def test_a_measure_cannot_make_a_graph_unusable(project):
    with_checks(project, {"measure": "return 0.5"}, fails=True)
    with pytest.raises(
        CheckFailed, match=r"measure\.py: returned 0\.5 on m/a-brief/1; with `fails"
    ):
        score.main([])


@cases(
    "name, text, said",
    {
        "a misspelt name": ("goood", None, 'there is no checks/goood.py (did you mean "good"?)'),
        "no function": ("other", "def chek(): ...", "checks/other.py: has no function check"),
        "no text": ("other", "FIX = str(1)\ndef check(a, b): ...", "other.py: line 1: FIX must be"),
        "no Python": ("other", "def check(:", "checks/other.py: line 1: is not Python"),
        "a column of ours": ("latency_ms", "def check(a, b): ...", "is a reserved name"),
        "a check of ours": ("target", "def check(a, b): ...", "is a reserved name"),
        "no name": ("No-Name", "def check(a, b): ...", "score.checks.No-Name"),
    },
)
def test_a_check_that_cannot_be_read_is_refused_before_anything_runs(project, name, text, said):
    with_checks(project, {"good": "return True"})
    (project / "params.yaml").write_text(f"{PARAMS}score: {{checks: {{{name}: {{}}}}}}\n")
    if text is not None:
        (project / f"checks/{name}.py").write_text(text)
    with pytest.raises(InputError) as raised:
        score.main([])
    assert said in str(raised.value)


def test_one_check_is_tried_on_one_stored_answer(project, capsys):
    with_checks(project, {"price": "return 0.5, 'Half.'"})
    (project / "params.yaml").write_text(PARAMS)
    score.main(["--check", "price", "m/a-brief"])
    assert capsys.readouterr().out == "price on m/a-brief: gives 0.5. Half.\n"
    assert not (project / "results/scorecards.jsonl").exists()
    for cell, said in (("m/c-brief", "has no stored answer"), ("m", "name it MODEL/BRIEF")):
        with pytest.raises(InputError, match=said):
            score.main(["--check", "price", cell])
    put(project, "m/a-brief/response.json", **answer(parsed_graph=[]))
    with pytest.raises(InputError, match="has no valid graph"):
        score.main(["--check", "price", "m/a-brief"])


def test_several_processes_have_children_of_their_own(project, monkeypatch):
    with_checks(project, {"price": "return True"})
    put(project, "k/a-brief/response.json", **answer(model="k"))
    score.main([])
    alone = (project / "results/scorecards.jsonl").read_bytes()
    monkeypatch.setattr(score, "PARALLEL_FROM", 2)
    monkeypatch.setattr(score, "FILES_PER_TASK", 1)
    score.main([])
    assert (project / "results/scorecards.jsonl").read_bytes() == alone
    assert len(json.loads((project / "results/checks.json").read_bytes())["checks"]) == 8
