# SPDX-License-Identifier: Apache-2.0
"""The fuzzers of a build, side by side, until each has read its inputs."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import threading

GOAL = 1_000_000  # inputs of each, over all runs
ROUNDS = 6  # turns that each has in a run
SOURCES = pathlib.Path(__file__).resolve().parents[1] / "fuzz"


class Fuzzer:
    def __init__(self, program, before):
        self.program, self.before = program, before
        self.kind = program.name.removeprefix("fuzz_")
        self.inputs, self.seconds, self.edges, self.turns = 0, 0.0, 0, 0
        self.failed = None  # what, and the file that repeats it
        # What it learns stays in the build folder; the committed inputs stay as they are.
        self.learned = program.parent / "found" / self.kind
        self.learned.mkdir(parents=True, exist_ok=True)
        seeds = [SOURCES / "corpus" / self.kind] + ([SOURCES.parents[1] / "configs"] if self.kind == "config" else [])
        self.corpora = [self.learned] + [folder for folder in seeds if folder.is_dir()]

    def wants(self):
        return max(0, GOAL - self.before - self.inputs)

    def turn(self, seconds, seed):
        self.turns += 1
        done = subprocess.run([self.program, f"-max_total_time={max(1, round(seconds))}", "-timeout=10",
                               "-rss_limit_mb=2048", "-max_len=65536", "-print_final_stats=1",
                               f"-artifact_prefix={self.learned}/crash-of-", f"-seed={seed + self.turns}",
                               *self.corpora], capture_output=True, text=True, errors="replace")
        executed = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        covered = re.findall(r"cov: (\d+)", done.stderr)
        # One that fails says no sum, but how many it had read at its last line.
        read = [executed.group(1)] if executed else re.findall(r"^#(\d+)\s", done.stderr, re.MULTILINE)
        self.inputs += int(read[-1]) if read else 0
        self.edges = int(covered[-1]) if covered else self.edges
        if done.returncode != 0:
            artifact = re.search(r"Test unit written to (\S+)", done.stderr)
            why = [line for line in done.stderr.splitlines() if "ERROR" in line or "does not hold" in line]
            self.failed = (f"{self.kind}: {why[0] if why else done.stderr[-300:]}",
                           f"{self.program} {artifact.group(1) if artifact else self.learned}")


def fuzz(part, tally):
    programs = sorted(part.build.glob("tests/fuzz/fuzz_*"))
    fuzzers = [Fuzzer(program, tally.get(program.name.removeprefix("fuzz_"), 0)) for program in programs
               if os.access(program, os.X_OK) and program.is_file()]
    lock = threading.Lock()
    jobs = part.arguments.jobs
    slice_s = max(2.0, part.left() * jobs / max(1, len(fuzzers)) / ROUNDS)
    waiting = list(fuzzers)

    def lane():
        while part.left() > 1:
            with lock:
                # In turn, those first that have not read enough.
                ready = sorted(waiting, key=lambda each: (each.wants() == 0, each.turns))
                if not ready:
                    return
                mine = ready[0]
                waiting.remove(mine)
            began = part.left()
            mine.turn(min(slice_s, part.left()), part.arguments.seed)
            mine.seconds += began - part.left()
            with lock:
                if mine.failed:
                    part.found(*mine.failed)
                else:
                    waiting.append(mine)

    with concurrent.futures.ThreadPoolExecutor(jobs) as lanes:
        for each in [lanes.submit(lane) for _ in range(jobs)]:
            each.result()
    for each in fuzzers:
        part.count(each.kind, each.inputs)
        part.notes.append(f"{each.kind}: {each.inputs / max(1, each.seconds):.0f} inputs/s, {each.edges} edges"
                          f"{f', {each.wants():,} inputs short of {GOAL:,}' if each.wants() else ''}")
