"""The README's three jobs: a test scores answers that a fresh clone has in a log; the first day types the others."""

import csv
import json

import pytest

from tests import REPOSITORY
from tests.pipeline.project import V20, Project, create, install

pytestmark = pytest.mark.pipeline

README = (REPOSITORY / "README.md").read_text()
FIRST_DAY = (REPOSITORY / "docs/first-day.md").read_text()
LOGGED = 60
NEW_PROMPT = "**Find out whether a new prompt is better**"


def block(after, kind="bash"):
    """The lines of the first block of a kind after a text, without comments."""
    content = README.partition(after)[2].partition(f"```{kind}\n")[2].partition("```")[0]
    return [line.partition("  #")[0].rstrip() for line in content.splitlines()]


def write_log(file, brief):
    """A log of which every other input is that of a brief."""
    prompt = (REPOSITORY / V20).read_text()
    graph = prompt.partition("<example_graph>")[2].partition("</example_graph>")[0]
    known = brief.read_text().split("---\n", 2)[2]
    with file.open("w") as log:
        for number in range(LOGGED):
            text = known if number % 2 else f"Should branch {number} open on Sundays?"
            log.write(json.dumps({"input": text, "output": graph, "request": number}) + "\n")


def test_answers_in_a_log_are_scored_and_nothing_is_called(tmp_path, server):
    server.calls.clear()
    create(tmp_path / "clone", tmp_path / "home")
    variables = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test-0123456789"}
    project = Project(tmp_path / "clone", tmp_path / "home", **variables)
    install(project)
    write_log(tmp_path / "log.jsonl", project / "briefs/01-simple-binary.md")
    for line in block("**Score answers that you have**"):
        project.run(line)
    with (project / "results/scores.csv").open() as scores:
        rows = [(row["model_id"], row["brief_id"]) for row in csv.DictReader(scores)]
    assert rows == [("production", "01-simple-binary")] * (LOGGED // 2)
    assert server.calls.total() == 0


@pytest.mark.parametrize("job", ["**Choose a model.**", NEW_PROMPT])
def test_the_first_day_types_the_other_jobs(job):
    assert len(block(job)) >= 3
    lines = [*block(job), *block(NEW_PROMPT, "text")]
    assert [line for line in lines if f"\n{line}" not in FIRST_DAY] == []
