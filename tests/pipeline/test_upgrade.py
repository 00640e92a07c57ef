"""docs/upgrading.md: a new version of the tool merged into a project with its own inputs and results."""

import re
from pathlib import Path

import pytest

from tests.builders.provider import CountingServer
from tests.pipeline.project import BRIEFS, REPOSITORY, Project

pytestmark = pytest.mark.pipeline

PAGE = (REPOSITORY / "docs/upgrading.md").read_text(encoding="utf-8")
OWN_BRIEF = "Should the library lend tools, or buy more books?\n"
TYPED_INSTEAD = {"git commit": "git commit -qm merged", "dvc push && git push": "dvc push -q"}


def write(project: Project, name: str, text: str) -> None:
    (project.folder / name).write_text(text, encoding="utf-8")


def publish_new_version(upstream: Project) -> None:
    """Other code, another README, another setting, and the results of other models."""
    package = Path("graph_evaluator/score/__init__.py")
    code = (upstream.folder / package).read_text(encoding="utf-8")
    write(upstream, package.as_posix(), f"{code}# new\n")
    write(upstream, "README.md", "The new version\n")
    upstream.set({"models": ["sim-defaults"], "report.analysis_pack_chars": 20_000})
    upstream.run("dvc repro score")
    upstream.commit()


def use_own_inputs(project: Project) -> None:
    """An own brief, answered by a model that costs money, and an own README."""
    write(project, "briefs/library.md", OWN_BRIEF)
    write(project, "README.md", "Our project\n")
    project.set({"briefs": [*BRIEFS, "library"]})
    project.run("dvc repro score")
    project.commit()


def test_a_new_version_is_merged_and_keeps_what_is_the_projects_own(
    project: Project, clone: Project, server: CountingServer
) -> None:
    publish_new_version(clone)
    use_own_inputs(project)
    ours = (project.folder / "params.yaml").read_text(encoding="utf-8")
    paid = server.calls.total()
    project.run(f"git remote add upstream {clone.folder}")
    found = re.search(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    assert found
    for line in found[1].splitlines():
        command = line.partition("  #")[0].rstrip()
        code, printed = project.attempt(TYPED_INSTEAD.get(command, command))
        assert code == int(command.startswith("git merge")), printed
        if command.startswith("git checkout"):
            write(project, "params.yaml", ours)
            project.set({"report.analysis_pack_chars": 20_000})

    assert server.calls.total() == paid == 1
    assert (project.folder / "briefs/library.md").read_text(encoding="utf-8") == OWN_BRIEF
    assert (project.folder / "README.md").read_text(encoding="utf-8") == "Our project\n"
    assert (project.folder / "results/responses/paid/library/response.json").is_file()
    assert not (project.folder / "results/responses/sim-defaults").exists()
    assert "Data and pipelines are up to date" in project.run("dvc status")
    assert project.run("git status --porcelain") == ""
