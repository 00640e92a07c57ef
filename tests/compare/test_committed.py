"""What a commit holds, from git and from the cache, without DVC's going through the whole pipeline."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from dvc.repo import Repo

from stages.compare.committed import Committed
from stages.compare.lock_file import md5
from tests.compare.repository import Results

pytestmark = pytest.mark.pipeline

SCORED = Path("results/scorecards.jsonl")
CONTENT = b'{"brief_id":"b01"}\n'
STAGE = {"cmd": "score", "outs": [{"path": SCORED.as_posix(), "md5": md5(CONTENT)}]}


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DVC's settings and caches of the machine stay out of it."""
    for name in ("SITE_CACHE_DIR", "GLOBAL_CONFIG_DIR", "SYSTEM_CONFIG_DIR"):
        monkeypatch.setenv(f"DVC_{name}", str(tmp_path / name.lower()))


@pytest.fixture(params=["", "inside"], ids=["at the root", "in a folder of a larger repository"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Repo]:
    """A repository whose one commit names scorecards that lie in the cache."""
    top = Results(tmp_path / "repository")
    folder = top.folder / request.param
    if request.param:
        folder.mkdir()
        Repo.init(str(folder), subdir=True).close()
    (folder / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": {"score": STAGE}}), encoding="utf-8")
    top.git("add", "-A")
    top.git("commit", "-q", "-m", "scored")
    with Repo(str(folder)) as made:
        cached(made).parent.mkdir(parents=True)
        cached(made).write_bytes(CONTENT)
        yield made


def cached(repo: Repo) -> Path:
    return Path(repo.root_dir) / ".dvc" / "cache" / "files" / "md5" / md5(CONTENT)[:2] / md5(CONTENT)[2:]


def head(repo: Repo) -> Committed:
    return Committed(repo, repo.scm.get_rev())


def test_what_git_holds_is_read_from_git(repo: Repo) -> None:
    assert head(repo).read(Path("dvc.lock")) == (Path(repo.root_dir) / "dvc.lock").read_bytes()


def test_what_the_lock_file_names_is_read_from_the_cache(repo: Repo) -> None:
    assert head(repo).read(SCORED) == CONTENT


def test_what_is_damaged_in_the_cache_is_left_to_dvc(repo: Repo) -> None:
    cached(repo).write_bytes(CONTENT[:-4])
    assert head(repo).read(SCORED) is None


@pytest.mark.parametrize("file", ["results/run.json", "results"])
def test_what_is_in_neither_is_left_to_dvc(repo: Repo, file: str) -> None:
    assert head(repo).read(Path(file)) is None
