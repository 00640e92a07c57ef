"""`python -m tests.vectors FILE...`: compare the project with files of cases; exits 1 when it disagrees with any."""

import json
import sys
from collections import Counter
from pathlib import Path

from tests.vectors.comparison import disagreements


def main(files) -> int:
    """Run the files and print what disagrees, then the counts; 1 when anything does, 2 when a file holds no cases."""
    checks: Counter[str] = Counter()
    disagreeing = 0
    for file in files:
        try:
            lines = Path(file).read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            print(f"error: {file}: {error}", file=sys.stderr)
            return 2
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                case = json.loads(line)
                differing = disagreements(case)
            except (LookupError, TypeError, ValueError, RecursionError) as error:
                print(f"error: {file}:{number}: is no case: {error!a}", file=sys.stderr)
                return 2
            checks[case["check"]] += 1
            disagreeing += bool(differing)
            about = f"{file}:{number}: {case.get('id')} ({case['check']}, {case.get('note')})"
            for sentence in differing:
                print(f"{about}: {sentence}".encode("ascii", "backslashreplace").decode())
    total = checks.total()
    kinds = ", ".join(f"{count} {check}" for check, count in sorted(checks.items()))
    print(f"{total - disagreeing} of {total} cases agree ({kinds})")
    if not total:
        return 2
    return 1 if disagreeing else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
