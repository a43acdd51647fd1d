# SPDX-License-Identifier: Apache-2.0
"""One part of tools/harden: storm.py PART --build DIR --seconds S --out FILE [--seed N] [--scene NAME --at STOP].

kills   commands killed at their system calls, each scene at every one in turn
disk    writes that fail: a full disk, an error, half of the bytes; a packed file cut at each byte; outputs over files
        of others
soak    long runs: what their controller holds must not grow
plants  planted bugs, each of which one of the above must find
fuzz    the fuzzers of the build, side by side
judges  the tests that hold our formats against the readers of others
nightly the tests of that label

FILE is JSON: what was done, and what was found. Exit status 1: something was found.
"""
import argparse
import concurrent.futures
import contextlib
import gzip
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from fuzzers import fuzz
from labelled import labelled
from scenes import SCENES, Bisect, Broken, Ground, Run, require, spares_files_of_others
from soak import soak, soak_for, steady

MOST_FINDINGS = 20  # after these the part ends
PATIENCE_OF_A_PLANT_S = 30  # for hanging or surviving processes of a planted bug


class Part:
    def __init__(self, arguments):
        self.arguments = arguments
        self.build = pathlib.Path(arguments.build).resolve()
        self.began = time.monotonic()
        self.counts, self.findings, self.notes = {}, [], []
        self.lock = threading.Lock()

    def left(self):
        return self.arguments.seconds - (time.monotonic() - self.began)

    def goes_on(self):
        return self.left() > 0 and len(self.findings) < MOST_FINDINGS

    def count(self, what, many=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + many

    def found(self, what, repeat):
        self.findings.append({"what": str(what), "repeat": repeat})
        print(f"found: {what}\n  again: {repeat}", flush=True)

    def in_turn(self, waiting, once):
        """Calls `once(what, place)` for one place of each, then for another, in all lanes within the time."""
        turns = itertools.cycle(waiting)

        def lane():
            while True:
                with self.lock:
                    what = next((each for each in itertools.islice(turns, len(waiting)) if waiting[each]), None)
                    if what is None or not self.goes_on():
                        return
                    place = waiting[what].pop()
                once(what, place)

        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as lanes:
            for each in [lanes.submit(lane) for _ in range(self.arguments.jobs)]:
                each.result()

    def repeat(self, more):
        build = os.path.relpath(self.arguments.build)
        return f".venv/bin/python tests/storm/storm.py {self.arguments.part} --build {build} {more}"

    def write(self):
        text = json.dumps({"part": self.arguments.part, "seconds": round(time.monotonic() - self.began),
                           "counts": self.counts, "notes": self.notes, "findings": self.findings}, indent=1)
        if self.arguments.out:
            pathlib.Path(self.arguments.out).write_text(text + "\n")
        print(text)
        return 1 if self.findings else 0


def killed(ground, scene, stop):
    """Returns the number of stops, and the status if it ended by itself."""
    done = scene.call([ground.killed_at, stop, *scene.command()])
    require(done.returncode == 0, f"killed_at: {done.stderr}")
    calls, status = map(int, done.stdout.split())
    return calls, None if status < 0 else status


def kill_once(ground, kind, stop):
    with ground.folder() as folder:
        scene = kind(ground, folder)
        killed(ground, scene, stop)
        scene.after_cut()
        scene.complete()
        scene.whole()


def stops_of(ground, kind):
    with ground.folder() as folder:
        scene = kind(ground, folder)
        calls, status = killed(ground, scene, -1)
        require(status in kind.fine, f"{kind.name} by itself ends with {status}")
        scene.after_cut()
        scene.whole()
        return calls


def kills(part, ground):
    randomly = random.Random(part.arguments.seed)
    chosen = [SCENES[part.arguments.scene]] if part.arguments.scene else list(SCENES.values())
    if part.arguments.at is not None:
        try:
            kill_once(ground, chosen[0], part.arguments.at)
        except Broken as error:
            part.found(error, "")
        return
    waiting = {}
    for kind in chosen:
        waiting[kind] = list(range(stops_of(ground, kind)))
        part.notes.append(f"{kind.name}: {len(waiting[kind])} places to be killed at")
        randomly.shuffle(waiting[kind])

    def once(kind, stop):
        part.count(kind.name)
        try:
            kill_once(ground, kind, stop)
        except Broken as error:
            part.found(f"{kind.name} killed at stop {stop}: {error}", part.repeat(f"--scene {kind.name} --at {stop}"))

    part.in_turn(waiting, once)


def fail_once(ground, kind, number, how):
    """Returns False if there are fewer calls."""
    with ground.folder() as folder:
        scene = kind(ground, folder)
        fired = pathlib.Path(f"{folder}.fired")
        done = scene.call(scene.command(), LD_PRELOAD=str(ground.shim), STORM_DISK=f"{folder}:{number}:{how}")
        if not fired.exists():
            return False
        fired.unlink()
        require(done.returncode not in (70, 134, 139) and done.returncode >= 0,
                f"ended with {done.returncode}: {done.stderr}")
        require(done.returncode in scene.fine or (done.stderr + done.stdout).strip(),
                f"ended with {done.returncode} and says nothing")
        scene.after_cut()
        if how == "short":
            require(done.returncode in scene.fine, f"half a write is no error: {done.returncode}: {done.stderr}")
        if done.returncode not in scene.fine:
            scene.complete()
        scene.whole()
        return True


def calls_of(ground, kind, how):
    """Returns the number of calls, by probing whether the N-th one is reached."""
    def is_reached(number):
        with ground.folder() as folder:
            scene = kind(ground, folder)
            fired = pathlib.Path(f"{folder}.fired")
            scene.call(scene.command(), LD_PRELOAD=str(ground.shim), STORM_DISK=f"{folder}:{number}:{how}")
            reached = fired.exists()
            fired.unlink(missing_ok=True)
            return reached

    low, high = 0, 1
    while is_reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_reached(middle) else (low, middle)
    return low


def cuts(ground, preload=None):
    """A cut packed file is rejected, or the missing part is reported. Returns the number of cuts."""
    with ground.folder() as folder:
        scene = Run(ground, folder)
        run = folder / "packed"
        shutil.copytree(ground.finished, run)
        plain = next(run.glob("*.jsonl"))
        file = plain.with_name(f"{plain.name}.gz")
        whole = gzip.compress(plain.read_bytes())
        plain.unlink()
        places = range(1, len(whole), max(1, len(whole) // 200))
        for size in places:
            file.write_bytes(whole[:size])
            done = scene.call([ground.stepbench, "show", run], **(preload or {}))
            require(done.returncode == 2 and done.stderr or "cut" in done.stderr,
                    f"a file cut after {size} of {len(whole)} bytes: {done.returncode}: {done.stderr or 'no word'}")
        return len(places)


def disk(part, ground):
    randomly = random.Random(part.arguments.seed)
    chosen = [SCENES[part.arguments.scene]] if part.arguments.scene else list(SCENES.values())
    waiting = [(kind, how) for kind in chosen for how in ("full", "broken", "short")]
    if part.arguments.at is not None:
        for kind, how in waiting:
            try:
                fail_once(ground, kind, part.arguments.at, how)
            except Broken as error:
                part.found(f"{kind.name} {how}: {error}", "")
        return
    for name, look in (("cuts", cuts), ("files of others", spares_files_of_others)):
        try:
            part.count(name, look(ground))
        except Broken as error:
            part.found(error, part.repeat(""))
    places = {}
    for kind, how in waiting:
        # The same calls fail with either error.
        calls = len(places[kind, "full"]) if how == "broken" else calls_of(ground, kind, how)
        places[kind, how] = list(range(1, 1 + calls))
        part.notes.append(f"{kind.name}, {how}: {len(places[kind, how])} calls that can fail")
        randomly.shuffle(places[kind, how])

    def once(which, number):
        kind, how = which
        try:
            if fail_once(ground, kind, number, how):
                part.count(f"{kind.name} {how}")
        except Broken as error:
            part.found(f"{kind.name}, call {number} {how}: {error}",
                       part.repeat(f"--scene {kind.name} --at {number}"))

    part.in_turn(places, once)


def expect_caught(part, plant, look, sign):
    """`look` must find the planted bug and nothing else: its words have the sign; without the bug it must find
    nothing."""
    for preload in ({}, {"STORM_PLANT": plant}):
        try:
            look(preload)
            caught = None
        except Broken as error:
            caught = str(error)
        if preload and (not caught or sign not in caught):
            part.found(f"the planted bug {plant} was not found, but {caught or 'nothing'}", part.repeat(""))
        elif preload:
            part.notes.append(f"{plant}: {caught.splitlines()[0][:120]}")
            part.count("found")
        elif caught:
            part.found(f"without {plant}: {caught}", part.repeat(""))


def plants(part, ground):
    def run_whole(preload):
        with ground.folder() as folder:
            scene = Run(ground, folder)
            scene.call(scene.command(), LD_PRELOAD=str(ground.shim), **preload)
            scene.after_cut()
            scene.whole()

    def short_soak(preload):
        steady(soak_for(ground, 15, {"LD_PRELOAD": str(ground.shim), **preload}))

    def all_cuts(preload):
        cuts(ground, {"LD_PRELOAD": str(ground.shim), **preload})

    def killed_in_a_build(preload):
        with ground.folder() as folder:
            scene = Bisect(ground, folder)
            begun = folder / "begun"
            # Without the variable, another run on this machine does not find and end it.
            build = f"unset STEPBENCH_CONTROLLER; : > '{begun}'; exec sleep {PATIENCE_OF_A_PLANT_S * 2}"
            words = [build if "{worktree}" in str(word) else str(word) for word in scene.command()]
            process = subprocess.Popen(words, cwd=scene.repository, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=scene.environment(LD_PRELOAD=str(ground.shim), **preload))
            while not begun.exists() and process.poll() is None:
                time.sleep(0.01)
            require(begun.exists(), f"the search ends with {process.poll()} before it builds")
            process.kill()
            process.wait()
            until = time.monotonic() + PATIENCE_OF_A_PLANT_S
            while (left := scene.processes()) and time.monotonic() < until:
                time.sleep(0.01)
            for each in left:
                os.kill(int(each.split()[1].rstrip(":")), signal.SIGKILL)
            require(not left, f"left behind: {left}")

    def searched(preload):
        with ground.folder() as folder:
            scene = Bisect(ground, folder)
            scene.call(scene.command(), LD_PRELOAD=str(ground.shim), **preload)
            scene.after_cut()

    def compared(preload):
        with ground.folder() as folder:
            scene = Run(ground, folder)
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run([ground.stepbench, "compare", ground.finished, ground.finished], cwd=folder,
                               capture_output=True, timeout=PATIENCE_OF_A_PLANT_S,
                               env=scene.environment(LD_PRELOAD=str(ground.shim), **preload))
                return
            raise Broken("a comparison does not end")

    def foreign(preload):
        spares_files_of_others(ground, {"LD_PRELOAD": str(ground.shim), **preload})

    for plant, look, sign in (("lose_row", run_whole, "0 launches of 4"), ("keep_segment", run_whole, "/dev/shm/stepbench-"),
                              ("leak_fd", short_soak, "descriptors grow"), ("leak_memory", short_soak, "memory grows"),
                              ("accept_truncated", all_cuts, "a file cut after"),
                              ("outliving_build", killed_in_a_build, "left behind: ['process"),
                              ("followed_link", foreign, "link.csv"), ("read_by_a_shell", searched, "a shell ran"),
                              ("endless_comparison", compared, "does not end")):
        expect_caught(part, plant, look, sign)
    for rest in pathlib.Path("/dev/shm").glob("stepbench-*-tmp*"):  # the segments kept by keep_segment
        if not pathlib.Path(f"/proc/{rest.name.split('-')[1]}").exists():
            rest.unlink()


PARTS = {"kills": kills, "disk": disk, "soak": soak, "plants": plants}
LABELS = ("judges", "nightly")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*PARTS, *LABELS, "fuzz"])
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at once")
    parser.add_argument("--out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tally", type=pathlib.Path, help="of the runs before: fuzzers that have read enough wait")
    parser.add_argument("--scene", choices=SCENES)
    parser.add_argument("--at", type=int, help="this stop, or call, alone; with --scene")
    part = Part(parser.parse_args())
    if part.arguments.part == "fuzz":
        before = part.arguments.tally
        fuzz(part, json.loads(before.read_text()).get("fuzz", {}) if before and before.exists() else {})
        return part.write()
    if part.arguments.part in LABELS:
        labelled(part, part.arguments.part)
        return part.write()
    ground = Ground(part.arguments.build)
    try:
        PARTS[part.arguments.part](part, ground)
    finally:
        ground.close()
    return part.write()


if __name__ == "__main__":
    sys.exit(main())
