# SPDX-License-Identifier: Apache-2.0
"""A long run: the controller's resources must not grow."""
import contextlib
import math
import os
import pathlib
import signal
import statistics
import subprocess
import time

from scenes import PATIENCE_S, Broken, Run, require

# Each launch's rows stay in memory until the run ends; a launch that keeps more than this leaks.
MOST_KIB_A_LAUNCH = 16
SURE = 3.72  # standard deviations: one in ten thousand, because several resources are tested


def slope_per_hour(samples):
    """Theil-Sen estimator: the median of the slopes between all pairs."""
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for i, a in enumerate(samples) for b in samples[i + 1:]]
    return 3600 * statistics.median(slopes) if slopes else 0.0


def grows(samples):
    """Mann-Kendall test with ties: whether more pairs rise than by chance."""
    values = [value for _, value in samples]
    n = len(values)
    rising = sum((b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1:])
    ties = [values.count(value) for value in set(values)]
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    return variance > 0 and rising > 1 and (rising - 1) / math.sqrt(variance) > SURE


def require_steady(name, samples):
    """Requires a slope of at most one per hour, unless chance explains it. Returns a description of the slope."""
    some = samples[::max(1, len(samples) // 300)]
    slope = slope_per_hour(some)
    require(not (slope > 1 and grows(some)), f"{name} grow by {slope:.1f} per hour")
    return f"{name}: {slope:+.1f} per hour, {len(samples)} samples"


def held(scene, pid):
    """Returns the controller's current resources by name; empty if it has ended or is only starting."""
    proc = pathlib.Path(f"/proc/{pid}")
    with contextlib.suppress(OSError):
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines() if ":" in line)
        if "VmRSS" not in status:
            return {}
        children = (proc / f"task/{pid}/children").read_text().split()
        return {"descriptors": len(os.listdir(proc / "fd")), "threads": int(status["Threads"]),
                "children": len(children), "rss_kib": int(status["VmRSS"].split()[0]),
                "segments": len(list(pathlib.Path("/dev/shm").glob(f"stepbench-*-{scene.folder.name}"))),
                "temporary files": len(list((scene.folder / "tmp").iterdir()))}
    return {}


class Lines:
    """Counts the launches that a run has written, reading incrementally."""

    def __init__(self):
        self.at, self.launches = 0, 0

    def read(self, folder):
        for file in folder.glob("*.jsonl") if folder else []:
            with file.open("rb") as lines:
                lines.seek(self.at)
                text = lines.read()
            whole = text[:text.rfind(b"\n") + 1]
            self.at += len(whole)
            self.launches += whole.count(b'{"kind":"launch"')
        return self.launches


def soak_for(ground, seconds, preload=None):
    """Returns, from the end of the first launch on, the launches and the values of each resource over time."""
    with ground.folder() as folder:
        scene = Run(ground, folder)
        (folder / "config.yaml").write_text((folder / "config.yaml").read_text().replace(
            "launches: 2", "launches: 10000"))
        process = subprocess.Popen([str(word) for word in scene.command()], cwd=folder,
                                   env=scene.environment(**(preload or {})), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        samples, lines = {}, Lines()
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and process.poll() is None:
            time.sleep(max(0.2, seconds / 1000))
            launches = lines.read(scene.run_folder())
            if launches == 0:
                continue
            if not samples:
                end = time.monotonic() + seconds
            for name, value in {"launches": launches, **held(scene, process.pid)}.items():
                samples.setdefault(name, []).append((time.monotonic(), value))
        require(process.poll() is None, f"the run ended by itself: {process.returncode}")
        require("rss_kib" in samples, f"no launch ended in {PATIENCE_S} s")
        process.send_signal(signal.SIGTERM)
        require(process.wait(PATIENCE_S) == 143, f"SIGTERM ends it with {process.returncode}")
        scene.nothing_left()
        return samples


def steady(samples):
    """Returns a description of each resource; raises Broken if one grows."""
    said = [require_steady(name, values) for name, values in samples.items() if name not in ("launches", "rss_kib")]
    # The first tenth fills caches of the allocator.
    begin = len(samples["rss_kib"]) // 10
    launches = samples["launches"][-1][1] - samples["launches"][begin][1]
    each = (samples["rss_kib"][-1][1] - samples["rss_kib"][begin][1]) / max(1, launches)
    require(each <= MOST_KIB_A_LAUNCH, f"memory grows by {each:.1f} KiB for each launch")
    return [*said, f"memory of the controller: {each:.2f} KiB for each launch"]


def soak(part, ground):
    """Rounds of at most half an hour: the end of a run is tested as well."""
    try:
        while part.left() > 10 or not part.counts:
            samples = soak_for(ground, min(1800, max(10, part.left())))
            part.count("launches", samples["launches"][-1][1])
            part.notes += steady(samples)
    except Broken as error:
        part.found(error, part.repeat(f"--seconds {part.arguments.seconds:.0f}"))
