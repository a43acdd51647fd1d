# SPDX-License-Identifier: Apache-2.0
"""Kills one process of a group after another and checks the leftovers: kills_test.py STEPBENCH WORKER [--kills N]
[--launchers local,torchrun,...] [--seed N]. For each installed launcher N groups are started, and in each one
process is ended by SIGKILL: the controller, the launcher or one of its own processes, a rank, its worker. Within 3 s
no process of the group runs any more (except zombies), and if the controller lives, the row of the group names the
killed one."""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

KINDS = ("controller", "launcher", "rank", "worker", "any")
PATIENCE_S = 300.0
LEFT_S = 3.0
ARGUMENTS = {"local": "", "torchrun": "", "srun": "", "mpirun": "--oversubscribe --allow-run-as-root --bind-to none"}
EXPERIMENT = """\
name: kills
workload: collective
device: cpu
launches: 1
threads: {intra_op: 1}
distributed: {ranks: 2, launcher: LAUNCHER, launcher_args: "ARGUMENTS"}
collective: {bytes: 65536}
schedule: {wait: 0, warmup: 1, active: 1000000}
limits: {join_s: 240, wall_s: 3600, step_s: 600}
"""


class Group:
    """A running group and its processes by role."""

    def __init__(self, program, worker, launcher, folder, mark):
        self.mark = mark.encode()
        self.folder = folder
        self.launcher = launcher
        text = EXPERIMENT.replace("LAUNCHER", launcher).replace("ARGUMENTS", ARGUMENTS[launcher])
        (folder / "kills.yaml").write_text(text)
        name, _, value = mark.partition("=")
        bin_folder = pathlib.Path(sys.executable).parent
        environment = {**os.environ, name: value, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        self.run = subprocess.Popen([program, "run", folder / "kills.yaml", "--worker", worker, "--no-lock", "--results",
                                     folder / "results"], env=environment, cwd=folder, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, start_new_session=True)

    def processes(self):
        """Returns command lines by process, without zombies."""
        found = {}
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if self.mark in (process / "environ").read_bytes():
                    found[int(process.name)] = (process / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
        return found

    def by_kind(self):
        kinds = collections.defaultdict(list)
        launchers = {int(child) for child in
                     pathlib.Path(f"/proc/{self.run.pid}/task/{self.run.pid}/children").read_text().split()}
        for pid, words in self.processes().items():
            kind = ("controller" if pid == self.run.pid else "launcher" if pid in launchers else "worker"
                    if "--control-fd" in words else "rank" if " __rank " in words else "of the launcher")
            kinds[kind].append(pid)
        return kinds

    def measures(self):
        """True if both workers have taken steps: they use CPU time after their start."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if self.run.poll() is not None:
                raise AssertionError(f"the run ended by itself with {self.run.returncode}: {self.reason()}")
            workers = self.by_kind()["worker"]
            if len(workers) == 2 and all(_is_connected(pid) for pid in workers):
                return
            time.sleep(0.1)
        raise AssertionError(f"no group within {PATIENCE_S:.0f} s: {self.processes()}")

    def left(self):
        deadline = time.monotonic() + LEFT_S
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def reason(self):
        rows = [json.loads(line) for file in (self.folder / "results").glob("*/*.jsonl") for line in file.open()]
        return next((row["reason"] for row in rows if row["kind"] == "launch"), None)


def _is_connected(pid):
    """True if it exchanges with the other rank: Gloo's thread has sockets besides that to its rank."""
    try:
        return len(list(pathlib.Path(f"/proc/{pid}/task").iterdir())) >= 4 and sum(
            os.readlink(each).startswith("socket:") for each in pathlib.Path(f"/proc/{pid}/fd").iterdir()) >= 3
    except OSError:
        return False


def kill_one(options, launcher, kind, draws):
    """Returns the recorded reason and the leftovers."""
    folder = pathlib.Path(tempfile.mkdtemp())
    group = Group(options.program, options.worker, launcher, folder, f"STEPBENCH_KILLS={folder}")
    try:
        group.measures()
        time.sleep(draws.uniform(0, 0.3))
        kinds = group.by_kind()
        chosen = kind if kind != "any" else draws.choice(sorted(each for each in kinds if kinds[each]))
        pid = draws.choice(sorted(kinds[chosen]))
        os.kill(pid, 9)
        if chosen != "controller":
            group.run.wait(timeout=60)
        left = group.left()
        group.run.wait()
        reason = group.reason()
        return chosen, reason, left
    finally:
        for pid in group.processes():  # of this test only: they have its mark
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("worker", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--kills", type=int, default=5, help="of each launcher")
    parser.add_argument("--launchers", default="local,torchrun,mpirun")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    failed = False
    for launcher in options.launchers.split(","):
        if launcher in ("srun", "mpirun") and not shutil.which(launcher):
            print(f"{launcher}: is not installed")
            failed = True
            continue
        draws = random.Random(f"{options.seed} {launcher}")
        counts, unnamed, left_after = collections.Counter(), collections.Counter(), []
        reasons = {}
        for number in range(options.kills):
            chosen, reason, left = kill_one(options, launcher, KINDS[number % len(KINDS)], draws)
            counts[chosen] += 1
            reasons.setdefault(chosen, reason)
            if left:
                left_after.append((chosen, sorted(left.values())))
            # A launcher that notices a dead child may end the ranks before we do.
            if chosen != "controller" and "SIGKILL" not in (reason or ""):
                unnamed[chosen] += 1
        print(f"{launcher}: {sum(counts.values())} kills ({', '.join(f'{n} {kind}' for kind, n in sorted(counts.items()))}), "
              f"something left after {len(left_after)}, SIGKILL not in the reason of {dict(unnamed)}", flush=True)
        for chosen, reason in sorted(reasons.items()):
            print(f"  {chosen}: {reason}")
        for each in left_after:
            print("  left:", *each)
        failed = failed or bool(left_after) or bool(unnamed["worker"] or unnamed["launcher"])
    sys.exit(failed)


if __name__ == "__main__":
    main()
