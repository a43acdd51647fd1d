# SPDX-License-Identifier: Apache-2.0
"""The fuzzers of a build, run in parallel until each has read its inputs."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import threading

GOAL = 1_000_000  # inputs per fuzzer, over all runs
FIRST_SHARE = 0.1  # of the time: a short turn for each
LEAST_TURN_S = 20.0  # a turn first reads everything learned before
LEAST_BYTES = 1024  # of the longest input; else twice the longest committed one: small ones are read quickly
MOST_LEARNED = 2000  # files; beyond this, those that add no coverage are removed first
SOURCES = pathlib.Path(__file__).resolve().parents[1] / "fuzz"
# A small quarantine and short stacks: the defaults would halve the number of inputs.
ENVIRONMENT = {"ASAN_OPTIONS": "quarantine_size_mb=16:malloc_context_size=8:" + os.environ.get("ASAN_OPTIONS", "")}


class Fuzzer:
    def __init__(self, program, before):
        self.program, self.before = program, before
        self.kind = program.name.removeprefix("fuzz_")
        self.inputs, self.seconds, self.edges, self.turns = 0, 0.0, 0, 0
        self.failed = None  # the failure, and the file that repeats it
        # New inputs stay in the build folder; the committed inputs are not changed.
        self.learned = program.parent / "found" / self.kind
        self.learned.mkdir(parents=True, exist_ok=True)
        seeds = [SOURCES / "corpus" / self.kind] + ([SOURCES.parents[1] / "configs"] if self.kind == "config" else [])
        self.seeds = [folder for folder in seeds if folder.is_dir()]
        sizes = [file.stat().st_size for folder in self.seeds for file in folder.iterdir() if file.is_file()]
        self.most_bytes = 2 * max([LEAST_BYTES // 2, *sizes])

    def wants(self):
        return max(0, GOAL - self.before - self.inputs)

    def seconds_to_goal(self):
        return self.wants() * self.seconds / max(1, self.inputs)

    def call(self, *arguments):
        return subprocess.run([self.program, "-timeout=60", "-rss_limit_mb=2048", f"-max_len={self.most_bytes}", "-reload=0",
                               f"-artifact_prefix={self.learned}/crash-of-", *arguments],
                              env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, errors="replace")

    def forget_what_adds_nothing(self):
        if len(list(self.learned.iterdir())) <= MOST_LEARNED:
            return
        smaller = self.learned.with_name(f"{self.kind}.smaller")
        shutil.rmtree(smaller, ignore_errors=True)
        smaller.mkdir()
        if self.call("-merge=1", smaller, self.learned).returncode == 0:
            for crash in self.learned.glob("crash-of-*"):
                crash.rename(smaller / crash.name)
            shutil.rmtree(self.learned)
            smaller.rename(self.learned)

    def turn(self, seconds, seed):
        self.turns += 1
        self.forget_what_adds_nothing()
        done = self.call(f"-max_total_time={max(1, round(seconds))}", f"-runs={self.wants() or -1}",
                         "-print_final_stats=1", f"-seed={seed + self.turns}", self.learned, *self.seeds)
        executed = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        covered = re.findall(r"cov: (\d+)", done.stderr)
        # A failing fuzzer prints no total; use the count of its last line.
        read = [executed.group(1)] if executed else re.findall(r"^#(\d+)\s", done.stderr, re.MULTILINE)
        self.inputs += int(read[-1]) if read else 0
        self.edges = int(covered[-1]) if covered else self.edges
        if done.returncode != 0:
            artifact = re.search(r"Test unit written to (\S+)", done.stderr)
            why = [line for line in done.stderr.splitlines() if "ERROR" in line or "does not hold" in line]
            self.failed = (f"{self.kind}: {why[0] if why else done.stderr[-300:]}",
                           f"{self.program} {artifact.group(1) if artifact else self.learned}")


class Turns:
    """Divides the time: first a short turn each, then a share of the time each, starting with those that can finish
    first. Unused time goes to the others; when all have read enough they continue in turn."""

    def __init__(self, fuzzers, part):
        self.waiting, self.part = list(fuzzers), part
        self.first_s = max(LEAST_TURN_S / 4, FIRST_SHARE * self.lanes_s() / max(1, len(fuzzers)))

    def lanes_s(self):
        return self.part.left() * self.part.arguments.jobs

    def take(self):
        """Returns a fuzzer and its seconds; None if none waits."""
        if not self.waiting:
            return None, 0.0
        mine = min(self.waiting, key=lambda each: (each.turns > 0 and not each.wants(), each.turns,
                                                   each.seconds_to_goal()))
        alike = sum(each.turns == mine.turns and (each.wants() > 0) == (mine.wants() > 0) for each in self.waiting)
        self.waiting.remove(mine)
        share_s = max(LEAST_TURN_S, self.lanes_s() / alike) if mine.turns else self.first_s
        return mine, min(share_s, self.part.left())


def fuzz(part, tally):
    programs = sorted(part.build.glob("tests/fuzz/fuzz_*"))
    fuzzers = [Fuzzer(program, tally.get(program.name.removeprefix("fuzz_"), 0)) for program in programs
               if os.access(program, os.X_OK) and program.is_file()]
    lock = threading.Lock()
    turns = Turns(fuzzers, part)

    def lane():
        while part.left() > 1:
            with lock:
                mine, seconds = turns.take()
            if mine is None:
                return
            began = part.left()
            mine.turn(seconds, part.arguments.seed)
            mine.seconds += began - part.left()
            with lock:
                if mine.failed:
                    part.found(*mine.failed)
                else:
                    turns.waiting.append(mine)

    with concurrent.futures.ThreadPoolExecutor(part.arguments.jobs) as lanes:
        for each in [lanes.submit(lane) for _ in range(part.arguments.jobs)]:
            each.result()
    for each in fuzzers:
        part.count(each.kind, each.inputs)
        part.notes.append(f"{each.kind}: {each.inputs / max(1, each.seconds):.0f} inputs/s, {each.edges} edges"
                          f"{f', {each.wants():,} inputs short of {GOAL:,}' if each.wants() else ''}")
