"""Adapter: `python -m stages.compare.comment FILE` puts a report into a pull request as one comment, updated in place.

The report always goes to the job summary. Where the token may not comment, as on a pull request from a fork, that is said and
is no failure. The environment is that of GitHub Actions: GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_STEP_SUMMARY,
and PULL_REQUEST, the number.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from stages.contracts.errors import InputError, Problem
from stages.shell.command import run
from stages.shell.files import read_input

MARKER = "<!-- graph-evaluator: one comment, updated in place -->"
LIMIT = 60_000
"""Characters of a comment; GitHub takes 65,536."""
PAGE = 100


class Denied(Exception):
    """The token may not read or write the comments; the message says what was answered."""


class Comments:
    """The comments of one pull request, through the REST API."""

    def __init__(self, api: str, repository: str, pull_request: int, token: str) -> None:
        if not api.startswith(("https://", "http://127.0.0.1:")):
            raise InputError([Problem("GITHUB_API_URL", "", "must begin with https://")])
        self._issues = f"{api.rstrip('/')}/repos/{repository}/issues"
        self._number = pull_request
        self._headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def put(self, body: str) -> str:
        """Update the comment that carries the marker, or make it; says which.

        Raises:
            Denied: the token may not.
        """
        for comment in self._all():
            author = comment.get("user")
            ours = isinstance(author, dict) and author.get("type") == "Bot"
            if ours and str(comment.get("body") or "").startswith(MARKER):
                self._call("PATCH", f"comments/{int(str(comment['id']))}", {"body": body})
                return "updated"
        self._call("POST", f"{self._number}/comments", {"body": body})
        return "made"

    def _all(self) -> Iterator[dict[str, object]]:
        for page in count(1):
            found = self._call("GET", f"{self._number}/comments?per_page={PAGE}&page={page}", None)
            comments = [comment for comment in found if isinstance(comment, dict)] if isinstance(found, list) else []
            yield from comments
            if len(comments) < PAGE:
                return

    def _call(self, method: str, path: str, content: Mapping[str, str] | None) -> object:
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(f"{self._issues}/{path}", data=data, headers=self._headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                found: object = json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Denied(f"{method} was answered with {error.code}") from None
        except (urllib.error.URLError, TimeoutError, ValueError) as error:
            raise Denied(f"{method} failed: {type(error).__name__}") from None
        return found


def comment_body(report: str) -> str:
    """The comment: the marker, then the report, cut where it is too long to be taken."""
    if len(report) > LIMIT:
        report = report[:LIMIT].rpartition("\n")[0] + "\n\n</details>\n\nThe rest is in the job summary.\n"
    return f"{MARKER}\n{report}"


def deliver(report: str, environment: Mapping[str, str]) -> str:
    """Write the job summary, then the comment; returns a sentence with the outcome."""
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as stream:
            stream.write(report)
    token, number = environment.get("GITHUB_TOKEN"), environment.get("PULL_REQUEST", "")
    repository = environment.get("GITHUB_REPOSITORY", "")
    if not token or not number.isdecimal() or not repository:
        return "no comment: GITHUB_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST are not all set; see the job summary"
    api = environment.get("GITHUB_API_URL", "https://api.github.com")
    try:
        done = Comments(api, repository, int(number), token).put(comment_body(report))
    except Denied as error:
        return (
            f"no comment: the token has no permission ({error}), as on a pull request from a fork; see the job summary"
        )
    return f"the comment was {done}"


def main() -> int:
    """Deliver the report in the file that is named."""
    if len(sys.argv) != 2:
        raise InputError([Problem("FILE", "", "is missing: name the Markdown file to deliver")])
    print(deliver(read_input(Path(sys.argv[1])), os.environ))
    return 0


if __name__ == "__main__":
    run(main)
