"""Every way in which a DVC remote cannot be read ends in one error, and in no answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dvc.repo import Repo

from stages.shared.shell.dvc import NotFetched, StoredContent
from tests.builders.cases import cases
from tests.builders.provider import FakeProvider, Reply, Request
from tests.pipeline.s3 import ACCESS, NO_ACCESS

pytestmark = pytest.mark.pipeline

CLOSED = "http://127.0.0.1:9"


def refuse(request: Request) -> Reply:
    """The status that is the first part of the path; 0: none, ever."""
    status = int(request.path.split("/")[1])
    return Reply(status=status) if status else Reply(raw=b"", then="silence")


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    """The address of a server that refuses."""
    with FakeProvider(refuse) as server:
        yield f"http://{server.host}"


@cases(
    "url, endpoint, variables",
    {
        "no remote": (None, None, {}),
        "a folder that is not mounted": ("/nowhere/store", None, {}),
        "a web server that is away": ("http://somebody:word@127.0.0.1:9/team", None, {}),
        "a library that is missing": ("gs://bucket/team", None, {}),
        "empty secrets": ("s3://bucket", CLOSED, NO_ACCESS),
        "403": ("s3://bucket", "{server}/403", ACCESS),
        "a server that never answers": ("s3://bucket", "{server}/0", ACCESS),
    },
)
def test_content_of_a_remote_that_cannot_be_read_is_not_fetched(
    url: str | None,
    endpoint: str | None,
    variables: dict[str, str],
    refusing: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (variables | {"HOME": str(tmp_path), "AWS_MAX_ATTEMPTS": "1"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("DVC_SITE_CACHE_DIR", str(tmp_path / "site"))
    with Repo.init(str(tmp_path), no_scm=True) as repo, repo.config.edit() as config:
        if url:
            config["core"]["remote"] = "store"
            config["remote"]["store"] = {"url": url}
        if endpoint:
            config["remote"]["store"] |= {
                "endpointurl": endpoint.format(server=refusing),
                "read_timeout": 1,
            }
    with pytest.raises(NotFetched):
        StoredContent(tmp_path).folder("0123456789abcdef0123456789abcdef.dir")
