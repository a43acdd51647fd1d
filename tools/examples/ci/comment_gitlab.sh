#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts comment.md on a merge request, in place of the note of an earlier run: comment_gitlab.sh FILE
# Needs curl and jq, a token with the scope `api` in STEPBENCH_TOKEN, and the variables of a merge request's pipeline.
set -eu
file=$1
marker=$(head -n 1 "$file")
case $marker in
  '<!-- stepbench'*) ;;
  *) echo "$0: $file: begins as no comment of stepbench" >&2; exit 2 ;;  # "" would be found in those of others
esac
notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
request() { curl --fail --silent --show-error --header "PRIVATE-TOKEN: $STEPBENCH_TOKEN" "$@"; }
id=$(request "$notes?per_page=100" |
  jq -r --arg marker "$marker" '[.[] | select(.body | startswith($marker))][0].id // empty')
if [ -n "$id" ]; then
  request --request PUT --data-urlencode "body@$file" "$notes/$id" > /dev/null
else
  request --request POST --data-urlencode "body@$file" "$notes" > /dev/null
fi
