# SPDX-License-Identifier: Apache-2.0
"""HolisticTraceAnalysis finds our temporal breakdown of a trace with device rows.

usage: holistic.py EXPECTED_JSON
"""
import json
import os
import sys

try:
    from hta.trace_analysis import TraceAnalysis
except ImportError as missing:
    print(f"HolisticTraceAnalysis is not installed: {missing}")
    sys.exit(77)


def main():
    with open(sys.argv[1]) as file:
        expected = json.load(file)["device"]
    path = os.path.abspath(expected["path"])
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir=os.path.dirname(path))
    row = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    wrong = 0
    for key, wanted in expected["temporal"].items():
        print(f"{key}: {row[key]}, {wanted} to us")
        wrong += abs(float(row[key]) - wanted) > 0.5
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
