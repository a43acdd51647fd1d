#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loaders of known kinds, recorded once without a step and played back to steps of several times: is what `replay:
recorded` measures what the loader itself gives there? Both in turns, launch by launch.

    planted_replay.py STEPBENCH WORKER [LAUNCHES]

Then the floor: batches that are due at once, and a model's step. What the loader adds to it is its phase data_wait."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

MOST_OFF = 0.05  # in the median; the machine's own noise is in it
MOST_FLOOR = 0.02
SLEEP = "data: {kind: synthetic, features: 16, cost: sleep, cost_us: 1500"
# How the loader makes a batch of 4, and milliseconds of the steps that it is played to.
PLANTS = {
    "two threads, even batches": (SLEEP + "}", "{engine: thread, num_workers: 2, batch_size: 4}"),
    "three processes, uneven batches": (SLEEP + ", cost_distribution: gamma, cost_cv: 0.8}",
                                        "{engine: fork, num_workers: 3, batch_size: 4}"),
    "two threads, one batch in twenty late": (SLEEP + ", straggler_share: 0.0125, straggler_us: 30000}",
                                              "{engine: thread, num_workers: 2, batch_size: 4}"),
    "no workers": (SLEEP + "}", "{num_workers: 0, batch_size: 4}"),
    "epochs that begin anew": (SLEEP + ", samples: 160}",
                               "{engine: thread, num_workers: 2, batch_size: 4, epochs: separate}"),
}
STEPS_US = "[0, 2000, 4500]"
CONTROL_US = 12000  # slower than every loader above with workers
FLOOR = """
name: planted-replay
workload: train_step
device: cpu
launches: {launches}
threads: {{intra_op: 1}}
data: {{kind: synthetic, features: 784}}
loader: {{num_workers: 0, batch_size: 64, arrivals: {file}}}
model: {{kind: mlp}}
schedule: {{wait: 0, warmup: 20, active: 200}}
sweep: {{matrix: {{loader.replay: [recorded, stopped]}}}}
"""


def rows_of(program, run):
    shown = subprocess.run([program, "show", run, "--format", "json"], check=True, capture_output=True, text=True).stdout
    return json.loads(shown)["cases"]


def measure(program, worker, folder, name, text, *more):
    (folder / "file.yaml").write_text(text)
    out = folder / name
    said = subprocess.run([program, "run", folder / "file.yaml", "--worker", worker, "--results", out, "--no-lock", "--quiet",
                           *more], check=True, capture_output=True, text=True).stdout
    return next(out.iterdir()), said


def last_arrival(file):
    return json.loads(file.read_text().splitlines()[-1])["arrived_ns"]


def errors_of_plants(program, worker, folder, launches):
    errors = []
    for number, (plant, (data, loader)) in enumerate(PLANTS.items()):
        head = f"name: planted-replay\nworkload: loader\ndevice: cpu\n{data}\nloader: {loader}\n" \
               "schedule: {wait: 0, warmup: 20, active: 160}\n"
        run, _ = measure(program, worker, folder, f"{number}-recorded", head + f"launches: {launches}\n", "--record-arrivals")
        file = sorted(run.glob("arrivals/*.jsonl"), key=last_arrival)[launches // 2]
        steps = STEPS_US[:-1] + ("]" if "no workers" in plant else f", {CONTROL_US}]")
        sweep = f"launches: {launches}\nsweep: {{matrix: {{emulated.step_us: {steps}, loader.replay: [none, recorded]}}}}\n"
        run, said = measure(program, worker, folder, f"{number}-played", head + sweep, "--set", f"loader.arrivals={file}")
        if said.count("replayed arrivals give") != steps.count(",") + 1:
            sys.exit(f"{plant}: not every step is told of\n{said}")
        times = {
            (row["options"]["emulated.step_us"], row["options"]["loader.replay"]): row["step_ns"]
            for row in rows_of(program, run)
        }
        for (step_us, replay), as_is in times.items():
            if replay == "none":
                errors.append(times[step_us, "recorded"] / as_is - 1)
                print(f"{plant}, step {step_us / 1000:g} ms: {as_is * 1e-6:.2f} ms of the loader, replayed {100 * errors[-1]:+.1f} %",
                      flush=True)
    return [abs(error) for error in errors]


def floor(program, worker, folder, launches):
    """The share of a model's step that data_wait takes of batches which are due at once."""
    head = {"record": "arrivals", "version": 1, "case_id": "planted", "engine": "thread", "ahead": 4, "workers": 2,
            "batches": 200, "fields": [{"dtype": "float32", "shape": [784]}, {"dtype": "int64", "shape": []}]}
    batch = {"asked_ns": 0, "arrived_ns": 0, "size": 64, "bytes": 64 * (784 * 4 + 8), "window": True}
    file = folder / "at_once.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in [head] + [batch] * 200))
    run, _ = measure(program, worker, folder, "floor", FLOOR.format(launches=launches, file=file))
    shares = {}
    for row in rows_of(program, run):
        replay = row["options"]["loader.replay"]
        shares[replay] = row["data_wait_share"] / (1 - row["data_wait_share"])
        print(f"floor, {replay}: step {row['step_ns'] * 1e-6:.3f} ms, {100 * shares[replay]:.2f} % more than without a loader")
    return max(shares.values())


def main():
    program, worker = sys.argv[1:3]
    launches = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        errors = errors_of_plants(program, worker, folder, launches)
        print(f"{len(errors)} pairs: off by {100 * statistics.median(errors):.1f} % in the median, at most "
              f"{100 * max(errors):.1f} %")
        added = floor(program, worker, folder, launches)
    if statistics.median(errors) > MOST_OFF:
        sys.exit(f"more than {100 * MOST_OFF:.0f} % off in the median")
    if added > MOST_FLOOR:
        sys.exit(f"the floor is {100 * added:.1f} % above a model without a loader")


if __name__ == "__main__":
    main()
