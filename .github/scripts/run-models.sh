#!/usr/bin/env bash
# Run the pipeline with the models, as an experiment that git and DVC keep, and push it.
#
#   PROMPT=prompts/draft_graph_v21.txt .github/scripts/run-models.sh NAME
#
# PROMPT MODELS BRIEFS SAMPLES MAX_COST_USD   settings of params.yaml; empty: as they stand. MODELS and BRIEFS: a,b,c
# GIT_REMOTE                                  where the experiment goes, default: origin
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -d .venv/bin ] && PATH="$PWD/.venv/bin:$PATH"
name=${1:?the name of the experiment}
settings=()
[ -n "${PROMPT:-}" ] && settings+=(-S "prompt=$PROMPT")
[ -n "${MODELS:-}" ] && settings+=(-S "models=[$MODELS]")
[ -n "${BRIEFS:-}" ] && settings+=(-S "briefs=[$BRIEFS]")
[ -n "${SAMPLES:-}" ] && settings+=(-S "generate.samples=$SAMPLES")
[ -n "${MAX_COST_USD:-}" ] && settings+=(-S "runtime.max_cost_usd=$MAX_COST_USD")

remotes=$(dvc remote list)
if [ -n "$remotes" ]; then
  dvc pull --quiet --allow-missing || echo 'not everything could be pulled: what is missing is called again' >&2
fi
dvc exp run --name "$name" "${settings[@]}"
if [ -n "$remotes" ]; then
  dvc exp push "${GIT_REMOTE:-origin}" "$name"
else
  dvc exp push --no-cache "${GIT_REMOTE:-origin}" "$name"
  echo 'no DVC remote is configured: the results were pushed to git, the answers were not' >&2
fi
echo "take it with: dvc exp pull ${GIT_REMOTE:-origin} $name && dvc exp apply $name"
