# SPDX-License-Identifier: Apache-2.0
"""`workload: train_step` in ranks, each way of distributed.sync: train_step_test.py STEPBENCH SOURCE_DIR [cuda].

With cuda both ranks train on one GPU, by NCCL.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
CUDA = sys.argv[1:2] == ["cuda"]
PLANTED_MS = 60

EXPERIMENT = """
workload: train_step
device: {device}
distributed: {{ranks: 2, launcher: {launcher}}}
data: {{kind: synthetic, image_size: 32, classes: 10, samples: 512}}
loader: {{batch_size: 16, num_workers: 0}}
model: {{kind: python, path: {net}}}
python: {{ms: {ms}}}
optimizer: {{kind: sgd}}
threads: {{intra_op: 1}}
schedule: {{warmup: 4, active: 12}}
launches: 1
sweep: {{matrix: {{distributed.sync: [ddp, flat, none]}}}}
"""


class TrainStep(unittest.TestCase):
    def first_ranks(self, ms):
        """Returns the profiled launch of rank 0 by distributed.sync."""
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder, "ranks.yaml")
            config.write_text(EXPERIMENT.format(net=SOURCE / "tests/fleet/ranks_net.py", ms=ms,
                                                device="cuda" if CUDA else "cpu",
                                                launcher="srun" if CUDA else "local"))
            path = f"{SOURCE / 'tests/gpu/one_device'}:" if CUDA else ""
            run = subprocess.run([str(PROGRAM), "run", str(config), "--profile=kineto", "--no-lock", "--results",
                                  str(pathlib.Path(folder, "results"))], cwd=folder, capture_output=True, text=True,
                                 timeout=600, check=False, env={**os.environ, "PATH": path + os.environ["PATH"]})
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            rows = [json.loads(line) for file in pathlib.Path(folder, "results").glob("*/*.jsonl")
                    for line in file.read_text().splitlines()]
            self.assertFalse(list(pathlib.Path(folder, "results").glob("*/traces")), "nobody asked for them")
        return {row["options"]["distributed.sync"]: row for row in rows
                if row["kind"] == "launch" and row["pass"] == "kineto" and row["rank"] == 0}

    def stragglers(self, row):
        return [each for each in row.get("findings", []) if each["id"] == "ranks.straggler"]

    def test_planted_slow_rank_is_named(self):
        for sync, row in self.first_ranks(PLANTED_MS).items():
            with self.subTest(sync=sync):
                found = self.stragglers(row)
                if sync == "none":  # no rank waits
                    self.assertEqual(found, [])
                    continue
                self.assertEqual(len(found), 1, row)
                self.assertIn("rank 1 holds the others up by", found[0]["text"])
                print(f"{sync}: {found[0]['value'] / 1e6:.2f} ms found, {PLANTED_MS} ms planted")
                self.assertLess(abs(found[0]["value"] / (PLANTED_MS * 1e6) - 1), 0.1)

    def test_equal_ranks_have_no_large_finding(self):
        for row in self.first_ranks(0).values():
            for each in self.stragglers(row):  # caused by other load on the machine
                self.assertLess(each["value"], 0.1 * PLANTED_MS * 1e6, each["text"])


if __name__ == "__main__":
    if CUDA:
        if not pathlib.Path("/dev/nvidia0").exists():
            print("skipped: needs a CUDA device")
            sys.exit(77)
        del sys.argv[1]
    unittest.main()
