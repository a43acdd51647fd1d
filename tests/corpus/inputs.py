# SPDX-License-Identifier: Apache-2.0
"""The inputs of the corpus: recorded results of this repository, and generated ones that are identical every time."""
import datetime
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).parent
sys.path += [str(HERE.parent / "report"), str(HERE.parent / "judges")]
from compose import BEGIN, Run  # noqa: E402
from composed_traces import MODERN, OLD, Composer  # noqa: E402

RECORDED = ("report/data/sweep.jsonl", "report/data/dataloader_sweep.jsonl", "report/data/few_launches.jsonl",
            "report/data/profiled.jsonl", "report/data/smoke.jsonl", "verdict/data/with_copy.jsonl",
            "verdict/data/without_copy.jsonl", "record/data/version_1_99/later.jsonl", "report/nights/data/eventful.json")

# Small variation of a machine from night to night, without order.
WEATHER = (1.0, 1.0011, 0.9992, 1.0005, 0.9987, 1.0018, 0.9996, 1.0009, 0.9981, 1.0014, 0.9999, 1.0022, 0.9990, 1.0003)

EXPERIMENTS = {
    "loader": """\
name: loader
workload: loader
device: cpu
launches: 6
data: {kind: synthetic, samples: 256, image_size: 32}
loader: {engine: thread, batch_size: 16}
schedule: {wait: 0, warmup: 2, active: 8}
sweep:
  matrix: {loader.num_workers: [0, 1], loader.prefetch_factor: [2, 4]}
""",
    "train": """\
name: train
workload: train_step
device: cpu
data: {kind: synthetic, features: 64, classes: 10, samples: 256}
loader: {batch_size: 8}
model: {kind: mlp}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
launches: 3
schedule: {wait: 1, warmup: 5, active: 10, repeat: 2}
track: {control: true}
compare: {gate: counts, margin: {step: 0.02}}
""",
    "misspelt": "name: misspelt\nworkload: loader\nlodaer: {batch_size: 16}\n",
    "mistyped": "name: mistyped\nworkload: loader\ndata: {kind: synthetic}\nloader:\n  batch_size: many\n"
                "  engine: fork\n",
    "broken": "name: [broken\nworkload: loader\n",
    "empty": "",
    "out_of_range": "workload: loader\ndata: {kind: synthetic}\nloader: {batch_size: 0, num_workers: -1}\n",
    "unknown_workload": "workload: lauder\n",
    "foreign_option": "workload: loader\ndata: {kind: synthetic}\nmodel: {kind: mlp}\n",
    "bad_sweep": "workload: loader\ndata: {kind: synthetic}\nsweep:\n  matrix: {loader.num_workers: 4}\n",
    "clash": "workload: loader\ndata: {kind: synthetic}\nloader: {num_workers: 2}\n"
             "sweep:\n  matrix: {loader.num_workers: [0, 1]}\n  zip: {loader.num_workers: [0, 1]}\n",
    "variables": "name: ${NAME:-unset}\nworkload: loader\ndata: {kind: jpeg_folder, path: \"${NOWHERE}\"}\n",
}


def made(sample, name, begin=BEGIN, **head):
    run = Run(sample, name, begin, **head)
    run.head["context"] = dict(run.head["context"], host="box")
    run.worker["environment"] = dict(run.worker["environment"], host="box")
    return run


def make_results(sample, folder):
    def sweep(name, times=1.0, launches=8, begin=BEGIN, **head):
        run = made(sample, name, begin, **head)
        run.sweep("loader.num_workers")
        for workers, step_ns in ((0, 60e6), (2, 50e6), (4, 50.2e6)):
            run.add({"loader.num_workers": workers}, step_ns * times, launches=launches, steps=20, noise=0.004)
        return run.write(folder / f"{name}.jsonl")

    day = datetime.timedelta(days=1)
    sweep("monday", labels={"branch": "main"})
    sweep("tuesday", 1.0, begin=BEGIN + day, labels={"branch": "main"})
    sweep("slower", 1.08, begin=BEGIN + 2 * day, labels={"branch": "slow"})
    sweep("faster", 0.9, begin=BEGIN + 3 * day)
    sweep("few", 1.02, launches=3, begin=BEGIN + 4 * day)
    other = made(sample, "other_machine", BEGIN + 5 * day)
    other.worker["environment"].update({"cpu.model": "Another CPU", "torch": "2.12.0"})
    other.add({"loader.num_workers": 2}, 40e6, launches=8, steps=20)
    other.write(folder / "other_machine.jsonl")
    failed = made(sample, "failed")
    failed.sweep("loader.num_workers")
    failed.add({"loader.num_workers": 0}, 60e6, launches=3, steps=20)
    failed.add({"loader.num_workers": 2}, outcome="failed", reason="killed by signal 9", stage="step", launches=2,
               output="line one\nline two\n", repeat_command="stepbench run x.yaml --case 1")
    failed.add({"loader.num_workers": 4}, outcome="skipped", reason="more workers than samples", launches=2)
    failed.write(folder / "failed.jsonl")
    nothing = made(sample, "nothing")
    nothing.add({"loader.num_workers": 0}, outcome="failed", reason="no memory", launches=2)
    nothing.write(folder / "nothing.jsonl")
    made(sample, "no_launch").write(folder / "no_launch.jsonl")
    two = made(sample, "two_options")
    two.sweep("loader.num_workers", "loader.batch_size", "model.kind")
    for case in range(12):
        options = {"loader.num_workers": case % 3, "loader.batch_size": 8 << case % 4,
                   "model.kind": ("resnet18", "vit")[case // 6]}
        two.add(options, 40e6 + case * 1.7e6, launches=6, steps=20, noise=0.003)
    two.write(folder / "two_options.jsonl")
    odd = made(sample, "odd <b>|name|</b>")
    odd.sweep("data.path")
    for path in ("a|b", "tab\there", "line\nbreak", "\u202egnp.exe", "üñî", "<img src=x>"):
        odd.add({"data.path": path}, 50e6, launches=3, steps=5, notes=[f"note of {path}"])
    odd.write(folder / "odd.jsonl")
    spiky = made(sample, "spiky")
    spiky.add({"loader.num_workers": 1}, 50e6, launches=6, steps=200, noise=0.15)
    spiky.write(folder / "spiky.jsonl")
    whole = (folder / "monday.jsonl").read_text().splitlines(True)
    (folder / "cut.jsonl").write_text("".join(whole[: len(whole) // 2]) + whole[len(whole) // 2][:300])
    (folder / "damaged.jsonl").write_text("".join(whole[:4]) + "{\"kind\": \n" + "".join(whole[4:]))
    (folder / "notes.txt").write_text("these are notes\n")
    (folder / "folder").mkdir()


def make_nights(sample, folder):
    """18 nights of two experiments; `train` is 6 % slower from the 15th on, its control is not."""
    for night in range(18):
        begin = BEGIN + datetime.timedelta(days=night)
        for name, levels in (("train", {0: 60e6, 2: 50e6}), ("control", {1: 20e6})):
            run = made(sample, name, begin)
            run.sweep("loader.num_workers")
            build = f"{0x1234567 + night // 3:040x}"
            run.head["context"].update({"git.sha": f"{0xabcdef0 + night:040x}", "worker_build_id": build})
            run.worker["build_id"] = build
            if night >= 16:
                run.worker["environment"]["kernel"] = "6.19.0"
            for workers, level in levels.items():
                slower = 1.06 if name == "train" and workers == 2 and night >= 14 else 1.0
                weather = WEATHER[(night + workers) % len(WEATHER)]
                run.add({"loader.num_workers": workers}, level * slower * weather, launches=4, steps=6, noise=0.0005)
            run.write(folder / run.head["run_id"] / "box-1of1-1.jsonl")


def make_pairs(file):
    """The pairs of `nightly` in the nights of `train` against its first program: a step of 6 % with the build of the
    16th."""
    step = {0: "ad97484060c42947", 2: "7a6b4324c880afae"}
    first = f"{BEGIN:%Y%m%d-%H%M%S}-train"
    lines = []

    def event(begin, what, details, **more):
        run, utc = f"{begin:%Y%m%d-%H%M%S}-train", f"{begin:%Y-%m-%dT%H:%M:%SZ}"
        lines.append({"schema": "stepbench.event", "version": 1, "seq": len(lines) + 1, "at": utc, "who": "ci@box",
                      "what": what, "alert": "", "from": "", "to": "", "reason": "", **more,
                      "details": {"night": run, "night_utc": utc, "host": "box", "experiment": "train", **details}})

    for night in range(1, 18):
        begin = BEGIN + datetime.timedelta(days=night)
        moved = {0: 0.0, 2: 0.058 if night >= 15 else 0.0}
        pairs = {"build": f"{0x1234567 + night // 3:040x}", "reference": f"{0x1234567:040x}", "reference_run": first,
                 "environment": "98fcb778c210574a" if night >= 16 else "71a8bfb0eb9103fd", "judged": 4,
                 "why": "same-program" if night < 3 else "measured"}
        if night >= 3:
            pairs["series"] = [
                {"series": step[workers], "first": 4, "reference": level, "pairs":
                 " ".join(f"{moved[workers] + (WEATHER[(3 * night + workers + pair) % len(WEATHER)] - 1) / 4:.6f}"
                          for pair in range(12 if moved[workers] else 4))}
                for workers, level in ((0, 60e6), (2, 50e6))]
        event(begin, "pairs", {"pairs": json.dumps(pairs)})
        if night == 15:
            event(begin, "told", {"series": step[2], "size": 0.058, "worse": True, "low": 0.051, "high": 0.065,
                                  "last_good": lines[-2]["details"]["night"], "first_bad": lines[-1]["details"]["night"],
                                  "likely": lines[-1]["details"]["night"], "usual": 50e6, "value": 53e6,
                                  "change": 0.0597, "cause": "forward +3.00 ms, 100 % of the change"},
                  alert="A1", to="open")
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


class Plant:
    """A trace of eight steps of 10 ms on a GPU that is busy except for a gap of known cause in each step."""

    def __init__(self, rank=0, world=1):
        self.rows, self.correlation, self.rank, self.world = [], 100, rank, world

    def row(self, category, name, begin, end, pid=4711, tid=4711, **args):
        self.rows.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": begin,
                          "dur": end - begin, "args": args})

    def kernel(self, name, begin, end, called, stream=7, **args):
        self.correlation += 1
        self.row("cuda_runtime", "cudaLaunchKernel", called, called + 4, correlation=self.correlation)
        self.row("kernel", name, begin, end, 0, stream, device=0, stream=stream, correlation=self.correlation,
                 grid=[160, 1, 1], block=[256, 1, 1], **args)

    def copy(self, name, begin, end, called, until):
        self.correlation += 1
        self.row("cuda_runtime", "cudaMemcpyAsync", called, until, correlation=self.correlation)
        self.row("gpu_memcpy", name, begin, end, 0, 20, device=0, stream=20, correlation=self.correlation,
                 bytes=1 << 20)

    def write(self, path, cause, gap=2000, steps=8, lost=0, **more):
        for step in range(steps):
            at = 1_000_000 + step * 10_000
            self.row("user_annotation", f"ProfilerStep#{step}", at, at + 10_000)
            self.row("cpu_op", "aten::conv2d", at, at + 1000, **{"External id": 10 * step})
            self.kernel("conv", at + 10, at + 1000, at + 2)
            begin, end = at + 1000, at + 1000 + gap
            if cause == "loading":
                self.row("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin, end)
            elif cause == "pageable":
                self.copy("Memcpy HtoD (Pageable -> Device)", begin, end, begin, end)
            elif cause == "sync":
                self.row("cpu_op", "aten::item", begin, end)
                self.row("cuda_runtime", "cudaStreamSynchronize", begin, end, correlation=0)
            elif cause == "allocate":
                self.row("cpu_op", "aten::empty", begin, end)
                self.row("cuda_runtime", "cudaMalloc", begin, end, correlation=0)
            elif cause == "operators":
                self.row("cpu_op", "aten::add_", begin, end)
            elif cause == "all_reduce":
                slow = 1500 * self.rank
                self.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", begin + slow, end, at + 8, 30)
                self.row("cpu_op", "aten::relu", begin, end)
            self.row("cpu_op", "aten::linear", end, at + 10_000)
            self.kernel("gemm", end, at + 9_990, at + 6)
            if step < lost:
                self.rows = [row for row in self.rows if row["cat"] != "kernel"]
        head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Planted GPU", "totalGlobalMem": 1 << 34,
                                                          "computeMajor": 8, "numSms": 108}],
                "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.world}}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**head, **more, "traceEvents": self.rows}))


def make_traces(fuzz, folder):
    folder.mkdir()
    for seed, device, names in ((1, True, MODERN), (2, True, OLD), (3, False, MODERN), (4, True, MODERN)):
        (folder / f"composed{seed}.json").write_text(json.dumps(Composer(seed, device, names).trace()))
    for cause in ("loading", "pageable", "sync", "allocate", "operators", "all_reduce", "none"):
        Plant().write(folder / f"{cause}.json", cause)
    Plant().write(folder / "worse.json", "sync", gap=4000)
    for rank in range(3):
        Plant(rank, 3).write(folder / "ranks" / f"rank-{rank}.json", "all_reduce", gap=5000)
    for name in ("bare", "cut", "deep", "execution", "new", "numbers", "old", "timeline", "words"):
        shutil.copy(fuzz / name, folder / f"{name}.json")
    seed = (fuzz / "nsight").read_bytes()
    (folder / "nsight.sqlite").write_bytes(seed[seed.find(b"SQLite format 3"):])


def make_trace_folders(folder):
    """Traces of a job with a missing rank next to another job, and of two runs of the same cases."""
    for rank in (0, 1, 3):
        Plant(rank, 4).write(folder / "job" / f"r{rank}.json", "loading")
    Plant(0, 2).write(folder / "job/other.json", "loading", steps=4)
    for run, gap in (("one", 2000), ("two", 1000)):
        for name in ("0123-native-0-0.1", "0123-native-1-0.2", "4567-native-0-0.3"):
            origin = {"engine": "native", "case_id": name[:4]}
            Plant().write(folder / run / f"traces/{name}.pt.trace.json", "sync", gap, stepbench=origin)
    Plant().write(folder / "base/worker0.111.pt.trace.json", "loading")
    Plant().write(folder / "base/worker1.111.pt.trace.json", "loading")
    Plant().write(folder / "new/worker0.222.pt.trace.json", "loading", 1000)
    Plant().write(folder / "new/worker2.222.pt.trace.json", "loading")
    Plant().write(folder / "lost.json", "sync", lost=4)
    hostile = (folder / "lost.json").read_text().replace('"gemm"', r'"\u001b[31m</script>|`x`\n"')
    (folder / "hostile.json").write_text(hostile)
    (folder / "empty.json").write_text("")


def make_inputs(source, folder):
    sample, unit = source / "results/sample", source / "tests/unit"
    shutil.copytree(sample, folder / "sample", ignore=shutil.ignore_patterns("*.png"))
    for name in RECORDED:
        shutil.copy(unit / name, folder)
    shutil.copytree(unit / "record/data/version_1_0", folder / "version_1_0")
    shutil.copytree(HERE / "data/ab", folder / "ab")
    make_results(sample, folder)
    make_nights(sample, folder / "nights")
    make_pairs(folder / "nights.events.jsonl")
    make_traces(source / "tests/fuzz/corpus/trace", folder / "traces")
    make_trace_folders(folder / "folders")
    (folder / "experiments").mkdir()
    for name, text in EXPERIMENTS.items():
        (folder / "experiments" / f"{name}.yaml").write_text(text)
