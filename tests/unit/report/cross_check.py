# SPDX-License-Identifier: Apache-2.0
"""The step medians that `stepbench show` prints, computed again from the file by json and statistics alone."""
import json
import pathlib
import statistics
import subprocess
import sys

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
medians = {}
for file in folder.glob("*.jsonl"):
    for line in file.read_text().splitlines():
        row = json.loads(line)
        if row["kind"] != "samples":
            continue
        column = dict(zip(row["columns"], row["values"]))
        steady = [t for t, flag in zip(column["step_ns"], column["flags"]) if flag == 0]
        medians.setdefault(row["case_id"], []).append(statistics.median(steady))
shown = json.loads(subprocess.check_output([program, "show", folder, "--format", "json"]))
assert len(shown["cases"]) == len(medians) > 0
for case in shown["cases"]:
    assert case["step_median_ns"] == statistics.median(medians[case["case_id"]]), case["case_id"]
    assert case["low_ns"] == min(medians[case["case_id"]])

if sys.argv[3:] == ["npy"]:
    import numpy

    target = pathlib.Path(sys.argv[0]).name + ".npy"
    subprocess.check_call([program, "show", folder, "--format", "npy", "--output", target])
    steps = numpy.load(target)
    pathlib.Path(target).unlink()
    assert steps.dtype["step_ns"] == numpy.int64 and len(steps) > 0
    for number, case in enumerate(shown["cases"]):
        mine = steps[(steps["case"] == number) & (steps["flags"] == 0)]
        launches = [numpy.median(mine["step_ns"][mine["launch"] == n]) for n in numpy.unique(mine["launch"])]
        assert numpy.median(launches) == case["step_median_ns"]
print("equal")
