# SPDX-License-Identifier: Apache-2.0
"""Time to export 100,000 cases in each format, and to print their table: export_speed.py STEPBENCH SOURCE_DIR [CASES]

Reading the file is measured separately, as `stepbench show --columns case` of the same file.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
CASES = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
LIMIT_S = 2.0


def compose(file):
    lines = [json.loads(line) for line in next((SOURCE / "results/sample").glob("*.jsonl")).open()]
    first = {row["kind"]: row for row in reversed(lines)}
    launch = first["launch"]
    with file.open("w") as out:
        for kind in ("run", "columns", "worker"):
            out.write(json.dumps(first[kind]) + "\n")
        for number in range(CASES):
            key = {"case_id": f"{number:016x}", "arm": "", "pass": "timing", "launch": 0, "rank": 0}
            samples = {"kind": "samples", **key, "cycle": 0, "columns": ["index", "step_ns", "samples"],
                       "values": [[0, 1], [10**7 + number, 10**7], [16, 16]]}
            launch.update(key)
            launch["options"]["loader.num_workers"] = number
            out.write(json.dumps(samples) + "\n" + json.dumps(launch) + "\n")


def seconds(*words):
    begun = time.monotonic()
    subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begun


def main():
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "many.jsonl"
        compose(file)
        reading = min(seconds("show", file, "--format", "csv", "--columns", "case_id") for _ in range(2))
        print(f"{CASES:,} cases, {file.stat().st_size / 1e6:.0f} MB; reading them: {reading:.2f} s")
        for form in ("junit", "gbench", "openmetrics", "csv", "json", "markdown"):
            taken = min(seconds("export", file, "--format", form, "--max-series", "1000000000") for _ in range(2))
            print(f"{form}: {taken - reading:.2f} s beyond reading")
            if taken - reading > LIMIT_S:
                slow.append(form)
        taken = min(seconds("show", file) for _ in range(2))
        print(f"show: {taken - reading:.2f} s beyond reading")
        if taken - reading > LIMIT_S:
            slow.append("show")
    return f"slower than {LIMIT_S} s: {', '.join(slow)}" if slow else 0


if __name__ == "__main__":
    sys.exit(main())
