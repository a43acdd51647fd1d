#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A million cases are planned in 10 s of CPU time and 1.5 GB: plan_a_million.py STEPBENCH."""
import pathlib
import resource
import subprocess
import sys
import tempfile

MOST_SECONDS, MOST_BYTES = 10, 1.5e9

with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "million.yaml")
    file.write_text(f"""
workload: train_step
model: {{kind: mlp}}
sweep:
  matrix:
    loader.batch_size: {list(range(1, 1001))}
    data.id: {[f"d{i}" for i in range(100)]}
    loader.num_workers: {list(range(1, 11))}
""")
    done = subprocess.run([sys.argv[1], "plan", str(file), "--max-cases", "1000000", "--results", folder],
                          text=True, capture_output=True)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds, size = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
print(f"{seconds:.1f} s of CPU time, {size / 1e9:.2f} GB")
if done.returncode != 0 or "1,000,000 cases" not in done.stdout:
    sys.exit(f"stepbench plan failed: {done.stderr}{done.stdout[-500:]}")
if len(done.stdout.splitlines()) > 20_000:
    sys.exit("the table is too long to be read")
sys.exit(seconds > MOST_SECONDS or size > MOST_BYTES)
