#!/usr/bin/env bash
# Fetch the results of the working tree and of BASE from the DVC remote into the cache. It is the only step of a pull request that has a
# secret, and it runs no code of the project; the steps that do find everything in the cache.
#
#   .github/scripts/fetch.sh BASE
set -uo pipefail
cd "$(dirname "$0")/../.."
[ -d .venv/bin ] && PATH="$PWD/.venv/bin:$PATH"
pipeline=(dvc.yaml dvc.lock params.yaml)
dvc fetch --quiet || echo "the results of this tree cannot be fetched"
base=$(git merge-base "$1" HEAD)
git checkout --quiet "$base" -- "${pipeline[@]}" && dvc fetch --quiet || echo "the results of $base cannot be fetched"
git checkout --quiet HEAD -- "${pipeline[@]}"
