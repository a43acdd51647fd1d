# SPDX-License-Identifier: Apache-2.0
"""How fast stepbench, TensorBoard's plug-in, HolisticTraceAnalysis and Python's JSON parser take one trace.

usage: against_trace_tools.py --program STEPBENCH --trace FILE [--rounds N]

Each tool runs in a process of its own, from the file to its results: ours to the whole page, the plug-in to its
overview and tables, HTA to its temporal breakdown, json.loads to the parsed file. They take turns, round by round.
Times are of the processor, so that a busy machine slows nobody, and leave out what Python needs to start and to import.
Prints a table in Markdown.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

GOALS = {"HolisticTraceAnalysis": 20.0, "torch-tb-profiler": 20.0, "json.loads": 2.5}  # times as fast


def json_loads(path):
    import json
    started = time.process_time()
    with open(path, "rb") as file:
        json.loads(file.read())
    return started


def plugin(path):
    from torch_tb_profiler.profiler.data import RunProfileData
    started = time.process_time()
    with tempfile.TemporaryDirectory() as cache:
        RunProfileData.parse("worker0", None, path, cache)
    return started


def holistic(path):
    from hta.trace_analysis import TraceAnalysis
    started = time.process_time()
    TraceAnalysis(trace_files={0: path}, trace_dir=os.path.dirname(path)).get_temporal_breakdown(visualize=False)
    return started


TOOLS = {"json.loads": json_loads, "torch-tb-profiler": plugin, "HolisticTraceAnalysis": holistic}


def serve(tool, path):
    started = TOOLS[tool](path)
    print(f"seconds {time.process_time() - started}", flush=True)
    os._exit(0)  # the plug-in's helper threads would keep the interpreter waiting


def run(command):
    """Processor seconds, peak of memory in bytes, standard output."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if child.returncode not in (0, 4):
        sys.exit(f"{command[0]} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text


def measure(name, program, trace):
    if name == "stepbench analyze":
        seconds, peak, _ = run([program, "analyze", trace])
        return seconds, peak
    _, peak, text = run([sys.executable, __file__, "--serve", name, "--trace", trace])
    return float(text.split("seconds ")[1]), peak


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
    parser.add_argument("--trace", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--serve", choices=TOOLS)
    options = parser.parse_args()
    trace = os.path.abspath(options.trace)
    if options.serve:
        serve(options.serve, trace)
    names = ["stepbench analyze", *TOOLS]
    found = {name: [] for name in names}
    for _ in range(options.rounds):
        for name in names:
            found[name].append(measure(name, options.program, trace))
    megabytes = pathlib.Path(trace).stat().st_size / 1e6
    own = statistics.median(seconds for seconds, _ in found["stepbench analyze"])
    print(f"{megabytes:.0f} MB, {options.rounds} rounds; median of processor time\n")
    print("| tool | s | MB/s | peak of memory / file | times our time |")
    print("|---|---|---|---|---|")
    missed = []
    for name in names:
        seconds = statistics.median(each for each, _ in found[name])
        peak = max(each for _, each in found[name]) / 1e6 / megabytes
        print(f"| {name} | {seconds:.2f} | {megabytes / seconds:.0f} | {peak:.2f} | {seconds / own:.1f} |")
        if seconds / own < GOALS.get(name, 0):
            missed.append(f"{name}: {seconds / own:.1f} instead of {GOALS[name]}")
    for line in missed:
        print(f"not reached: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
