#!/bin/bash
#SBATCH --array=1-8%4 --ntasks=1 --exclusive --output=stepbench-%A-%a.log
# RESULTS=results/nightly-1 sbatch slurm_array.sh sweep.yaml: an eighth of the plan for each task. The 8 stands here and
# in --array: a task that is submitted again does not know how many there are.
set -euo pipefail
stepbench run "$1" --shard "$SLURM_ARRAY_TASK_ID/8" --results "${RESULTS:?}"
