"""What git says about the working directory."""

import subprocess


def head_commit() -> str | None:
    """The SHA of the current commit; None outside a git repository, without git, or before the first commit."""
    return (_output("rev-parse", "--verify", "HEAD") or "").strip() or None


def committed_text(path: str) -> str | None:
    """A file as the last commit has it; None where there is none."""
    return _output("show", f"HEAD:./{path}")


def _output(*arguments: str) -> str | None:
    command = ["git", *arguments]
    try:
        found = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)  # noqa: S603
    except OSError:
        return None
    return found.stdout if found.returncode == 0 else None
