"""`python -m tests.vectors FILE...`: compare the project with files of cases; exits 1 when it disagrees with any."""

import json
import sys
from collections import Counter
from pathlib import Path

from tests.vectors.comparison import disagreements


def main(files: list[str]) -> int:
    """Run the files and print what disagrees, then the counts; 1 when anything does, 2 when a file cannot be read."""
    if not files:
        print("usage: python -m tests.vectors FILE...", file=sys.stderr)
        return 2
    checks: Counter[str] = Counter()
    disagreeing = 0
    for file in files:
        try:
            lines = [line for line in Path(file).read_text(encoding="utf-8").split("\n") if line.strip()]
        except OSError as error:
            print(f"error: {file}: {error.strerror}", file=sys.stderr)
            return 2
        for number, line in enumerate(lines, 1):
            case = json.loads(line)
            checks[case["check"]] += 1
            found = disagreements(case)
            disagreeing += bool(found)
            for sentence in found:
                text = f"{file}:{number}: {case['id']} ({case['check']}, {case.get('note', '')}): {sentence}"
                print(text.encode("ascii", "backslashreplace").decode())
    total = sum(checks.values())
    kinds = ", ".join(f"{count} {check}" for check, count in sorted(checks.items()))
    print(f"{total - disagreeing} of {total} cases agree ({kinds})")
    return 1 if disagreeing else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
