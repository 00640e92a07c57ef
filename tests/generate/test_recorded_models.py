"""Recorded models in a run: everything after their answers is as for a model that was called."""

import json
from pathlib import Path

from graph_evaluator.score import __main__ as score_stage
from tests.builders.cases import cases
from tests.builders.provider import answer_body
from tests.generate.workspace import Workspace, model

EXAMPLE = Path("prompts/draft_graph_v20.txt").read_text(encoding="utf-8")
GRAPH = EXAMPLE.partition("<example_graph>")[2].partition("</example_graph>")[0].strip()
TEXTS = {"b1": GRAPH, "b2": f"Here it is:\n```json\n{GRAPH}\n```", "b3": "I cannot help with that."}
"""What a model answers to each brief; the body of b1 is "brief 1"."""
MEASURED = {
    "model_id", "asked_model", "fingerprint", "latency_ms", "created_at", "est_cost_usd", "attempts",
    "pricing_source", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens",
    "endpoint", "response_id", "answered_model", "service_tier",
}  # fmt: skip
"""In what the scorecards of equal texts may differ."""


def recorded(name="r", **fields):
    """A recorded model, as its file holds it."""
    config = {
        "id": name,
        "display_name": name,
        "provider": "recorded",
        "model": name,
        "target_mode": "fast",
    }
    return config | {"answers": f"answers/{name}.jsonl"} | fields


def line(brief="b1", text="{}", **fields):
    return json.dumps({"brief": brief, "text": text} | fields).encode() + b"\n"


def workspace(folder, *lines, config=None):
    """A project with one recorded model and its answers."""
    project = Workspace(folder, config or recorded())
    (folder / "answers").mkdir()
    (folder / "answers/r.jsonl").write_bytes(b"".join(lines))
    return project


def scorecards(project):
    """The scorecards that `score` writes, by model and brief."""
    done = project.run(main=score_stage.main)
    assert done.returncode == 0, done.stderr
    cards = [json.loads(text) for text in (project.folder / "results/scorecards.jsonl").open()]
    return {(card["model_id"], card["brief_id"]): card for card in cards}


def manifest(project):
    return json.loads((project.folder / "results/run.json").read_bytes())


def test_the_same_texts_score_the_same_through_the_api_and_through_a_file(server, tmp_path):
    server.answering = lambda body, _: (200, answer_body(TEXTS[body.replace("brief ", "b")]))
    project = workspace(tmp_path / "project", *(line(*entry) for entry in TEXTS.items()))
    project.write("models/m.json", json.dumps(model(url=server.url)))
    assert project.run().returncode == 0
    cards = scorecards(project)
    for brief in TEXTS:
        called, from_file = cards["m", brief], cards["r", brief]
        assert {key for key in called if called[key] != from_file[key]} <= MEASURED
        assert from_file["est_cost_usd"] is None
    assert cards["r", "b1"]["overall_score"] > 0.9


def test_a_recorded_model_is_never_called_and_not_in_the_ledger(server, tmp_path):
    answer = line(text='{"fingerprint": "%s"}' % ("0" * 64), created_at="2026-11-02")
    project = workspace(tmp_path, answer)
    variables = {
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-test-1234567890",
    }
    runs = [project.run(*options, **variables) for options in (["--dry-run"], [])]
    outputs, run_id = project.outputs(), manifest(project)["run_id"]
    runs.append(project.run(**variables))
    assert server.calls.total() == 0
    assert [done.returncode for done in runs] == [0, 0, 0]
    assert project.outputs() == outputs
    assert "1 answer from answers/r.jsonl, never called" in runs[0].stderr
    kept = [file.read_bytes() for file in (tmp_path / ".ledger").rglob("*") if file.is_file()]
    assert kept
    assert not any(b"recorded:" in content for content in kept)
    assert project.response("r/b1")["fingerprint"].startswith("recorded:")
    (tmp_path / "answers/r.jsonl").write_bytes(line(text="[]"))
    project.run()
    assert manifest(project)["run_id"] != run_id


def test_every_line_counts_and_takes_the_next_sample(tmp_path):
    """Also in a file with a byte order mark and the line ends of Windows."""
    lines = [line(text="first"), line(text="second", sample=2), line(text="third"), line("b2")]
    windows = b"\r\n\r\n".join(text.rstrip() for text in lines)
    project = workspace(tmp_path, b"\xef\xbb\xbf", windows)
    assert project.run().returncode == 0
    folder = tmp_path / "results/responses/r/b1"
    for name, text in (("response", "first"), ("response-2", "second"), ("response-3", "third")):
        assert json.loads((folder / f"{name}.json").read_bytes())["raw_text"] == text


def test_what_is_not_recorded_or_not_selected_is_counted_and_has_no_file(tmp_path):
    failed = json.dumps({"brief": "b1", "body": {"error": {"code": "expired"}}})
    project = workspace(tmp_path, line("b1"), line("b3"), line("deleted"), failed.encode())
    project.set(briefs=["b1", "b2"])
    done = project.run()
    assert "1 answer from answers/r.jsonl" in done.stderr
    assert (
        "briefs without a recorded answer: 1; lines for briefs that are not selected: 2"
        in done.stderr
    )
    assert "lines with an error instead of an answer: 1" in done.stderr
    assert sorted(path.name for path in (tmp_path / "results/responses/r").iterdir()) == ["b1"]
    counts = manifest(project)["recorded"]["r"]
    assert [counts[name] for name in ("answers", "not_recorded", "left_out")] == [1, 1, 2]


def test_a_recorded_response_says_what_is_known_and_prices_its_usage_by_the_config(tmp_path):
    pricing = {"input_per_1m": 2, "output_per_1m": 8, "source": "a test"}
    usage = {"input_tokens": 1_000_000, "output_tokens": 500_000}
    stated = line("b2", cost_usd=0.5, latency_ms=40)
    lines = (line(), stated, line("b3", usage=usage))
    project = workspace(tmp_path, *lines, config=recorded(pricing=pricing))
    project.run()
    unknown, known, used = (project.response(f"r/{brief}") for brief in ("b1", "b2", "b3"))
    assert (unknown["est_cost_usd"], unknown["latency_ms"], unknown["created_at"]) == (None,) * 3
    assert known["est_cost_usd"] == 0.5
    assert known["latency_ms"] == 40
    assert known["pricing_source"] == "stated with the recorded answer"
    assert used["est_cost_usd"] == 6


@cases(
    "lines, faults",
    {
        "empty": ([], ["answers/r.jsonl: has no answer"]),
        "cut": (
            [line(), b'{"brief": "b1", "te'],
            ["1 line cannot be used, the first:\n  line 2: is not JSON"],
        ),
        "an unknown brief": (
            [line(), line("bb1")],
            ['line 2: there is no brief "bb1"'],
        ),
        "a sample twice": (
            [line(sample=1), line(), line(sample=1)],
            ["line 3: is sample 1 of b1, as an earlier line is"],
        ),
        "many": ([b"[]\n"] * 30, ["30 lines cannot be used", "line 20: must"]),
    },
)
def test_damage_is_one_message_with_every_line_number(tmp_path, lines, faults):
    project = workspace(tmp_path, *lines)
    message = project.run().problem
    assert all(fault in message for fault in faults)
    assert "line 21" not in message
    assert not (tmp_path / "results").exists()


@cases(
    "config, fault",
    {
        "no file": (
            recorded(answers="answers/s.jsonl"),
            'answers: there is no file "answers/s.jsonl"',
        ),
        "pulled first": (recorded(answers="answers/elsewhere.jsonl"), "run `dvc pull`"),
        "no prompt": (recorded(prompt="prompts/n.txt"), 'prompt: there is no file "prompts/n.txt"'),
        "no answers": (recorded(answers=None), '"recorded" needs answers'),
        "a called model": (
            model("r", answers="answers/r.jsonl"),
            'are for the provider "recorded" alone',
        ),
    },
)
def test_a_wrong_config_is_one_message(tmp_path, config, fault):
    project = workspace(tmp_path, line(), config=config)
    project.write("answers/elsewhere.jsonl.dvc", "outs: []\n")
    assert fault in project.run().problem


def test_a_copy_of_the_prompt_of_the_answers_is_recognised(tmp_path):
    config = recorded(prompt="prompts/other.txt")
    project = workspace(tmp_path, line(text=GRAPH), config=config)
    words = "Should the bakery on the harbour open a second shop with longer hours? " * 5
    project.write("briefs/b1.md", f"---\ncomplexity: simple\n---\n\n{words}\n")
    project.write("prompts/other.txt", EXAMPLE)
    project.run()
    assert project.response("r/b1")["request"]["prompt"] == "prompts/other.txt"
    checks = {
        check["name"]: check["outcome"] for check in scorecards(project)["r", "b1"]["fidelity"]
    }
    assert checks["prompt_copy"] == "fail"
