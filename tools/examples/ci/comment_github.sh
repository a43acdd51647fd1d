#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts comment.md on a pull request, in place of the comment of an earlier run: comment_github.sh FILE NUMBER
# Needs gh with GH_TOKEN, and GITHUB_REPOSITORY.
set -eu
file=$1 number=$2
marker=$(head -n 1 "$file")
case $marker in
  '<!-- stepbench'*) ;;
  *) echo "$0: $file: begins as no comment of stepbench" >&2; exit 2 ;;  # "" would be found in those of others
esac
export marker  # what a pull request's own programs wrote is no part of the program of jq
comments="repos/$GITHUB_REPOSITORY/issues/$number/comments"
id=$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith(env.marker)) | .id' | head -n 1)
if [ -n "$id" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$file" > /dev/null
else
  gh api --method POST "$comments" --field "body=@$file" > /dev/null
fi
