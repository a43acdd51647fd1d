#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares rates, AU and exported values of storage and steps with known speed, through a worker of ours, with
arithmetic.

    planted_storage.py STEPBENCH SLOW_STORAGE_WORKER [LAUNCHES]

Files of one size. With W workers, a latency L, B bytes per file and a link of R bytes/s, a loader gives at most
min(W / (L + B / R), R / B) samples/s, and a parallel step of C seconds waits for the rest. A control has neither."""
import json
import pathlib
import subprocess
import sys
import tempfile

MOST_OFF = 0.03
RECORD = 200_000  # bytes of a sample: raw uint8, cheap to read
SAMPLES = 64
BATCH = 4

# name: options, the step in ms by arithmetic, and its AU (None: none is emulated)
PLANTS = {
    "latency, 1 worker": ({"latency_us": 5000}, 1, 0, BATCH * 5, None),
    "latency, 2 workers": ({"latency_us": 5000}, 2, 0, BATCH * 5 / 2, None),
    "bandwidth, 2 workers": ({"bandwidth_mb_s": 40}, 2, 0, BATCH * 5, None),
    "both, 2 workers": ({"latency_us": 20000, "bandwidth_mb_s": 40}, 2, 0, BATCH * 25 / 2, None),
    "step faster than storage": ({"latency_us": 5000}, 1, 10_000, BATCH * 5, 0.5),
    "step slower than storage": ({"latency_us": 1000}, 1, 20_000, 20, 1.0),
    "control: a step, storage as it is": ({}, 1, 20_000, 20, 1.0),
}


def run(stepbench, worker, folder, data, name, options, workers, step_us, launches):
    out = folder / name.replace(" ", "_").replace(":", "").replace(",", "")
    (folder / "case.yaml").write_text("\n".join([
        "name: planted-storage", "workload: loader", "device: cpu", f"launches: {launches}",
        "schedule: {wait: 0, warmup: 8, active: 48}", "data:", "  kind: raw_tensor", f"  path: {data}", f"  shape: {RECORD}",
        "storage: " + json.dumps(options),
        f"loader: {{batch_size: {BATCH}, num_workers: {workers}}}", f"emulated: {{step_us: {step_us}}}"]) + "\n")
    subprocess.run([stepbench, "run", folder / "case.yaml", "--worker", worker, "--results", out, "--no-lock", "--quiet"],
                   check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([stepbench, "show", next(out.iterdir()), "--format", "json"], check=True, capture_output=True,
                           text=True).stdout
    rows = json.loads(shown)
    return (rows["cases"] if isinstance(rows, dict) else rows)[0]


def main():
    stepbench, worker = sys.argv[1:3]
    launches = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "set"
        data.mkdir()
        (data / "input.bin").write_bytes(bytes(RECORD * SAMPLES))
        for plant, (options, workers, step_us, expected_ms, expected_au) in PLANTS.items():
            row = run(stepbench, worker, folder, data, plant, options, workers, step_us, launches)
            step_ms, au = row["step_ns"] * 1e-6, row.get("accelerator_utilisation")
            said = f"{plant}: step {step_ms:.2f} ms, arithmetic {expected_ms:.2f} ({100 * (step_ms / expected_ms - 1):+.1f} %)"
            if abs(step_ms / expected_ms - 1) > MOST_OFF:
                wrong.append(plant)
            if expected_au is not None:
                said += f"; AU {100 * au:.1f} %, arithmetic {100 * expected_au:.0f} %"
                if abs(au - expected_au) > MOST_OFF:
                    wrong.append(f"{plant} (AU)")
            elif au is not None:
                wrong.append(f"{plant} (an AU without a step)")
            print(said, flush=True)
    if wrong:
        sys.exit("not as planted: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
