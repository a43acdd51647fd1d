#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast stepbench, TensorBoard's plug-in, HolisticTraceAnalysis and Python's JSON parser take one trace.

usage: against_trace_tools.py BUILD [--trace FILE] [--rows N] [--rounds N] [--readme FILE]

Each tool runs in a process of its own, from the file to its results: ours to the whole page, the plug-in to its
overview and tables, HTA to its temporal breakdown, json.loads to the parsed file. They take turns, round by round.
Times are of the processor, so that a busy machine slows nobody much, and leave out what Python needs to start and to
import. Without --trace, BUILD's benchmark_analyze writes one of N rows (605,604, as a training run makes them), plain
and gzip. Prints a table in Markdown; --readme also puts it in the place of the one in FILE. Exit status 1 unless the
goals are reached; 77 without the tools.
"""
import argparse
import importlib.util
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

OWN, OWN_GZIP = "stepbench analyze", "stepbench analyze, gzip"
GOALS = {"HolisticTraceAnalysis": 20.0, "torch-tb-profiler": 20.0, "json.loads": 2.5}  # times as fast
SPEEDS = {OWN: 340.0, OWN_GZIP: 200.0}  # MB of text per second
MOST_MEMORY = 0.5  # of the text
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


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
PACKAGES = {"torch-tb-profiler": "torch_tb_profiler", "HolisticTraceAnalysis": "hta"}


def serve(tool, path):
    started = TOOLS[tool](path)
    print(f"seconds {time.process_time() - started}", flush=True)
    os._exit(0)  # the plug-in's helper threads would keep the interpreter from exiting


def run(command):
    """Returns CPU seconds, peak memory in bytes and standard output."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        text = output.read().decode()
        if child.returncode not in (0, 4):
            sys.exit(f"{command[0]} ended with {child.returncode}\n{errors.read().decode()[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text


def measure(name, program, traces):
    if name in (OWN, OWN_GZIP):
        seconds, peak, _ = run([program, "analyze", traces[name == OWN_GZIP]])
        return seconds, peak
    _, peak, text = run([sys.executable, __file__, "--serve", name, "--trace", traces[0]])
    return float(text.split("seconds ")[1]), peak


def processor():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return names[0] if names else platform.machine()


def table(found, megabytes, rows, rounds):
    """Returns lines of Markdown and the goals that were missed."""
    own = statistics.median(seconds for seconds, _ in found[OWN])
    load = os.getloadavg()[1]
    busy = f"beside other work (load {load:.0f}): the ratios count, not the seconds" if load > 1.5 else "otherwise idle"
    lines = [f"{megabytes:.0f} MB of text, {rows}; {rounds} round{'s' if rounds > 1 else ''}, median of the processor's "
             f"time. {processor()}, {os.cpu_count()} cores, {busy}.", "",
             "| tool | s | MB/s | peak of memory / text | times our time |", "|---|---|---|---|---|"]
    missed = []
    for name, taken in found.items():
        seconds = statistics.median(each for each, _ in taken)
        peak = max(each for _, each in taken) / 1e6 / megabytes
        speed = megabytes / seconds
        lines.append(f"| {name} | {seconds:.2f} | {speed:.0f} | {peak:.2f} | {seconds / own:.1f} |")
        if seconds / own < GOALS.get(name, 0):
            missed.append(f"{name}: {seconds / own:.1f} times our time instead of {GOALS[name]}")
        if speed < SPEEDS.get(name, 0):
            missed.append(f"{name}: {speed:.0f} MB/s instead of {SPEEDS[name]:.0f}")
        if name == OWN and peak > MOST_MEMORY:
            missed.append(f"{name}: a peak of {peak:.2f} of the text instead of {MOST_MEMORY}")
    return lines, missed


def put_into(readme, lines):
    text = readme.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    readme.write_text(text[:begin] + "\n" + "\n".join(lines) + "\n" + text[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="build folder, such as build/ci")
    parser.add_argument("--trace")
    parser.add_argument("--rows", type=int, default=605604)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--readme", type=pathlib.Path)
    parser.add_argument("--serve", choices=TOOLS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.trace)
    if options.build is None:
        parser.error("which build folder?")
    absent = [tool for tool, package in PACKAGES.items() if importlib.util.find_spec(package) is None]
    if absent:
        print(f"skipped: {' and '.join(absent)} not installed for {sys.executable}; see tests/requirements.txt")
        return 77
    program = (options.build / "tools/stepbench/stepbench").resolve()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        traces = [os.path.abspath(options.trace)] if options.trace else []
        if not traces:
            traces = [f"{folder}/trace.pt.trace.json", f"{folder}/trace.pt.trace.json.gz"]
            for trace in traces:
                run([options.build / "tests/benchmarks/benchmark_analyze", "--write-trace", trace, str(options.rows)])
        names = [OWN, *([OWN_GZIP] if len(traces) > 1 else []), *TOOLS]
        found = {name: [] for name in names}
        for _ in range(options.rounds):
            for name in names:
                found[name].append(measure(name, program, traces))
        megabytes = pathlib.Path(traces[0]).stat().st_size / 1e6
        rows = f"{options.rows:,} rows" if not options.trace else pathlib.Path(traces[0]).name
    lines, missed = table(found, megabytes, rows, options.rounds)
    print("\n".join(lines))
    if options.readme:
        put_into(options.readme, lines)
    for line in missed:
        print(f"not reached: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
