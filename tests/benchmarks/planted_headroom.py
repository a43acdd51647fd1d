#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a loader that waits 10 ms and shares its core with a busy thread in the real worker: `run --headroom` must
split the saving of a perfect loader into the wait and the core, and report nothing for a loader that does neither.

    planted_headroom.py STEPBENCH WORKER [LAUNCHES]

All runs use one core, which the busy thread and the step share by halves: with more threads than cores that wait for
each other, a step takes five to ten times as long and varies a lot. The cost of the core is measured separately in
the same run: the same step with the same thread and without the wait, minus the step alone."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WAIT_MS = 10
MOST_OFF = 0.10
SLICE_MS = 4  # a thread that wakes up on a busy core waits for its turn
LOADER = """
import threading, time, zlib, torch

def loader(wait_ms, burn):
    stop = threading.Event()
    block = bytes(1 << 22)
    def work():
        while not stop.is_set():
            zlib.crc32(block) if burn else stop.wait(0.05)
    threading.Thread(target=work, daemon=True).start()
    x, y = torch.randn(64, 1024), torch.randint(0, 10, (64,))
    try:
        while True:
            time.sleep(wait_ms / 1000)
            yield x, y
    finally:
        stop.set()
"""
NET = """
import torch
def model():
    return torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(6)], torch.nn.Linear(1024, 10))
"""
CONFIG = """
name: planted-headroom
workload: train_step
device: cpu
launches: {launches}
threads: {{intra_op: 1}}
schedule: {{wait: 0, warmup: 10, active: 40}}
data: {{kind: python, path: my_loader.py, classes: 10}}
loader: {{engine: iterable}}
model: {{kind: python, path: my_net.py}}
python: {{wait_ms: {wait}, burn: true}}
sweep:
  matrix: {{python.wait_ms: [{wait}, 0], python.burn: [true, false]}}
"""


def steps_of(program, run):
    """Returns medians over launches in milliseconds, including the wait for data, by (wait, burn, part measured
    alone)."""
    shown = subprocess.run([program, "show", run, "--format", "json"], check=True, capture_output=True, text=True).stdout
    rows = [(row["options"], row["step_ns"] * 1e-6, row["data_wait_share"]) for row in json.loads(shown)["cases"]]
    return {
        (str(options["python.wait_ms"]), str(options["python.burn"]).lower(), options["loader.alone"]): (step, step * share)
        for options, step, share in rows
    }


def main():
    program, worker = sys.argv[1:3]
    launches = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "my_loader.py").write_text(LOADER)
        (at / "my_net.py").write_text(NET)
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        (at / "file.yaml").write_text(CONFIG.format(launches=launches, wait=WAIT_MS))
        run = [program, "run", "file.yaml", "--headroom", "--worker", worker, "--results", "out", "--no-lock"]
        said = subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout
        steps = steps_of(program, next((at / "out").iterdir()))
    print(said)
    (both, both_waits), (loader, _), (alone, alone_waits) = (steps[str(WAIT_MS), "true", part] for part in ("none", "loader", "step"))
    core = steps["0", "true", "none"][0] - steps["0", "false", "none"][0]
    waiting = both_waits - alone_waits
    shared = both - alone - waiting
    print(f"loader alone: {loader:.2f} ms, planted {WAIT_MS}; waiting: {waiting:.2f} ms, planted {WAIT_MS}; "
          f"shared: {shared:.2f} ms, by itself {core:.2f}")
    wrong = []
    if abs(loader - WAIT_MS) > MOST_OFF * WAIT_MS:
        wrong.append("the loader alone")
    if not (1 - MOST_OFF) * WAIT_MS <= waiting <= WAIT_MS + SLICE_MS:
        wrong.append("the wait")
    if abs(shared - core) > MOST_OFF * max(core, WAIT_MS):
        wrong.append("the core")
    control = "wait_ms=0 burn=false alone=none: a perfect loader would save nothing measurable with these launches"
    if control not in " ".join(said.split()):
        wrong.append("a control without a plant")
    if wrong:
        sys.exit(f"not split as planted: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
