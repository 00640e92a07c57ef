"""The commit that a run started from."""


def head_commit() -> str | None:
    """The SHA of the current commit; None outside a git repository, without git, or before the first commit."""
    import subprocess  # loaded for those runs alone that ask

    try:
        found = subprocess.run(
            ["git", "rev-parse", "--verify", "HEAD"],  # noqa: S607 - git is found on the path
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    return found.stdout.strip() or None
