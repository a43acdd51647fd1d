# SPDX-License-Identifier: Apache-2.0
"""One part of tools/harden: storm.py PART --build DIR --seconds S --out FILE [--seed N] [--scene NAME --at STOP].

kills   commands killed at their system calls, each scene at every one in turn
disk    writes that fail: a full disk, an error, half of the bytes; a packed file cut at each byte
soak    one long run: descriptors and threads of the controller must not grow
plants  planted bugs, each of which one of the above must find
fuzz    the fuzzers of the build, one after the other

FILE is JSON: what was done, and what was found. Exit status 1: something was found.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from scenes import SCENES, Broken, Ground, Run, require

MOST_FINDINGS = 20  # then the part ends


class Part:
    def __init__(self, arguments):
        self.arguments = arguments
        self.began = time.monotonic()
        self.counts, self.findings, self.notes = {}, [], []

    def left(self):
        return self.arguments.seconds - (time.monotonic() - self.began)

    def goes_on(self):
        return self.left() > 0 and len(self.findings) < MOST_FINDINGS

    def count(self, what, many=1):
        self.counts[what] = self.counts.get(what, 0) + many

    def found(self, what, repeat):
        self.findings.append({"what": str(what), "repeat": repeat})
        print(f"found: {what}\n  again: {repeat}", flush=True)

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
    """Stops in all, and the status where it ended by itself."""
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
    while part.goes_on() and any(waiting.values()):
        for kind in [kind for kind in chosen if waiting[kind]]:
            stop = waiting[kind].pop()
            try:
                kill_once(ground, kind, stop)
            except Broken as error:
                part.found(f"{kind.name} killed at stop {stop}: {error}",
                           part.repeat(f"--scene {kind.name} --at {stop}"))
            part.count(kind.name)
            if not part.goes_on():
                break


def fail_once(ground, kind, number, how):
    """False: there are not so many calls."""
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


def cuts(ground, preload=None):
    """A packed file that was cut is refused, or what is missing is said. The number of cuts."""
    with ground.folder() as folder:
        scene = SCENES["compress"](ground, folder)
        scene.complete()
        file = next(scene.run.glob("*.gz"))
        whole = file.read_bytes()
        places = range(1, len(whole), max(1, len(whole) // 200))
        for size in places:
            file.write_bytes(whole[:size])
            done = scene.call([ground.stepbench, "show", scene.run], **(preload or {}))
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
    try:
        part.count("cuts", cuts(ground))
    except Broken as error:
        part.found(error, part.repeat(""))
    at = {each: 0 for each in waiting}
    while part.goes_on() and waiting:
        for each in list(waiting):
            kind, how = each
            # The first calls one by one, of many more some.
            at[each] += 1 if at[each] < 20 else randomly.randint(1, 1 + at[each] // 10)
            try:
                if not fail_once(ground, kind, at[each], how):
                    waiting.remove(each)
                    continue
            except Broken as error:
                part.found(f"{kind.name}, call {at[each]} {how}: {error}",
                           part.repeat(f"--scene {kind.name} --at {at[each]}"))
            part.count(f"{kind.name} {how}")
            if not part.goes_on():
                break
    part.notes += [f"{kind.name}, {how}: stopped at call {at[kind, how]} of more" for kind, how in waiting]


def slope_per_hour(samples):
    """Theil and Sen: the median of the slopes between all pairs."""
    step = max(1, len(samples) // 200)
    some = samples[::step]
    slopes = sorted((b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(some) for b in some[i + 1:])
    return 3600 * slopes[len(slopes) // 2] if slopes else 0.0


def soak_for(ground, seconds, preload=None):
    """Launches, and by name of a resource its values over time."""
    with ground.folder() as folder:
        scene = Run(ground, folder)
        (folder / "config.yaml").write_text((folder / "config.yaml").read_text().replace(
            "launches: 2", "launches: 10000"))
        process = subprocess.Popen([str(word) for word in scene.command()], cwd=folder,
                                   env=scene.environment(**(preload or {})), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        proc = pathlib.Path(f"/proc/{process.pid}")
        samples = {"descriptors": [], "threads": [], "rss_kib": [], "launches": []}
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            time.sleep(max(0.2, seconds / 1000))
            now = time.monotonic()
            lines = (proc / "status").read_text().splitlines()
            status = dict(line.split(":", 1) for line in lines if ":" in line)
            if "VmRSS" not in status or not scene.rows():
                continue
            samples["descriptors"].append((now, len(os.listdir(proc / "fd"))))
            samples["threads"].append((now, int(status["Threads"])))
            samples["rss_kib"].append((now, int(status["VmRSS"].split()[0])))
            samples["launches"].append((now, sum(text.count('{"kind":"launch"') for text in scene.rows().values())))
        require(process.poll() is None, f"the run ended by itself: {process.returncode}")
        process.send_signal(signal.SIGTERM)
        require(process.wait(600) == 143, f"SIGTERM ends it with {process.returncode}")
        scene.nothing_left()
        return samples


def soak(part, ground, preload=None):
    try:
        samples = soak_for(ground, max(10, part.left()), preload)
        launches = samples["launches"][-1][1] - samples["launches"][0][1]
        part.count("launches", launches)
        grown = samples["rss_kib"][-1][1] - samples["rss_kib"][0][1]
        part.notes.append(f"memory of the controller: {grown / max(1, launches):.2f} KiB for each launch")
        # What a moment holds open is taken out by looking at the lower half.
        for name in ("descriptors", "threads"):
            slope = slope_per_hour(samples[name])
            part.notes.append(f"{name}: {slope:+.1f} per hour, {len(samples[name])} samples")
            require(slope <= 1, f"{name} grow by {slope:.1f} per hour")
    except Broken as error:
        part.found(error, part.repeat(f"--seconds {part.arguments.seconds:.0f}"))


def expect_caught(part, plant, look):
    """`look` with the bug must find it, without it nothing."""
    for preload in ({}, {"STORM_PLANT": plant}):
        try:
            look(preload)
            caught = None
        except Broken as error:
            caught = str(error)
        if preload and not caught:
            part.found(f"the planted bug {plant} was not found", part.repeat(""))
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
        samples = soak_for(ground, 15, {"LD_PRELOAD": str(ground.shim), **preload})
        slope = slope_per_hour(samples["descriptors"])
        require(slope <= 1, f"descriptors grow by {slope:.0f} per hour")

    def all_cuts(preload):
        cuts(ground, {"LD_PRELOAD": str(ground.shim), **preload})

    for plant, look in (("lose_row", run_whole), ("keep_segment", run_whole), ("leak_fd", short_soak),
                        ("accept_truncated", all_cuts)):
        expect_caught(part, plant, look)
    for rest in pathlib.Path("/dev/shm").glob("stepbench-*-tmp*"):  # what keep_segment kept
        if not pathlib.Path(f"/proc/{rest.name.split('-')[1]}").exists():
            rest.unlink()


def fuzz(part, _):
    build = pathlib.Path(part.arguments.build).resolve()
    sources = pathlib.Path(__file__).resolve().parents[1] / "fuzz"
    programs = sorted(build.glob("tests/fuzz/fuzz_*"))
    programs = [each for each in programs if os.access(each, os.X_OK) and each.is_file()]
    for at, program in enumerate(programs):
        kind = program.name.removeprefix("fuzz_")
        seconds = max(5, int(part.left() / (len(programs) - at)))
        found = build / "tests/fuzz/found" / kind
        found.mkdir(parents=True, exist_ok=True)
        corpora = [folder for folder in (found, sources / "corpus" / kind) if folder.is_dir()]
        if kind == "config":
            corpora.append(sources.parents[1] / "configs")
        done = subprocess.run([program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                               "-max_len=65536", "-print_final_stats=1", f"-artifact_prefix={found}/crash-of-",
                               f"-seed={part.arguments.seed + at}", *corpora],
                              capture_output=True, text=True, errors="replace", cwd=build)
        executed = re.search(r"number_of_executed_units: (\d+)", done.stderr)
        covered = re.findall(r"cov: (\d+)", done.stderr)
        inputs = int(executed.group(1)) if executed else 0
        part.count(kind, inputs)
        part.notes.append(f"{kind}: {inputs / seconds:.0f} inputs/s, {covered[-1] if covered else 0} edges")
        if done.returncode != 0:
            artifact = re.search(r"Test unit written to (\S+)", done.stderr)
            why = [line for line in done.stderr.splitlines() if "ERROR" in line or "does not hold" in line]
            part.found(f"{kind}: {why[0] if why else done.stderr[-300:]}",
                       f"{program} {artifact.group(1) if artifact else found}")


PARTS = {"kills": kills, "disk": disk, "soak": soak, "plants": plants, "fuzz": fuzz}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scene", choices=SCENES)
    parser.add_argument("--at", type=int, help="this stop, or call, alone; with --scene")
    part = Part(parser.parse_args())
    ground = Ground(part.arguments.build) if part.arguments.part != "fuzz" else None
    try:
        PARTS[part.arguments.part](part, ground)
    finally:
        if ground:
            ground.close()
    return part.write()


if __name__ == "__main__":
    sys.exit(main())
