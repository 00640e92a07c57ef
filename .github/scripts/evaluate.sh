#!/usr/bin/env bash
# Judge the working tree against a base, from stored answers alone: no model is called and no key is needed.
#
#   .github/scripts/evaluate.sh [BASE]      BASE: a git revision, default: main
#
# FAIL_ON   verdicts and conditions that end with a failure, default: worse,not-run,could-not-measure (see `python -m graph_evaluator compare --help`)
#           worse              the change is worse
#           not-run            the prompt or another input changed, and was not run
#           could-not-measure  no verdict, such as on a pull request from a fork, which cannot read the team's DVC remote
#           mixed, cannot-tell, ...   any other verdict
# OUT       folder for report.md, comparison.json and comparison.html, default: .evaluation
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

note() { printf '\n%s\n' "$1" >>"$notes"; }

broken() {
  cat "$errors" >&2
  { printf '### ⚠️ Could not measure: %s\n\n```\n' "$1"; tail -n 40 "$errors" | tr -d '`'; printf '```\n'; } >"$out/report.md"
  exit 2
}

# The change is judged against the point where the branch left its base: what was merged since is not part of it.
base=$(git merge-base "$base" HEAD 2>/dev/null || echo "$base")
base=$(git rev-parse --short=10 --verify --quiet "$base^{commit}" || echo "$base")

dvc pull --quiet --allow-missing 2>"$errors" || note "Not everything could be pulled from a DVC remote: only git and the local cache are read."

# Answers are scored and reported again by the rules of this tree, unless they are not the answers that dvc.lock names.
modified=$(dvc data status --json 2>/dev/null | python -c 'import json, sys; print(*json.load(sys.stdin).get("uncommitted", {}).get("modified", []))')
if [[ " $modified " == *" results/responses/ "* ]]; then
  note "The answers of this tree are not those that dvc.lock names, so nothing was scored or reported again."
elif [ -d results/responses ] && [ -f results/run.json ]; then
  dvc repro --quiet --single-item score report >/dev/null 2>"$errors" || broken "the answers could not be scored and reported"
elif [ -f results/run.json ]; then
  note "The answers of this branch cannot be read here, as on a pull request from a fork: **a maintainer must run it** (check it out, \`dvc repro\`, commit, \`dvc push\`)."
else
  note "This tree has no answers: run the pipeline (dvc repro), commit and dvc push."
fi

# The figures of the run and of each model that changed, 40 at most.
dvc metrics diff --md --no-path "$base" >"$out/metrics.md" 2>/dev/null || true
changed=$(($(wc -l <"$out/metrics.md") - 3))
if [ "$changed" -gt 0 ]; then
  {
    printf '\n<details><summary>Metrics that changed: <code>dvc metrics diff</code></summary>\n\n'
    head -n 42 "$out/metrics.md"
    [ "$changed" -le 40 ] || printf '\nand %s more\n' "$((changed - 40))"
    printf '\n</details>\n'
  } >>"$notes"
fi

rm -f "$out/report.md"
code=0
python -m graph_evaluator compare "$base" workspace --fail-on "${FAIL_ON:-worse,not-run,could-not-measure}" --markdown "$out/report.md" \
  --json "$out/comparison.json" --html "$out/comparison.html" 2>"$errors" || code=$?
[ -f "$out/report.md" ] || broken "the comparison was refused"
cat "$notes" >>"$out/report.md"
cat "$errors" >&2
exit "$code"
