#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does a change make training slower? For a CI job, and by hand:
#
#   measure.sh EXPERIMENT OLD_WORKER NEW_WORKER OUT [AB_OPTION]...
#
# First every case is run for two steps with the new program, then both are measured in turns. OUT then holds
# comment.md, verdict.json, report.xml (JUnit), metrics.txt (OpenMetrics) and results/. STEPBENCH names the program
# stepbench where it is not on the PATH. Exit status: that of `stepbench ab`: 0 ok, 1 a regression, 2 an error,
# 3 not decided, 4 no data or a machine that is not fit to judge.
set -eu
experiment=$1 old=$2 new=$3 out=$4
shift 4
stepbench=${STEPBENCH:-stepbench}
mkdir -p "$out"
rm -f "$out/comment.md"

"$stepbench" run "$experiment" --worker "$new" --smoke --quiet --no-lock --results "$out/smoke" \
  --junit "$out/smoke.xml" > "$out/smoke.txt" || { status=$?; cat "$out/smoke.txt"; exit "$status"; }

"$stepbench" ab "$experiment" --a "$old" --b "$new" --quiet --wait-lock --results "$out/results" \
  --markdown "$out/comment.md" --verdict "$out/verdict.json" --junit "$out/report.xml" \
  --openmetrics "$out/metrics.txt" "$@"
