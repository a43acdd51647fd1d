# SPDX-License-Identifier: Apache-2.0
"""A group on two nodes, one of which dies: nodes_test.py STEPBENCH WORKER. A node is a network namespace; an srun of
five lines starts a rank in each. The host's name is a loopback address, as in Debian's /etc/hosts, and the ranks
must find each other anyway. Then the cable is pulled without notice: within a minute the run must end by itself,
name the lost rank, and leave nothing on either node. Needs root and iproute2."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

STEPBENCH, WORKER = (os.path.abspath(path) for path in sys.argv[1:3])
INSIDE = "STEPBENCH_NODES_TEST"
SRUN = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do if [ "$1" = -n ]; then shift; fi; shift; done
export SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=0
SLURM_PROCID=0 "$@" &
SLURM_PROCID=1 nsenter -n -t OTHER "$@" &
wait
"""
EXPERIMENT = """\
name: nodes
workload: collective
device: cpu
launches: 1
threads: {intra_op: 1}
distributed: {ranks: 2, launcher: srun, bind: near}
collective: {bytes: 65536}
schedule: {wait: 0, warmup: 1, active: 1000000}
limits: {join_s: 240, wall_s: 3600, step_s: 600}
"""


def packets_sent():
    (line,) = [line for line in pathlib.Path("/proc/net/dev").read_text().splitlines() if line.lstrip().startswith("near:")]
    return int(line.split()[10])


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Nodes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.other = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
        self.addCleanup(self.other.wait)
        self.addCleanup(self.other.kill)
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.other.pid}/ns/net") == own:
            time.sleep(0.01)
        ip("link", "set", "lo", "up")
        ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(self.other.pid))
        ip("addr", "add", "10.9.0.1/24", "dev", "near")
        ip("link", "set", "near", "up")
        self.there("ip", "link", "set", "lo", "up")
        self.there("ip", "addr", "add", "10.9.0.2/24", "dev", "far")
        self.there("ip", "link", "set", "far", "up")
        (self.folder / "srun").write_text(SRUN.replace("OTHER", str(self.other.pid)))
        (self.folder / "srun").chmod(0o755)
        (self.folder / "nodes.yaml").write_text(EXPERIMENT)

    def there(self, *words):
        subprocess.run(["nsenter", "-n", "-t", str(self.other.pid), *words], check=True)

    def processes(self):
        mark, found = f"STEPBENCH_NODES={self.folder}".encode(), []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
        return found

    def test_dead_node_is_named_and_leaves_nothing(self):
        path = f"{self.folder}:{os.environ['PATH']}"
        environment = os.environ | {"STEPBENCH_NODES": str(self.folder), "PATH": path, "SLURM_JOB_ID": "7",
                                    "SLURM_NTASKS": "2"}
        run = subprocess.Popen([STEPBENCH, "run", self.folder / "nodes.yaml", "--worker", WORKER, "--no-lock", "--results",
                                self.folder / "results"], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        while packets_sent() < 2000:  # until many steps used the cable
            self.assertIsNone(run.poll(), run.stdout.read() if run.poll() is not None else "")
            time.sleep(0.2)
        ip("link", "set", "near", "down")
        pulled = time.monotonic()
        said = run.communicate(timeout=600)[0]
        self.assertLess(time.monotonic() - pulled, 60)
        (result,) = (self.folder / "results").glob("*/*.jsonl")
        rows = map(json.loads, result.read_text().splitlines())
        (launch,) = [row for row in rows if row["kind"] == "launch"]
        self.assertRegex(launch["reason"], "^rank 1: .*its machine or its launcher there is gone", said)
        while (left := self.processes()) and time.monotonic() - pulled < 60:
            time.sleep(0.5)
        self.assertEqual(left, [])


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("ip"):
        print("skipped: needs root and iproute2")
        sys.exit(77)
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-m", "-n", sys.executable, *sys.argv])
    del sys.argv[1:3]
    unittest.main()
