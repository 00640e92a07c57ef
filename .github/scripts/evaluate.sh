#!/usr/bin/env bash
# Judge the working tree against a base, from stored answers alone: no model is called and no key is needed.
#
#   .github/scripts/evaluate.sh [BASE]      BASE: a git revision, default: main
#
# FAIL_ON   verdicts that end with a failure, default: worse (see `python -m stages.compare --help`)
# OUT       where report.md, comparison.json and comparison.html go, default: .evaluation
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -d .venv/bin ] && PATH="$PWD/.venv/bin:$PATH"
base=${1:-main}
out=${OUT:-.evaluation}
mkdir -p "$out"
notes="$out/between.md"
errors="$out/errors.txt"
: >"$notes"
: >"$errors"

note() { printf '%s\n\n' "$1" >>"$notes"; }

broken() {
  cat "$errors" >&2
  { printf '### ⚠️ Could not measure: %s\n\n```\n' "$1"; tail -n 40 "$errors" | tr -d '`'; printf '```\n'; } >"$out/report.md"
  exit 2
}

# What the branch point had is what the change is judged against: what has been merged since is not its doing.
base=$(git merge-base "$base" HEAD 2>/dev/null || echo "$base")
base=$(git rev-parse --short=10 --verify --quiet "$base^{commit}" || echo "$base")

if [ -n "$(dvc remote list)" ]; then
  dvc pull --quiet --allow-missing 2>"$errors" || note "Not everything could be pulled from the DVC remote."
else
  note "No DVC remote is configured, so nothing is read but what git and the local cache hold."
fi

# The answers are taken as they are; scores and reports are made afresh from them, by the rules of this tree.
if [ -d results/responses ] && [ -f results/run.json ]; then
  dvc repro --quiet --single-item score report >/dev/null 2>"$errors" || broken "the answers could not be scored and reported"
elif [ -f results/scores.csv ]; then
  note "The answers of this tree are not here, so nothing is scored afresh: its scores are those that it was committed with."
else
  note "There are no answers of this tree: run the pipeline (dvc repro), commit and dvc push."
fi

if dvc metrics diff --md "$base" >"$out/metrics.md" 2>/dev/null && [ -s "$out/metrics.md" ]; then
  {
    printf '<details><summary>Metrics: <code>dvc metrics diff</code></summary>\n\n'
    cat "$out/metrics.md"
    printf '\n</details>\n'
  } >>"$notes"
fi

rm -f "$out/report.md"
code=0
python -m stages.compare "$base" workspace --fail-on "${FAIL_ON:-worse}" --insert "$notes" --markdown "$out/report.md" \
  --json "$out/comparison.json" --html "$out/comparison.html" 2>"$errors" || code=$?
[ -f "$out/report.md" ] || broken "the comparison was refused"
cat "$errors" >&2
exit "$code"
