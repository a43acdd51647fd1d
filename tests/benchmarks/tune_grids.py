# SPDX-License-Identifier: Apache-2.0
"""Measures whole grids of loader settings, for searches to be replayed on: the files of results/tune.

    tune_grids.py STEPBENCH OUT [--seconds 530] [--rounds 20] [--grids jpeg,python,tokens,cuda]

A round is one launch of each point of a grid in random order, by one `stepbench run`; OUT/GRID.csv has its launches as
soon as it is whole. On a machine with 16 cores grids are measured beside each other, each on cores of its own: `jpeg` on
four, the others on two; rounds of `python`, whose launches take longest, on every pair of cores that is free. On fewer
cores one round runs after the other. After --seconds rounds that are not whole are thrown away. OUT/machine.txt says
where that was. STEPBENCH is the program or a bundle's launcher; python3 needs torch and nothing else."""
import argparse
import csv
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SHORTER = 3  # of the steps of a launch, as in the first rung of `stepbench tune`
MOST_FAILED = 3  # failed rounds after which a grid is no longer measured
TURNS = 6  # at least, per worker

COLUMNS = ["round", "lane", "position", "step_ns", "short_step_ns", "wall_s", "short_wall_s", "worker_ns", "wait_ns",
           "peak_bytes"]


def product(**axes):
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


def jpeg_points():
    own = [{"loader.num_workers": 0, "loader.prefetch_factor": 2, "loader.buffers": buffers}
           for buffers in ("fresh", "reused")]
    return own + product(**{"loader.num_workers": [1, 2, 3, 4, 6, 8], "loader.prefetch_factor": [2, 4],
                            "loader.buffers": ["fresh", "reused"]})


def token_points():
    kinds = [("thread", "shm_ring", "fresh"), ("thread", "shm_ring", "reused"), ("fork", "shm_ring", "fresh"),
             ("fork", "torch_fd", "fresh")]
    points = []
    for workers, ahead in [(0, 2), *itertools.product([1, 2, 3], [2, 8])]:
        for engine, transport, buffers in kinds if workers else kinds[:2]:
            points.append({"loader.num_workers": workers, "loader.prefetch_factor": ahead, "loader.engine": engine,
                           "loader.transport": transport, "loader.buffers": buffers})
    return points


def cuda_points():
    own = [{"loader.num_workers": 0, "loader.prefetch_factor": 2, "loader.buffers": "fresh", "loader.pin_memory": False}]
    return own + product(**{"loader.num_workers": [1, 2, 3], "loader.prefetch_factor": [2, 4],
                            "loader.buffers": ["fresh", "reused"], "loader.pin_memory": [False, True]})


def script_points(data):
    points = [{"num_workers": 0}] + product(num_workers=[1, 2, 3, 4], prefetch_factor=[1, 2, 4],
                                            sharing=["file_descriptor", "file_system"])
    return [{"script.args": f"--data {data} " + " ".join(f"--{name} {value}" for name, value in point.items())}
            for point in points]


def grids_of(data):
    return {
        "jpeg": {
            "cores": 4, "points": jpeg_points(),
            "experiment": {
                "workload": "loader", "data": {"kind": "jpeg_folder", "path": str(data / "jpeg"), "image_size": 112},
                "loader": {"batch_size": 16, "shuffle": True, "epochs": "joined"},
                "emulated": {"step_us": 3000, "where": "sleep"},
                "schedule": {"wait": 0, "warmup": 8, "active": 48}}},
        "tokens": {
            "cores": 2, "points": token_points(),
            "experiment": {
                "workload": "loader",
                "data": {"kind": "token_bin", "path": str(data / "tokens"), "sequence_length": 1024},
                "loader": {"batch_size": 128, "shuffle": True, "epochs": "joined"},
                "emulated": {"step_us": 250, "where": "spin"},
                "schedule": {"wait": 0, "warmup": 32, "active": 360}}},
        "cuda": {
            "cores": 2, "points": cuda_points(),
            "experiment": {
                "workload": "train_step", "device": "cuda",
                "data": {"kind": "jpeg_folder", "path": str(data / "jpeg"), "image_size": 112},
                "loader": {"batch_size": 16, "shuffle": True, "epochs": "joined"},
                "model": {"kind": "resnet18"}, "optimizer": {"kind": "sgd", "lr": 0.01, "momentum": 0.9},
                "schedule": {"wait": 0, "warmup": 8, "active": 48}}},
        "python": {
            "cores": 2, "points": script_points(data / "pictures"),
            "experiment": {
                "workload": "python_script", "script": {"path": str(HERE / "tune_script.py")},
                "schedule": {"wait": 0, "warmup": 12, "active": 48}}},
    }


def cells_of(point):
    """Returns its columns: the options that vary; for a script, its arguments without the data."""
    if "script.args" not in point:
        return {name: str(value).lower() for name, value in point.items()}
    words = point["script.args"].split()[2:]
    given = {name[2:]: value for name, value in zip(words[::2], words[1::2])}
    return {name: given.get(name, "") for name in ("num_workers", "prefetch_factor", "sharing")}


def rows_of(folder):
    for file in sorted(pathlib.Path(folder).rglob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)


def mean(values):
    return sum(values) / len(values)


class Grid:
    def __init__(self, name, grid, out, rounds):
        self.name, self.points, self.cores = name, grid["points"], grid["cores"]
        self.experiment = grid["experiment"]
        self.swept = list(self.points[-1])
        self.left = list(range(rounds))
        self.whole = 0
        self.failed = 0
        self.spent_s = 0
        self.file = out / f"{name}.csv"
        with open(self.file, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(["point", *cells_of(self.points[0]), *COLUMNS])

    def experiment_of(self, number):
        order = list(range(len(self.points)))
        random.Random(f"{self.name} {number}").shuffle(order)
        swept = {name: [self.points[point][name] for point in order] for name in self.swept}
        return {"name": self.name, **self.experiment, "launches": 1, "sweep": {"zip": swept}}

    def point_of(self, options):
        # The plan has null for an option without a meaning.
        found = [number for number, point in enumerate(self.points)
                 if all(options[name] in (value, None) or name == "loader.engine" and options[name] == "inline"
                        for name, value in point.items())]
        if len(found) != 1:
            raise RuntimeError(f"{self.name}: {len(found)} points are {options}")
        return found[0]

    def lines_of(self, folder, number, lane):
        samples, launches = {}, []
        for row in rows_of(folder):
            if row["kind"] == "samples":
                samples[row["case_id"]] = dict(zip(row["columns"], row["values"]))
            elif row["kind"] == "launch":
                if row["outcome"] != "measured":
                    raise RuntimeError(f"{self.name}: {row.get('reason')}")
                launches.append(row)
        if len(launches) != len(self.points):
            raise RuntimeError(f"{self.name}: {len(launches)} launches of {len(self.points)} points")
        for row in launches:
            columns, options, metrics = samples[row["case_id"]], row["options"], row["metrics"]
            steps = columns.get("period_device_ns") or columns["step_ns"]
            workers = options.get("loader.num_workers") or 1
            fewest = max(len(steps) // SHORTER, TURNS * workers if "loader.num_workers" in options else 0)
            short = steps[:min(-(-fewest // workers) * workers, len(steps))]
            wall_s = row["wall_ns"] / 1e9
            made = [metrics.get(f"loader_{part}_ns") or 0 for part in ("fetch", "decode", "collate", "transport")]
            point = self.point_of(options)
            peak = row["machine"].get("tree_peak_pss_bytes") or row["machine"].get("tree_peak_rss_bytes") or 0
            yield [point, *cells_of(self.points[point]).values(), number, lane, row["position"],
                   round(mean(steps)), round(mean(short)), f"{wall_s:.4f}",
                   f"{wall_s - (sum(columns['step_ns']) - sum(columns['step_ns'][:len(short)])) / 1e9:.4f}",
                   round(sum(made)), round(mean(columns["data_wait_ns"])), round(peak)]


class Measuring:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.seconds
        self.out = pathlib.Path(options.out).resolve()
        self.work = pathlib.Path(options.work or self.out / "work").resolve()
        self.data = self.work / "data"
        self.stepbench = str(pathlib.Path(options.stepbench).resolve())
        self.lock = threading.Lock()
        self.running = set()
        self.problems = []

    def prepare(self):
        self.out.mkdir(parents=True, exist_ok=True)
        self.data.mkdir(parents=True, exist_ok=True)
        make = [self.stepbench, "data", "make"]
        subprocess.run([*make, "jpeg_folder", "--images", "512", "--width", "200", "--height", "150", "--out",
                        self.data / "jpeg"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([*make, "token_bin", "--tokens", "10000000", "--out", self.data / "tokens"], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, HERE / "tune_script.py", "--make", self.data / "pictures"], check=True)
        known = grids_of(self.data)
        self.grids = {name: Grid(name, known[name], self.out, self.options.rounds) for name in self.options.grids}
        with open(self.out / "machine.txt", "w", encoding="utf-8") as file:
            for command in (["uname", "-sr"], ["lscpu"], ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv"],
                            [sys.executable, "-c", "import sys, torch; print(sys.version, torch.__version__)"],
                            [self.stepbench, "--version"]):
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
                    file.write(f"$ {' '.join(map(str, command))}\n{done.stdout}\n")
                except (OSError, subprocess.TimeoutExpired) as problem:
                    file.write(f"{problem}\n")

    def take(self, names):
        with self.lock:
            for name in names:
                if name in self.grids and self.grids[name].left:
                    return self.grids[name], self.grids[name].left.pop(0)
        return None

    def measure(self, grid, number, lane, cores):
        folder = self.work / f"{grid.name}-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        experiment = folder / "grid.yaml"
        experiment.write_text(json.dumps(grid.experiment_of(number)))
        began = time.monotonic()
        command = ["taskset", "-c", ",".join(map(str, cores)), self.stepbench, "run", str(experiment), "--results",
                   str(folder / "results"), "--no-lock", "--quiet"]
        with open(folder / "log.txt", "w", encoding="utf-8") as log, self.lock:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, cwd=folder)
            self.running.add(process)
        status = process.wait()
        with self.lock:
            self.running.discard(process)
        if time.monotonic() >= self.end:
            return
        try:
            lines = list(grid.lines_of(folder / "results", number, lane))
        except (RuntimeError, KeyError, ValueError) as problem:
            tail = (folder / "log.txt").read_text()[-2000:]
            with self.lock:
                self.problems.append(f"{grid.name}, round {number}, exit status {status}: {problem!r}\n{tail}")
                grid.failed += 1
                if grid.failed >= MOST_FAILED:
                    grid.left.clear()
            return
        with self.lock:
            with open(grid.file, "a", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)
            grid.whole += 1
            grid.spent_s += time.monotonic() - began
        shutil.rmtree(folder)

    def lane(self, name, cores, grids):
        while time.monotonic() < self.end and (taken := self.take(grids)):
            self.measure(*taken, name, cores)

    def lane_of_four(self, cores):
        self.lane("four", cores, ["jpeg"])
        halves = [threading.Thread(target=self.lane, args=(f"four-{half}", cores[half * 2:half * 2 + 2], ["python"]))
                  for half in range(2)]
        for thread in halves:
            thread.start()
        for thread in halves:
            thread.join()

    def run(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) >= 16:
            lanes = [threading.Thread(target=self.lane_of_four, args=(cores[:4],))]
            for number in range(6):
                first = {0: ["tokens"], 1: ["cuda"]}.get(number, [])
                pair = cores[4 + 2 * number:6 + 2 * number]
                lanes.append(threading.Thread(target=self.lane, args=(f"pair-{number}", pair, [*first, "python", "tokens"])))
        else:
            lanes = [threading.Thread(target=self.lane, args=("all", cores, list(self.grids)))]
        for thread in lanes:
            thread.start()
        while any(thread.is_alive() for thread in lanes):
            if time.monotonic() >= self.end:
                with self.lock:
                    running = list(self.running)
                for process in running:
                    os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.2)

    def summary(self):
        lines = []
        for grid in self.grids.values():
            launches = grid.whole * len(grid.points)
            each = f", {grid.spent_s / launches:.2f} s each" if launches else ""
            lines.append(f"{grid.name}: {len(grid.points)} points, {grid.whole} whole rounds, {launches} launches{each}")
        text = "\n".join([*lines, *self.problems]) + "\n"
        (self.out / "summary.txt").write_text(text)
        print(text, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=530)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--grids", type=lambda text: text.split(","), default=["jpeg", "python", "tokens", "cuda"])
    parser.add_argument("--work", default="", help="folder for data and what is under way (default: OUT/work)")
    measuring = Measuring(parser.parse_args())
    measuring.prepare()
    measuring.run()
    measuring.summary()
    return 1 if measuring.problems else 0


if __name__ == "__main__":
    sys.exit(main())
