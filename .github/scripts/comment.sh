#!/usr/bin/env bash
# Put a report into the job's summary, and into a pull request as one comment that is updated in place.
#
#   .github/scripts/comment.sh REPORT
#
# The environment is that of GitHub Actions: GH_TOKEN, GITHUB_REPOSITORY, GITHUB_STEP_SUMMARY, PULL_REQUEST (the number) and ARTIFACT_URL
# (where the pages are; empty for none). Where the token may not comment, as on a pull request from a fork, that is said and is no failure.
set -euo pipefail
report=$1
marker='<!-- graph-evaluator: one comment, updated in place -->'
limit=60000  # bytes of a report; GitHub takes a comment of 65,536 characters
cat "$report" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

body=$(mktemp)
{
  printf '%s\n' "$marker"
  if [ "$(wc -c <"$report")" -le "$limit" ]; then
    cat "$report"
  else
    head -c "$limit" "$report" | sed '$d'  # whole lines
    printf '\n\n</details>\n\nThe rest is in the job summary.\n'
  fi
  case "${ARTIFACT_URL:-}" in
    https://*) printf '\nThe pages of this comparison and the site: [artifact](%s)\n' "$ARTIFACT_URL" ;;
  esac
} >"$body"

# A comment of a person that quotes the marker is left alone.
ours="[.[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id] | first // empty"
issues="repos/$GITHUB_REPOSITORY/issues"
put() {
  local ids
  ids=$(gh api --paginate "$issues/$PULL_REQUEST/comments" --jq "$ours") || return 1
  if [ -n "$ids" ]; then
    gh api --silent --method PATCH "$issues/comments/${ids%%$'\n'*}" --field "body=@$body"
  else
    gh api --silent --method POST "$issues/$PULL_REQUEST/comments" --field "body=@$body"
  fi
}
put || echo "no comment: the token has no permission, as on a pull request from a fork, or the API did not answer; see the job summary"
