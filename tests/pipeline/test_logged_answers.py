"""The README's three commands score answers that a fresh clone has in a log."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer
from tests.pipeline.project import REPOSITORY, Project, create, install

pytestmark = pytest.mark.pipeline

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
BLOCK = README.partition("**Score answers that you have**")[2].split("```")[1]
COMMANDS = [line.partition("  #")[0].rstrip() for line in BLOCK.splitlines()[1:]]
ANSWERS = 60


def write_log(file: Path, brief: Path) -> None:
    """A log of which every other input is that of a brief."""
    graph = re.search(r"<example_graph>(.*?)</example_graph>",
                      (REPOSITORY / "prompts/draft_graph_v20.txt").read_text(), re.DOTALL)  # fmt: skip
    assert graph
    known = brief.read_text(encoding="utf-8").split("---\n", 2)[2]
    with file.open("w", encoding="utf-8") as log:
        for number in range(ANSWERS):
            text = known if number % 2 else f"Should branch {number} open on Sundays?"
            log.write(json.dumps({"input": text, "output": graph[1], "request": number}) + "\n")


def test_three_commands_score_a_log_and_nothing_is_called(
    tmp_path: Path, server: CountingServer
) -> None:
    assert len(COMMANDS) == 3
    server.calls.clear()
    create(tmp_path / "clone", tmp_path / "home")
    variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test-0123456789"}
    project = Project(tmp_path / "clone", tmp_path / "home", **variables)
    install(project)
    project.set({"briefs": ["*"]})
    write_log(tmp_path / "log.jsonl", project.folder / "briefs/01-simple-binary.md")
    for command in COMMANDS:
        code, printed = project.attempt_line(command)
        assert code == 0, printed
    with (project.folder / "results/scores.csv").open(encoding="utf-8") as scores:
        rows = list(csv.DictReader(scores))
    assert {row["model_id"] for row in rows} == {"production"}
    assert {row["brief_id"] for row in rows} == {"01-simple-binary"}
    assert len(rows) == ANSWERS / 2
    assert (project.folder / "results/site/traffic.html").is_file()
    assert server.calls.total() == 0
