"""docs/first-day.md, followed from its first block to its last: what is typed, written and printed."""

import json
import re

import pytest

from tests import REPOSITORY
from tests.pipeline.project import Project, create, install

pytestmark = pytest.mark.pipeline

PAGE = (REPOSITORY / "docs/first-day.md").read_text()
BLOCK = re.compile(
    r"(?:Write [^`\n]*`(?P<file>[^`\n]+)`[^`]*\n\n)?^```(?P<kind>\w+)\n(?P<content>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
FEWER_CELLS = "models: [language-model, sim-careful, sim-defaults, sim-flaky]\nbriefs: ['0*']\n"
"""What `make` runs here: of its cells, those that the page uses later."""
TYPED_INSTEAD = {
    "git clone ADDRESS graph-evaluator": "git clone -q origin graph-evaluator",
    "make": "dvc repro",  # test_make.py types it
    "cp .env.example .env": "echo OPENAI_API_KEY=sk-of-the-first-day > .env",
}
EXIT_CODES = {
    "graph-evaluator compare main workspace --html": 3,
}


class Reader:
    """Somebody who follows the page in an empty folder, block by block."""

    def __init__(self, folder):
        self._project = Project(folder, folder / "home", COLUMNS="120")
        self._printed = ""

    def follow(self, file, kind, content):
        """Do what a block of the page says; fails where it does not go as the page says."""
        if file:
            (self._project / file).write_text(content)
        elif kind == "bash":
            self._type_lines(content)
        elif kind == "text":
            self._expect_output(content)
        else:
            edit_params(self._project, content)

    def _type_lines(self, content):
        self._printed = ""
        for line in content.splitlines():
            if line.startswith("cd "):
                self._enter(line.removeprefix("cd "))
                continue
            code, printed = self._project.attempt(TYPED_INSTEAD.get(line, line))
            assert code == EXIT_CODES.get(line, 0), f"{line} ended with {code}:\n{printed}"
            self._printed += printed

    def _enter(self, folder):
        beside = self._project.folder
        self._project = Project(beside / folder, beside / "home", COLUMNS="120")
        install(self._project)

    def _expect_output(self, content):
        """Each line is printed, in this order, however it is wrapped; `...` stands for anything."""
        rest = " ".join(self._printed.split())
        for line in content.splitlines():
            words = " ".join(line.split())
            pattern = re.escape(words).replace(re.escape("..."), ".*?")
            shown = re.search(pattern, rest)
            assert shown, f"not printed: {words}\n{self._printed}"
            rest = rest[shown.end() :]


def edit_params(project, lines):
    """Replace lines of `params.yaml` by those that begin with the same key."""
    file = project / "params.yaml"
    params = file.read_text()
    for line in lines.splitlines():
        key = line.partition(":")[0]
        params, replaced = re.subn(rf"^{key}: .*$", line, params, flags=re.MULTILINE)
        assert replaced == 1, f"params.yaml has no line `{key}: ...`"
    file.write_text(params)


def publish(folder, server):
    """The repository that is cloned: its real model is answered by the server."""
    origin = create(folder / "origin", folder / "home")
    model = origin / "models/gpt-6-luna.json"
    config = json.loads(model.read_text())
    model.write_text(json.dumps(config | {"base_url": server.url}))
    shipped = (REPOSITORY / "params.yaml").read_text()
    (origin / "params.yaml").write_text(shipped)
    edit_params(origin, FEWER_CELLS)
    origin.commit()


def test_the_first_day_goes_as_its_page_says(tmp_path, server):
    publish(tmp_path, server)
    server.calls.clear()
    reader = Reader(tmp_path)
    blocks = [block.group("file", "kind", "content") for block in BLOCK.finditer(PAGE)]
    for file, kind, content in blocks:
        reader.follow(file, kind, content)
    assert [file for file, *_ in blocks if file] == [
        "briefs/harbour-ferry.md",
        "codebooks/harbour-ferry.yaml",
    ]
    assert set(server.calls.values()) == {1}
    assert server.calls.total() == 10
