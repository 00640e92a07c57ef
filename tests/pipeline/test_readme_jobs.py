"""The README's three jobs, typed in a fresh clone: answers in a log, models with a key, a new prompt."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer
from tests.pipeline.project import ANSWERED, REPOSITORY, V20, Project, create, install

pytestmark = pytest.mark.pipeline

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
FIRST_DAY = (REPOSITORY / "docs/first-day.md").read_text(encoding="utf-8")
LOGGED = 60


def block(after: str, kind: str = "bash") -> list[str]:
    """The lines of the first block of a kind after a text, without comments."""
    content = README.partition(after)[2].partition(f"```{kind}\n")[2].partition("```")[0]
    return [line.partition("  #")[0].rstrip() for line in content.splitlines()]


def write_log(file: Path, brief: Path) -> None:
    """A log of which every other input is that of a brief."""
    prompt = (REPOSITORY / V20).read_text(encoding="utf-8")
    graph = prompt.partition("<example_graph>")[2].partition("</example_graph>")[0]
    known = brief.read_text(encoding="utf-8").split("---\n", 2)[2]
    with file.open("w", encoding="utf-8") as log:
        for number in range(LOGGED):
            text = known if number % 2 else f"Should branch {number} open on Sundays?"
            log.write(json.dumps({"input": text, "output": graph, "request": number}) + "\n")


def answer_models_by(server: CountingServer, project: Project) -> list[str]:
    """Let the server answer the models that the second job names."""
    (names,) = re.findall(r"--models (\S+)", README.partition("**Run your models.**")[2])
    for name in names.split(","):
        file = project.folder / f"models/{name}.json"
        config = json.loads(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps(config | {"base_url": server.url}), encoding="utf-8")
    project.commit()
    return list(names.split(","))


def scored(project: Project) -> list[tuple[str, str]]:
    with (project.folder / "results/scores.csv").open(encoding="utf-8") as scores:
        return [(row["model_id"], row["brief_id"]) for row in csv.DictReader(scores)]


def test_the_three_jobs_of_the_readme(tmp_path: Path, server: CountingServer) -> None:
    server.calls.clear()
    create(tmp_path / "clone", tmp_path / "home")
    project = Project(tmp_path / "clone", tmp_path / "home", OPENAI_API_KEY="sk-test-0123456789")
    install(project)
    models = answer_models_by(server, project)
    write_log(tmp_path / "log.jsonl", project.folder / "briefs/01-simple-binary.md")

    for line in block("**Score answers that you have**"):
        project.run(line)
    assert scored(project) == [("production", "01-simple-binary")] * (LOGGED // 2)
    assert (project.folder / "results/site/traffic.html").is_file()
    assert server.calls.total() == 0

    for line in block("**Run your models.**"):
        project.run(line)
    assert {model for model, _ in scored(project)} == set(models)
    assert server.calls.total() == len(models) * ANSWERED

    *run, compare = block("**Is the new prompt better?**")
    for line in run:
        project.run(line)
    assert server.calls.total() == 2 * len(models) * ANSWERED
    code, printed = project.attempt(compare)
    assert code == 4, printed
    assert "a verdict requires 6" in " ".join(printed.split())


def test_the_verdict_in_the_readme_is_that_of_the_first_day() -> None:
    shown = block("**Is the new prompt better?**", "text")
    assert shown
    assert [line for line in shown if line not in FIRST_DAY] == []
