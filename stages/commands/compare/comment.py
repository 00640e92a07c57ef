"""Adapter: `graph-evaluator commands.compare.comment FILE` puts a report into a pull request as one
comment, updated in place.

The report always goes to the job summary. Where the token may not comment, as on a pull request
from a fork, that is said and is no failure. The environment is that of GitHub Actions:
GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_STEP_SUMMARY, PULL_REQUEST, the number, and
ARTIFACT_URL, where the pages are; empty for none.
"""

import os
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import httpx2
from pydantic import TypeAdapter

from stages.shared.records.errors import input_error
from stages.shared.records.record import Record
from stages.shared.shell.command import run
from stages.shared.shell.files import read_input

MARKER = "<!-- graph-evaluator: one comment, updated in place -->"
LIMIT = 60_000
"""Characters of a comment; GitHub takes 65,536."""
PAGE = 100
DENIED = (401, 403, 404)


class _Author(Record):
    type: str | None = None


class _Comment(Record):
    """A comment as the API lists it."""

    id: int
    body: str | None = None
    user: _Author | None = None

    @property
    def is_ours(self) -> bool:
        by_bot = self.user is not None and self.user.type == "Bot"
        return by_bot and (self.body or "").startswith(MARKER)


LISTING = TypeAdapter(list[_Comment])


def comment_body(report: str, artifact: str = "") -> str:
    """The comment: the marker, then the report, cut where it is too long to be taken, and a link to
    the artifact with the pages.
    """
    if len(report) > LIMIT:
        complete_lines = report[:LIMIT].rpartition("\n")[0]
        report = f"{complete_lines}\n\n</details>\n\nThe rest is in the job summary.\n"
    link = ""
    if artifact.startswith("https://"):
        link = f"\nThe pages of this comparison and the site: [artifact]({artifact})\n"
    return f"{MARKER}\n{report}{link}"


def deliver(report: str, environment: Mapping[str, str]) -> str:
    """Write the job summary, then the comment; returns a sentence with the outcome."""
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as stream:
            stream.write(report)
    names = ("GITHUB_TOKEN", "PULL_REQUEST", "GITHUB_REPOSITORY")
    token, number, repository = (environment.get(name, "") for name in names)
    if not (token and repository and number.isdecimal()):
        unset = "GITHUB_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST are not all set"
        return f"no comment: {unset}; see the job summary"
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    if not api.startswith(("https://", "http://127.0.0.1:")):
        raise input_error("GITHUB_API_URL", "", "must begin with https://")
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    issues = f"{api.rstrip('/')}/repos/{repository}/issues/"
    body = comment_body(report, environment.get("ARTIFACT_URL", ""))
    try:
        with httpx2.Client(base_url=issues, headers=headers, timeout=30) as client:
            return f"the comment was {_put(client, number, body)}"
    except httpx2.HTTPStatusError as error:
        code = error.response.status_code
        reason = f"the API answered with HTTP {code}"
        if code in DENIED:
            reason = f"the token has no permission (HTTP {code}), as on a pull request from a fork"
    except (httpx2.HTTPError, ValueError) as error:
        reason = f"the API did not answer as expected ({type(error).__name__})"
    return f"no comment: {reason}; see the job summary"


def _put(issues: httpx2.Client, number: str, body: str) -> str:
    """Update the comment that carries the marker, or make it; says which."""
    for page in count(1):
        pages = {"per_page": PAGE, "page": page}
        answer = issues.get(f"{number}/comments", params=pages).raise_for_status()
        listing = LISTING.validate_json(answer.content)
        ours = [comment.id for comment in listing if comment.is_ours]
        if ours:
            issues.patch(f"comments/{ours[0]}", json={"body": body}).raise_for_status()
            return "updated"
        if len(listing) < PAGE:
            break
    issues.post(f"{number}/comments", json={"body": body}).raise_for_status()
    return "made"


def main() -> int:
    """Deliver the report in the file that is named."""
    if len(sys.argv) != 2:
        raise input_error("FILE", "", "is missing: name the Markdown file to deliver")
    print(deliver(read_input(Path(sys.argv[1])), os.environ))
    return 0


if __name__ == "__main__":
    run(main)
