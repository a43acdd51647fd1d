#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nights of the real worker, which is 5 % slower from the fourteenth on: is it found, confirmed and named?

    planted_nights.py STEPBENCH PLANTED_WORKER DATED [--nights N]

The slow-down spins in the phase `optimizer` of a training step. Exit status 1 when a night before it is a regression,
when none is within five nights, or when the cause is another phase.
"""
import argparse
import datetime
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "nights"))
from nights import Machine  # noqa: E402

SHARE = 0.05
PHASE = "optimizer"
EXPERIMENT = """\
name: nightly
workload: train_step
data: {kind: synthetic, image_size: 32, classes: 10}
loader: {batch_size: 16}
model: {kind: mlp, hidden: 512, layers: 4}
optimizer: {kind: sgd, implementation: foreach, lr: 0.01}
threads: {intra_op: 1}
schedule: {wait: 1, warmup: 10, active: 60}
launches: 8
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("stepbench", "worker", "dated"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--before", type=int, default=13, help="nights without the slow-down")
    arguments = parser.parse_args()
    machine = Machine(arguments.stepbench, arguments.worker, arguments.dated)
    (machine.folder / "nightly.yaml").write_text(EXPERIMENT)
    machine.commit("the experiment")

    def build(name, microseconds):
        program = machine.folder / name
        program.write_text(f"#!/bin/sh\n# {name}\nSTEPBENCH_PLANTED_US={microseconds} exec '{arguments.worker}' \"$@\"\n")
        program.chmod(0o755)
        return program

    def night(number, program):
        done, verdict = machine.verdict(program, next_night=False)
        machine.date += datetime.timedelta(days=1)
        step = next(series for series in verdict["series"] if series["metric"] == "step_ns")
        print(f"night {number:2}: step {step['value'] / 1e6:.3f} ms, {step['state']}, exit {done.status}", flush=True)
        return done.status, step, verdict

    ok, steps = True, []
    good = build("good", 0)
    for number in range(1, arguments.before + 1):
        status, step, _ = night(number, good)
        steps.append(step["value"])
        ok = ok and status != 1
    slow = build("slow", round(SHARE * statistics.median(steps) / 1000))
    for number in range(arguments.before + 1, arguments.before + 6):
        status, _, verdict = night(number, slow)
        if status == 1:
            causes = json.dumps(verdict["alerts"])
            named = PHASE in causes
            print(f"found in night {number}; the phase is {'named' if named else 'not named'}\n{causes}")
            machine.close()
            return 0 if ok and named else 1
    print("not found within five nights")
    machine.close()
    return 1


if __name__ == "__main__":
    sys.exit(main())
