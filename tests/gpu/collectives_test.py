# SPDX-License-Identifier: Apache-2.0
"""Two ranks exchange by NCCL on one GPU: collectives_test.py STEPBENCH SOURCE_DIR."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]

EXPERIMENT = """
workload: collective
device: cuda
distributed: {ranks: 2, launcher: srun}
collective: {op: all_reduce, bytes: 1048576}
schedule: {warmup: 3, active: 10}
launches: 1
"""


class Collectives(unittest.TestCase):
    def run_config(self, *options, hosts=2):
        """Returns exit status, rows of the result and output."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "ranks.yaml").write_text(EXPERIMENT)
            path = f"{SOURCE / 'tests/gpu/one_device'}:{os.environ['PATH']}"
            run = subprocess.run([str(PROGRAM), "run", "ranks.yaml", *options, "--no-lock", "--results", "results"],
                                 cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                                 env={**os.environ, "PATH": path, "STEPBENCH_ONE_DEVICE_HOSTS": str(hosts)})
            rows = [json.loads(line) for file in pathlib.Path(folder, "results").glob("*/*.jsonl")
                    for line in file.read_text().splitlines()]
        return run.returncode, [row for row in rows if row["kind"] == "launch"], run.stdout + run.stderr

    # The workload compares every element with the defined result of the operation.
    def test_every_operation_and_type_is_correct(self):
        status, rows, said = self.run_config(
            "--sweep", "collective.op=all_reduce,all_gather,reduce_scatter,broadcast,all_to_all",
            "--sweep", "collective.dtype=float32,bfloat16,int64")
        self.assertEqual(status, 0, said)
        first = [row for row in rows if row["rank"] == 0]
        self.assertEqual(len(first), 15, said)
        for row in first:
            self.assertEqual(row["effective"]["collective.backend"], "nccl")

    def test_two_ranks_on_one_device_are_reported(self):
        status, _, said = self.run_config("--set", "limits.wall_s=60", hosts=1)
        self.assertNotEqual(status, 0, said)
        self.assertIn("Duplicate GPU", said)
        print(said[-1500:])


if __name__ == "__main__":
    if not pathlib.Path("/dev/nvidia0").exists():
        print("skipped: needs a CUDA device")
        sys.exit(77)
    unittest.main()
