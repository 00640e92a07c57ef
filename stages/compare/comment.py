"""Adapter: `python -m stages.compare.comment FILE` puts a report into a pull request as one
comment, updated in place.

The report always goes to the job summary. Where the token may not comment, as on a pull request
from a fork, that is said and is no failure. The environment is that of GitHub Actions:
GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL, GITHUB_STEP_SUMMARY, PULL_REQUEST, the number, and
ARTIFACT_URL, where the pages are; empty for none.
"""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from stages.contracts.errors import input_error
from stages.shell.command import run
from stages.shell.files import read_input

MARKER = "<!-- graph-evaluator: one comment, updated in place -->"
LIMIT = 60_000
"""Characters of a comment; GitHub takes 65,536."""
PAGE = 100


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
    issues = f"{api.rstrip('/')}/repos/{repository}/issues"
    try:
        outcome = _put(
            issues, number, token, comment_body(report, environment.get("ARTIFACT_URL", ""))
        )
    except urllib.error.HTTPError as error:
        reason = f"the token has no permission (HTTP {error.code})"
        return f"no comment: {reason}, as on a pull request from a fork; see the job summary"
    except (OSError, ValueError) as error:
        reason = f"the API did not answer ({type(error).__name__})"
        return f"no comment: {reason}; see the job summary"
    return f"the comment was {outcome}"


def _put(issues: str, number: str, token: str, body: str) -> str:
    """Update the comment that carries the marker, or make it; says which."""
    for page in count(1):
        url = f"{issues}/{number}/comments?per_page={PAGE}&page={page}"
        listing = _call("GET", url, token)
        comments = listing if isinstance(listing, list) else []
        ours = [comment for comment in comments if _is_ours(comment)]
        if ours:
            identifier = int(str(ours[0]["id"]))
            _call("PATCH", f"{issues}/comments/{identifier}", token, {"body": body})
            return "updated"
        if len(comments) < PAGE:
            break
    _call("POST", f"{issues}/{number}/comments", token, {"body": body})
    return "made"


def _is_ours(comment: object) -> bool:
    if not isinstance(comment, dict):
        return False
    author = comment.get("user")
    by_bot = isinstance(author, dict) and author.get("type") == "Bot"
    return by_bot and str(comment.get("body") or "").startswith(MARKER)


def _call(method: str, url: str, token: str, content: Mapping[str, str] | None = None) -> object:
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {token}",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        value: object = json.loads(response.read())
    return value


def main() -> int:
    """Deliver the report in the file that is named."""
    if len(sys.argv) != 2:
        raise input_error("FILE", "", "is missing: name the Markdown file to deliver")
    print(deliver(read_input(Path(sys.argv[1])), os.environ))
    return 0


if __name__ == "__main__":
    run(main)
