"""The comment in a pull request, against a loopback server that speaks the few calls it takes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stages.commands.compare.comment import LIMIT, MARKER, comment_body, deliver
from stages.shared.records.errors import InputError
from tests.builders.cases import cases
from tests.builders.provider import FakeProvider, Reply, Request, json_reply


class Forge(FakeProvider):
    """A server with comments; `denies` answers 403 to everything that writes."""

    def __init__(self) -> None:
        super().__init__()
        self.comments: list[dict[str, Any]] = []
        self.denies = False

    @property
    def calls(self) -> list[str]:
        """What was asked for: "GET", or the method and path of what writes."""
        return [
            f"{request.method} {request.path}" if request.content else request.method
            for request in self.requests
        ]

    @property
    def authorization(self) -> set[str]:
        return {request.headers["authorization"] for request in self.requests}

    def environment(self, **changes: str) -> dict[str, str]:
        return {
            "GITHUB_API_URL": f"http://{self.host}",
            "GITHUB_REPOSITORY": "team/graphs",
            "GITHUB_TOKEN": "token-of-the-job",
            "PULL_REQUEST": "7",
        } | changes

    def add(self, body: str, kind: str = "Bot") -> None:
        self.comments.append({"id": len(self.comments) + 1, "body": body, "user": {"type": kind}})

    def reply(self, request: Request) -> Reply:
        if request.method == "GET":
            page = int(request.path.rpartition("page=")[2])
            return json_reply(self.comments[100 * (page - 1) : 100 * page])
        if request.method == "PATCH":
            comment = self.comments[int(request.path.rpartition("/")[2]) - 1]
            comment["body"] = request.body["body"]
            return json_reply({})
        if self.denies:
            return json_reply({"message": "Resource not accessible by integration"}, 403)
        self.add(request.body["body"])
        return json_reply({}, 201)


@pytest.fixture
def forge() -> Iterator[Forge]:
    with Forge() as server:
        yield server


def test_the_first_report_makes_a_comment(forge: Forge) -> None:
    forge.add("a person's words", "User")
    assert deliver("### Better\n", forge.environment()) == "the comment was made"
    assert forge.comments[1]["body"] == f"{MARKER}\n### Better\n"
    assert forge.calls[-1] == "POST /repos/team/graphs/issues/7/comments"


def test_the_comment_links_to_the_artifact_with_the_pages(forge: Forge) -> None:
    address = "https://forge.example/artifacts/7"
    deliver("### Better\n", forge.environment(ARTIFACT_URL=address))
    assert f"[artifact]({address})" in forge.comments[0]["body"]
    assert "artifact" not in comment_body("### Better\n", "javascript:alert(1)")


@pytest.mark.parametrize("earlier", [1, 99, 120], ids=["few", "a whole page", "two pages"])
def test_the_next_report_updates_the_comment_in_place(forge: Forge, earlier: int) -> None:
    for number in range(earlier):
        forge.add(f"comment {number}", "User")
    forge.add(comment_body("### Worse\n"))
    assert deliver("### Better\n", forge.environment()) == "the comment was updated"
    assert len(forge.comments) == earlier + 1
    assert forge.comments[earlier]["body"].endswith("### Better\n")


def test_a_persons_comment_that_quotes_the_marker_is_left_alone(forge: Forge) -> None:
    forge.add(f"{MARKER}\nmine", "User")
    deliver("### Better\n", forge.environment())
    assert forge.comments[0]["body"].endswith("mine")


def test_a_token_that_may_not_comment_leaves_the_report_in_the_job_summary(
    forge: Forge, tmp_path: Path
) -> None:
    forge.denies = True
    summary = tmp_path / "summary.md"
    said = deliver("### Better\n", forge.environment(GITHUB_STEP_SUMMARY=str(summary)))
    assert "the token has no permission (HTTP 403)" in said
    assert "token-of-the-job" not in said
    assert forge.authorization == {"Bearer token-of-the-job"}
    assert summary.read_text(encoding="utf-8") == "### Better\n"


@cases("end", {"a line end": "\n", "no ASCII": "ö"})
def test_a_token_that_no_header_can_carry_is_in_no_sentence(forge: Forge, end: str) -> None:
    said = deliver("report", forge.environment(GITHUB_TOKEN=f"token-of-the-job{end}"))
    assert said.startswith("no comment: the API did not answer as expected")
    assert "token-of-the-job" not in said
    assert forge.calls == []


def test_a_redirect_is_not_followed(forge: Forge) -> None:
    elsewhere = f"http://{forge.host}/comments?page=1"
    redirect = json_reply({}, 307, location=elsewhere)
    with FakeProvider(lambda _: redirect) as server:
        said = deliver("report", forge.environment(GITHUB_API_URL=f"http://{server.host}"))
    assert said == "no comment: the API answered with HTTP 307; see the job summary"
    assert forge.calls == []


@cases(
    "listing",
    {"no list": {}, "no comments": [1], "no id": [{}], "no author": [{"id": 1, "user": "a"}]},
)
def test_a_listing_of_something_else_is_one_sentence(forge: Forge, listing: object) -> None:
    with FakeProvider(lambda _: json_reply(listing)) as server:
        said = deliver("report", forge.environment(GITHUB_API_URL=f"http://{server.host}"))
    assert said.startswith("no comment: the API did not answer as expected")


def test_a_server_that_is_away_is_no_failure() -> None:
    environment = Forge().environment(GITHUB_API_URL="http://127.0.0.1:9")
    assert "no comment" in deliver("report", environment)


@pytest.mark.parametrize("missing", ["GITHUB_TOKEN", "GITHUB_REPOSITORY", "PULL_REQUEST"])
def test_outside_a_pull_request_there_is_no_comment(forge: Forge, missing: str) -> None:
    assert deliver("report", forge.environment(**{missing: ""})).startswith("no comment")
    assert forge.calls == []


def test_a_key_is_never_sent_without_encryption(forge: Forge) -> None:
    with pytest.raises(InputError, match="https"):
        deliver("report", forge.environment(GITHUB_API_URL="http://example.org"))


def test_a_report_that_is_too_long_is_cut_with_a_note() -> None:
    body = comment_body("line of text\n" * 10_000)
    assert len(body) < LIMIT + 200
    assert body.endswith("The rest is in the job summary.\n")
