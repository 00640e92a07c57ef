"""`python -m tests.vectors FILE...`: compare the project with files of cases; exits 1 when it disagrees with any."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.vectors.comparison import NotACase, disagreements


def main(files: list[str]) -> int:
    """Run the files and print what disagrees, then the counts; 1 when anything does, 2 when a file holds no cases."""
    if not files:
        print("usage: python -m tests.vectors FILE...", file=sys.stderr)
        return 2
    checks: Counter[str] = Counter()
    disagreeing = 0
    for file in files:
        try:
            for number, case in cases(file):
                try:
                    found = disagreements(case)
                except NotACase as error:
                    raise NotACase(f"{file}:{number}: {error}") from None
                checks[case["check"]] += 1
                disagreeing += bool(found)
                for sentence in found:
                    text = f"{file}:{number}: {case.get('id', '')} ({case['check']}, {case.get('note', '')}): {sentence}"
                    print(text.encode("ascii", "backslashreplace").decode())
        except NotACase as error:
            print(
                f"error: {str(error).encode('ascii', 'backslashreplace').decode()}", file=sys.stderr
            )
            return 2
    total = sum(checks.values())
    kinds = ", ".join(f"{count} {check}" for check, count in sorted(checks.items()))
    print(f"{total - disagreeing} of {total} cases agree ({kinds})")
    return 1 if disagreeing else 0


def cases(file: str) -> Iterator[tuple[int, Any]]:
    """The value in each line of a file that is not blank, with the line's number from 1.

    Raises:
        NotACase: the file cannot be read, is not UTF-8, has no line that is not blank, or one that is not JSON.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise NotACase(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise NotACase(
            f"{file}: is not UTF-8: byte 0x{error.object[error.start]:02x} at {error.start}"
        ) from None
    found = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise NotACase(f"{file}: has no cases")
    for number, line in found:
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            raise NotACase(
                f"{file}:{number}: is not one case in one line of JSON: {error}"
            ) from None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
