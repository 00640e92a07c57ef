"""Every way in which a DVC remote cannot be read ends in one error, and in no answer."""

import pytest
from dvc.repo import Repo

from graph_evaluator.shell.repository import NotFetched, StoredContent
from tests.builders.cases import cases
from tests.pipeline.s3 import NO_ACCESS

pytestmark = pytest.mark.pipeline

CLOSED = "http://127.0.0.1:9"


@cases(
    "remote",
    {
        "no remote": None,
        "a folder that is not mounted": {"url": "/nowhere/store"},
        "a web server that is away": {"url": f"{CLOSED}/team"},
        "a library that is missing": {"url": "gs://bucket/team"},
        "no secrets": {"url": "s3://bucket", "endpointurl": CLOSED},
    },
)
def test_content_of_a_remote_that_cannot_be_read_is_not_fetched(remote, tmp_path, monkeypatch):
    for name, value in (NO_ACCESS | {"HOME": str(tmp_path)}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "site"))
    with Repo.init(str(tmp_path), no_scm=True) as repo, repo.config.edit() as config:
        if remote:
            config["core"]["remote"] = "store"
            config["remote"]["store"] = remote
    with pytest.raises(NotFetched):
        StoredContent(tmp_path).folder("0123456789abcdef0123456789abcdef.dir")
