"""A repository with git and DVC that holds results of several revisions, written by hand."""

import shutil

from dvc.repo import Repo

from graph_evaluator.records.json_text import canonical, pretty
from graph_evaluator.shell.paths import response_file
from graph_evaluator.shell.repository import git_output

STAGES = """\
stages:
  generate: {cmd: "true", outs: [results/responses]}
  score: {cmd: "true", outs: [results/scorecards.jsonl]}
"""
BRIEF = "---\nhas_numeric_target: false\n---\n\nShould we?\n"


class Results:
    """The repository in `folder`, made where there is none; its DVC remote, when it has one, is the folder `remote` beside it."""

    def __init__(self, folder):
        self.folder = folder
        if folder.is_dir():
            return
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        Repo.init(str(folder)).close()
        (folder / "dvc.yaml").write_text(STAGES, encoding="utf-8")
        self.write(briefs={f"briefs/b{index:02}.md": BRIEF for index in range(1, 11)})

    def git(self, *arguments: str):
        """What git prints."""
        return git_output(*arguments, folder=self.folder).strip()

    def write(self, *, briefs):
        """Write text files."""
        for name, text in briefs.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def record(self, run, cards, responses=(), *, tag):
        """Store results under DVC, commit them and tag the commit."""
        results = self.folder / "results"
        results.mkdir(exist_ok=True)
        (results / "run.json").write_bytes(pretty(run.to_json()))
        lines = [f"{canonical(card.to_json())}\n".encode() for card in cards]
        (results / "scorecards.jsonl").write_bytes(b"".join(lines))
        stages = {"score"}
        for response in responses:
            file = results / "responses" / response_file(response.cell)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pretty(response.to_json()))
            stages.add("generate")
        with Repo(str(self.folder)) as repo:
            for stage in stages:
                repo.commit(f"{self.folder}/dvc.yaml:{stage}", force=True)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", tag)
        self.git("tag", tag)

    def push(self):
        """Push to a new DVC remote beside the repository."""
        remote = self.folder.with_name("remote")
        with Repo(str(self.folder)) as repo, repo.config.edit("repo") as config:
            config["core"] = {"remote": "beside", **config.get("core", {})}
            config["remote"] = {"beside": {"url": str(remote)}}
        with Repo(str(self.folder)) as repo:
            repo.push()

    def lose_cache(self):
        """Delete DVC's cache."""
        shutil.rmtree(self.folder / ".dvc" / "cache")
