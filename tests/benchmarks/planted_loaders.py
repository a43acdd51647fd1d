#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants what a loader can suffer from in the real worker and asks `stepbench run` for it.

    planted_loaders.py STEPBENCH WORKER [--cheap] [--only WORD ...] [--engine NAME ...] [--beside N] [--table FILE]

Each cell of the matrix is one cause under one engine with a number of workers. Its first finding must be the planted
one, in the words that name it; a loader that keeps up must have none; times must agree with a stopwatch that the data
set itself keeps (15 %, not with --cheap). --beside N: N programs that compute all the time beside it: then what they
take must be named, and a finding may be theirs. --table writes the matrix as Markdown. Exit status 1 unless all cells passed.
"""
import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import campaigns  # noqa: E402

HERE = pathlib.Path(__file__).parent
CORES = len(os.sched_getaffinity(0))
BATCH = 4
CONFIG = """
name: planted
workload: {workload}
device: cpu
launches: 1
schedule: {{wait: 0, warmup: {warmup}, active: {active}}}
data: {data}
loader: {{engine: {engine}, batch_size: {batch}, num_workers: {workers}}}
{more}
"""
STEP = "model: {kind: mlp, hidden: 2048, layers: 6}\noptimizer: {kind: sgd, lr: 0.01}\nthreads: {intra_op: 1}"
OURS = ("inline", "thread", "fork")
SLEEP = "neither a CPU nor storage"
OTHERS = "other programs use"


class Plant:
    """`expects`: returns, for the number of workers, the findings of which one must come first, and a word of its
    text."""

    def __init__(self, name, python, ours, expects, workers=(0, 1, 2, 4), cheap=(), **options):
        self.name, self.python, self.ours, self.expects = name, python, ours, expects
        self.workers, self.cheap, self.options = workers, cheap, options


def computes(workers):
    if workers == 0:
        return {"loader.no_workers"}, "computing"
    if workers < CORES:
        return {"loader.worker_bound"}, "computing"
    return ({"loader.core_bound"} if workers == CORES else {"loader.oversubscribed"}), "computing"


def sleeps(workers):
    return ({"loader.worker_bound"} if workers else {"loader.no_workers"}), SLEEP


def reads(workers):
    bound = {"loader.worker_bound", "loader.core_bound", "loader.oversubscribed"}
    return (bound if workers else {"loader.no_workers"}), "waiting for storage"


def collates(workers):
    return computes(workers)[0], "collat"


def one_is_slow(workers):
    if workers < 2:
        return sleeps(workers)
    return {"loader.straggler", "loader.uneven"}, ""


PLANTS = [
    Plant("compute", {"plant": "compute"}, {"cost": "spin", "cost_us": 5000}, computes,
          cheap=(("python", 1), ("fork", 2))),
    Plant("compute in C without the lock", {"plant": "c_compute"}, None, computes, workers=(0, 1, 2)),
    Plant("images by Pillow", {"plant": "pil"}, None, computes, workers=(0, 1, 2)),
    Plant("sleep", {"plant": "sleep"}, {"cost": "sleep", "cost_us": 5000}, sleeps,
          cheap=(("python", 2), ("thread", 2))),
    Plant("cold reads", {"plant": "cold"}, None, reads, workers=(0, 1, 2)),
    Plant("lock held", {"plant": "gil", "ms": 2.0, "fields": 12}, None,
          lambda workers: ({"loader.gil"}, "Python's lock"), workers=(1,)),
    Plant("slow collate", {"plant": "none", "collate_ms": 20.0}, {"collate_us": 5000}, collates, workers=(0, 1, 2)),
    Plant("tiny batches", {"plant": "none"}, {}, lambda workers: ({"loader.tiny_batches", "loader.transport"}, ""),
          workers=(2,), batch=1, active=16384, only="fork"),
    Plant("one slow sample in N", {"plant": "sleep", "every": 32, "slow_ms": 400.0},
          {"cost": "sleep", "cost_us": 5000, "straggler_share": 0.03125, "straggler_us": 400000}, one_is_slow,
          active=96),
    Plant("transport", {"plant": "none", "fields": 128}, None,
          lambda workers: ({"loader.transport", "loader.tiny_batches"}, ""), workers=(2,), batch=32),
    Plant("other program", {"plant": "compute"}, {"cost": "spin", "cost_us": 5000},
          lambda _: ({"loader.other_programs"}, OTHERS), workers=(2,), beside=1),
    Plant("control", {"plant": "none"}, {}, None, workers=(1, 2), workload="train_step"),
]


class Cell:
    def __init__(self, arguments, plant, engine, workers):
        self.plant, self.engine, self.workers, self.cheap = plant, engine, workers, arguments.cheap
        given = plant.options
        python = engine == "python"
        data = {"kind": "python", "path": str(HERE / "planted_data.py")} if python else {
            "kind": "synthetic", "samples": 8192, "image_size": 8, "classes": 2, **plant.ours}
        more = STEP if given.get("workload") else ""
        if python:
            more += "\npython: " + json.dumps(plant.python)
        config = CONFIG.format(workload=given.get("workload", "loader"), data=json.dumps(data), engine=engine,
                               batch=given.get("batch", BATCH), workers=workers, more=more,
                               warmup=4 * max(1, workers) + 2, active=given.get("active", 48))
        for left in arguments.work.glob("stopwatch-*.int64"):
            left.unlink()
        with beside(arguments.beside + given.get("beside", 0)):
            status, folder = campaigns.run(arguments.stepbench, config, arguments.work, "run", "--worker",
                                           arguments.worker)
        if status != 0:
            raise SystemExit(f"run: exit {status}, {folder}")
        launches, _ = campaigns.lines(folder)
        self.launch = launches[0][1]
        self.metrics = self.launch["metrics"]
        self.findings = sorted((each for each in self.launch.get("findings", []) if each["id"].startswith("loader.")),
                               key=lambda each: ({"info": 0, "warning": 1, "problem": 2}[each["severity"]],
                                                 each.get("share") or 0), reverse=True)
        self.others = self.metrics.get("loader_other_cores") or 0
        self.watches = [memoryview(file.read_bytes()).cast("q") for file in arguments.work.glob("stopwatch-*.int64")]

    def wrong(self):
        """Returns the mismatches with the plant."""
        if self.plant.expects is None:
            # With other programs running, the step itself may wait.
            return [each["text"] for each in self.findings if each.get("share") and self.others < 0.1 * CORES]
        ids, word = self.plant.expects(self.workers)
        faults = []
        busy = self.others >= 0.1 * CORES
        first = self.findings[0] if self.findings else {"id": "none", "text": "", "set": []}
        of_others = first["id"] == "loader.other_programs" or OTHERS in first["text"]
        if first["id"] not in ids and not (busy and of_others):
            faults.append(f"first: {first['id']}")
        if word and not any(word in each["text"] for each in self.findings) and not (busy and of_others):
            faults.append(f"nothing says '{word}': {first['text']}")
        if "storage" in first["text"].replace(SLEEP, "") and self.plant.name != "cold reads":
            faults.append(f"storage: {first['text']}")
        for setting in first.get("set", []):
            more = setting["option"] == "loader.num_workers" and int(setting["value"]) > CORES
            if more and word in ("computing", "collat"):
                faults.append(f"{setting['value']} workers on {CORES} cores")
        return faults + ([] if self.cheap else self.wrong_times())

    def wrong_times(self):
        sums = [each for each in self.watches if each[1] >= 8 * BATCH]
        if self.engine != "python" or not sums or self.others >= 0.1 * CORES:  # the window had more or fewer of them
            return []
        samples = self.plant.options.get("batch", BATCH)
        watch_ms = sum(each[0] for each in sums) / sum(each[1] for each in sums) * samples * 1e-6
        told_ms = self.metrics["loader_fetch_ns"] * 1e-6
        # torch's own work around each sample is a few microseconds.
        if watch_ms < 1 or abs(told_ms / watch_ms - 1) <= 0.15:
            return []
        return [f"a batch takes {told_ms:.2f} ms, by the stopwatch {watch_ms:.2f} ms"]


@contextlib.contextmanager
def beside(programs):
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(programs)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def cells(arguments):
    for plant in PLANTS:
        if arguments.only and not any(word in plant.name for word in arguments.only):
            continue
        for engine in (*OURS, "python"):
            if plant.ours is None and engine != "python" or plant.options.get("only", engine) != engine:
                continue
            if arguments.engine and engine not in arguments.engine:
                continue
            for workers in plant.workers:
                if engine != "python" and (workers == 0) != (engine == "inline"):
                    continue
                if not arguments.cheap or (engine, workers) in plant.cheap:
                    yield plant, engine, workers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("worker", type=pathlib.Path)
    parser.add_argument("--cheap", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD")
    parser.add_argument("--engine", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--beside", type=int, default=0, metavar="N")
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    failed, rows = 0, []
    with tempfile.TemporaryDirectory(prefix="planted-loaders-", dir=pathlib.Path.cwd()) as folder:
        arguments.work = pathlib.Path(folder)
        os.environ["PLANTED_FOLDER"] = folder
        prepare(arguments.work)
        for plant, engine, workers in cells(arguments):
            cell = Cell(arguments, plant, engine, workers)
            wrong = cell.wrong()
            failed += bool(wrong)
            first = cell.findings[0] if cell.findings else {"id": "none", "text": ""}
            print(f"{plant.name}, {engine}, {workers}: {first['id']}: {first['text']}: "
                  f"{'NOT passed: ' + '; '.join(wrong) if wrong else 'passed'}", flush=True)
            rows.append((plant.name, engine, workers, first["id"], first["text"]))
    if arguments.table:
        lines = ["| planted | engine | workers | first finding | its words |", "|---|---|---|---|---|"]
        arguments.table.write_text("\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows]) + "\n")
    return 1 if failed else 0


def prepare(folder):
    with open(folder / "cold.bin", "wb") as file:
        for _ in range(64):
            file.write(os.urandom(8 << 20))
        os.fsync(file.fileno())
    try:
        from PIL import Image
    except ImportError:
        PLANTS[:] = [plant for plant in PLANTS if plant.name != "images by Pillow"]
        return
    for i in range(8):
        Image.effect_noise((640, 480), 64 + i).convert("RGB").save(folder / f"image{i}.jpg", quality=90)


if __name__ == "__main__":
    sys.exit(main())
