# SPDX-License-Identifier: Apache-2.0
"""Instructions that observing one operation adds, by callgrind: profile_instructions.py PROGRAM."""
import os
import re
import subprocess
import sys

ADDITIONS = 2000
LIMITS = {"native": 900, "shapes": 1300}


def per_operation(arm):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
         "--toggle-collect=stepbench::add_small_tensors*", sys.argv[1], arm],
        env={**os.environ, "ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if not found or int(found.group(1)) == 0:
        sys.exit(f"callgrind counted nothing for {arm}:\n{run.stderr}")
    return int(found.group(1)) / ADDITIONS


bare = per_operation("none")
print(f"{'none':14} {bare:8.0f} instructions per operation")
failed = False
for arm in sys.argv[2:] or ["empty", "native", "shapes", "kineto", "kineto_shapes", "kineto_full"]:
    added = per_operation(arm) - bare
    limit = LIMITS.get(arm)
    failed = failed or (limit is not None and added > limit)
    print(f"{arm:14} {added:+8.0f}" + (f"  at most {limit}: {'passed' if added <= limit else 'failed'}" if limit else ""),
          flush=True)
sys.exit(1 if failed else 0)
