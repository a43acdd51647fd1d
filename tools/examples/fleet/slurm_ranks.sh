#!/bin/bash
#SBATCH --nodes=2 --ntasks-per-node=4 --exclusive --output=stepbench-%j.log
# sbatch slurm_ranks.sh train.py: eight ranks a launch, in this allocation.
set -euo pipefail
stepbench run --python "$1" --ranks "$SLURM_NTASKS" --launcher srun --label job="$SLURM_JOB_ID" -- "${@:2}"
