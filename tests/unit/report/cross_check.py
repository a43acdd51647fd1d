# SPDX-License-Identifier: Apache-2.0
"""The steps that `stepbench show` prints, computed again from the file by json and statistics alone."""
import json
import pathlib
import statistics
import subprocess
import sys

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
launches = {}
for file in folder.glob("*.jsonl"):
    for line in file.read_text().splitlines():
        row = json.loads(line)
        if row["kind"] != "samples":
            continue
        column = dict(zip(row["columns"], row["values"]))
        times = launches.setdefault(row["case_id"], {}).setdefault(row["launch"], [])
        times += column["step_ns"]
steps = {case: [sum(times) / len(times) for times in each.values()] for case, each in launches.items()}
shown = json.loads(subprocess.check_output([program, "show", folder, "--format", "json"]))
assert len(shown["cases"]) == len(steps) > 0
for case in shown["cases"]:
    assert case["step_ns"] == statistics.median(steps[case["case_id"]]), case["case_id"]
    assert case["low_ns"] == min(steps[case["case_id"]])
    whole = {each["launch"]: each["window_ns"] for each in case["launch_estimates"]}
    assert whole == {launch: sum(times) for launch, times in launches[case["case_id"]].items()}

if sys.argv[3:] == ["npy"]:
    import numpy

    target = pathlib.Path(sys.argv[0]).name + ".npy"
    subprocess.check_call([program, "show", folder, "--format", "npy", "--output", target])
    table = numpy.load(target)
    pathlib.Path(target).unlink()
    assert table.dtype["step_ns"] == numpy.int64 and len(table) > 0
    for number, case in enumerate(shown["cases"]):
        mine = table[table["case"] == number]
        of_launch = [mine["step_ns"][mine["launch"] == n] for n in numpy.unique(mine["launch"])]
        assert numpy.median([times.sum() / len(times) for times in of_launch]) == case["step_ns"]
print("equal")
