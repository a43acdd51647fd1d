# SPDX-License-Identifier: Apache-2.0
"""Unchanged scripts through `stepbench run --python`: scripts_test.py STEPBENCH SOURCE_DIR [TEST]..."""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[2:3]
sys.path += [str(SOURCE / "tests"), str(SOURCE / "tests/workloads")]
from kept_port import kept_port  # noqa: E402
from python_worker import Warm  # noqa: E402, takes the first argument

SHORT = ("--set", "schedule.wait=0", "--set", "schedule.warmup=2", "--set", "schedule.active=6", "--launches", "1")

HEAD = """\
import os, sys, time
from stepbench_worker import measure, phase, report
class Loader:
    def __len__(self): return 100
    def __iter__(self): return iter([[1, 2]] * 100)
"""

SCRIPTED_CLOCK = """\
from stepbench_worker import loop
now_ns = loop.monotonic_ns()
loop.monotonic_ns = lambda: now_ns
"""

FAULTS = {  # the script's fault, and the reason in its row
    "print('no loop')": "ended without a loop over measure()",
    "for number, _ in enumerate(measure(Loader())):\n    if number == 4: raise ValueError('no such label: 12')":
        "ValueError: no such label: 12 (script.py, line 7)",
    "for number, _ in enumerate(measure(Loader())):\n    if number == 4: sys.exit(3)":
        "script.py ended itself by sys.exit(3) after 4 steps",
    "for number, _ in enumerate(measure(Loader())):\n    if number == 4: break":
        "left its loop over measure() after 4 steps and ended; the schedule needs 8",
    "for _ in measure(Loader()): os._exit(4)": "exited with status 4",
    "for _ in measure(Loader()): os.kill(os.getpid(), 9)": "killed by SIGKILL",
    "def broken():\n    yield from [[1], [2]]\n    raise KeyError('third')\nfor _ in measure(broken()): pass":
        "KeyError: 'third' (script.py, line 8, in broken)",
    "for _ in measure(Loader(), name='a'):\n    for _ in measure(Loader(), name='a'): pass":
        "measure() at script.py, line 7 begins inside the loop over measure() at script.py, line 6: loops do not nest",
    "os.environ.pop('RANK', None)\nrank = os.environ['RANK']":
        "KeyError: 'RANK' (script.py, line 7): torchrun sets RANK, and `stepbench run` starts one process of a script",
    "import no_such_module": "No module named 'no_such_module'",
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--data', required=True)\nparser.parse_args()":
        "ended itself by sys.exit(2) before a loop over measure(): the following arguments are required: --data",
    "raise RuntimeError('unable to allocate shared memory(shm) for file </torch_29003_123_4>: Resource temporarily unavailable')":
        "for file </torch_...>: Resource",
    "for _ in measure(Loader())\n    pass": "SyntaxError: expected ':' (script.py, line 6)",
}

TRAIN = """\
import sys
import torch
from stepbench_worker import measure, phase, report
import settings


def main():
    torch.manual_seed(0)
    data = torch.utils.data.TensorDataset(torch.randn(64, 8), torch.randint(4, (64,)))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, num_workers=1, persistent_workers=True,
                                         multiprocessing_context=sys.argv[1])
    model = torch.nn.Linear(8, settings.CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        for inputs, labels in measure(loader):
            with phase("zero_grad"):
                optimizer.zero_grad()
            with phase("forward"):
                outputs = model(inputs)
            with phase("loss"):
                loss = torch.nn.functional.cross_entropy(outputs, labels)
            with phase("backward"):
                loss.backward()
            with phase("optimizer"):
                optimizer.step()
            report(loss=loss)


if __name__ == "__main__":
    main()
"""

# Arguments: when autograd's anomaly mode is on, and whether layers before a norm have a bias.
HABITS = """\
import contextlib
import sys
import torch
from stepbench_worker import measure

mode, bias = sys.argv[1], sys.argv[2] == "bias"


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(8, 8, 3, bias=bias)
        self.norm = torch.nn.BatchNorm2d(8)
        self.head = torch.nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.head(self.norm(self.conv(x)))


model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, bias=bias), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), Block())
if mode == "always":
    torch.autograd.set_detect_anomaly(True)
torch.set_num_threads(1)
for x in measure([torch.randn(2, 3, 8, 8)] * 100, warmup=1, active=3):
    with torch.autograd.detect_anomaly() if mode == "inside" else contextlib.nullcontext():
        model(x).sum().backward()
"""

PROFILED = """\
import json
import sys
import torch
from stepbench_worker import measure, phase

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
batch = torch.randn(16, 8)

def step(inputs):
    with phase("zero_grad"):
        optimizer.zero_grad()
    with phase("forward"):
        loss = model(inputs).sum()
    with phase("backward"):
        loss.backward()
    with phase("optimizer"):
        optimizer.step()

if sys.argv[1:]:
    for _ in range(4):
        step(batch)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        for _ in range(3):
            step(batch)
    with open(sys.argv[1], "w") as out:
        json.dump({row.key: row.count for row in seen.key_averages()}, out)
else:
    for inputs in measure([batch] * 100):
        step(inputs)
"""


def rows_of(folder, kind=None):
    rows = []
    for file in sorted(folder.glob("*/*.jsonl")):
        rows += [row for row in map(json.loads, file.read_text().splitlines()) if kind in (None, row["kind"])]
    return rows


WARM = []  # Pythons with torch imported, from which scripts are forked: one per rank


def warm(rank=0):
    while len(WARM) <= rank:
        WARM.append(Warm())
        atexit.register(WARM[-1].close)
    return WARM[rank]


def pythons_in(folder):
    """Returns processes whose working folder is this one."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder:
                found.append(process.name)
        except OSError:
            continue
    return found


GOOD = {  # loops of a notebook or a script, each measured like a plain one
    "break, and again": "for _ in range(3):\n    for number, _ in enumerate(measure(Loader())):\n        if number > 8: break",
    "another thread": "import threading\n"
                      "def second():\n    try: list(measure(Loader(), name='b'))\n    except Exception as e: print(e)\n"
                      "for _ in measure(Loader()):\n"
                      "    other = threading.Thread(target=second); other.start(); other.join()",
    "a forked child": "for _ in measure(Loader()):\n"
                      "    child = os.fork()\n    if child == 0: os._exit(0)\n    os.waitpid(child, 0)",
}

SPAWNS = """\
import multiprocessing
from stepbench_worker import measure
def batches():
    child = multiprocessing.get_context("spawn").Process(target=len, args=("",))
    child.start()
    child.join()
    if child.exitcode: raise RuntimeError("DataLoader worker exited unexpectedly")  # torch's words
    yield from [[1]] * 100
for _ in measure(batches()): pass
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.results = self.folder / "results"
        self.environment = {**os.environ, "VIRTUAL_ENV": sys.prefix, "HOME": str(self.folder), "CUDA_VISIBLE_DEVICES": ""}

    def write(self, text, name="script.py"):
        (self.folder / name).write_text(text)
        return name

    def stepbench(self, *words, status=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, env=self.environment, text=True, capture_output=True,
                              timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def run_script(self, *words, script="script.py", status=0, arguments=()):
        return self.stepbench("run", "--python", script, *SHORT, "--no-lock", *words, "--", *arguments, status=status)

    def test_script_error_is_the_reason_of_its_row(self):
        for number, (body, reason) in enumerate(FAULTS.items()):
            with self.subTest(body):
                self.write(HEAD + body)
                self.run_script("--results", str(number), status=4)
                launch, = rows_of(self.folder / str(number), "launch")
                self.assertEqual(launch["outcome"], "failed")
                self.assertIn(reason, launch["reason"])
        self.assertEqual(pythons_in(self.folder), [])

    def test_script_of_a_package_runs_as_its_module(self):
        (self.folder / "pkg/tools").mkdir(parents=True)
        for name, text in (("pkg/__init__.py", ""), ("pkg/tools/__init__.py", ""), ("pkg/parts.py", "LENGTH = 100"),
                           ("pkg/tools/train.py", HEAD + "from ..parts import LENGTH\nfor _ in measure(Loader()): pass")):
            self.write(text, name)
        for words in (["pkg/tools/train.py"], ["-m", "pkg.tools.train"]):
            self.stepbench("run", "--python", *words, *SHORT, "--no-lock", "--results", words[-1].replace("/", "-"))
            launch, = rows_of(self.folder / words[-1].replace("/", "-"), "launch")
            self.assertEqual(launch["outcome"], "measured", launch["reason"])
        for init in ("pkg/__init__.py", "pkg/tools/__init__.py"):  # its folders are packages without it, too
            (self.folder / init).unlink()
        for helper in ("..parts", "pkg.parts"):
            self.write(HEAD + f"from {helper} import LENGTH\nfor _ in measure(Loader()): pass", "pkg/tools/train.py")
            self.stepbench("run", "--python", "-m", "pkg.tools.train", *SHORT, "--no-lock", "--results", helper)
            launch, = rows_of(self.folder / helper, "launch")
            self.assertEqual(launch["outcome"], "measured", launch["reason"])
        self.assertIn("there is no pkg/none.py", self.stepbench("run", "--python", "-m", "pkg.none", status=2))

    def test_every_kind_of_loop_is_measured(self):
        for name, body in GOOD.items():
            with self.subTest(name):
                self.write(HEAD + body)
                self.run_script("--results", name)
                launch, = rows_of(self.folder / name, "launch")
                self.assertEqual((launch["outcome"], launch["schedule"]["active"]), ("measured", 6))
        self.assertEqual(pythons_in(self.folder), [])

    def test_self_spawning_script_names_the_main_guard(self):
        self.write(SPAWNS)
        self.run_script(status=4)
        launch, = rows_of(self.results, "launch")
        self.assertIn('runs the script again; put what the script does under `if __name__ == "__main__":`', launch["reason"])
        self.assertIn("measure() begins in a process that the script spawned", launch["output"])

    def test_first_look_names_the_measuring_command(self):
        self.write(HEAD + "for _ in measure(Loader()): pass")
        said = self.stepbench("run", "--python", "script.py", "--quick", "--no-lock", "--", "--quick")
        self.assertRegex(" ".join(said.split()), r"a first look, not for comparison: .* To measure it: \S*stepbench run --python "
                                                 r"script.py --no-lock -- --quick")
        launches = rows_of(self.results, "launch")
        self.assertEqual([(row["smoke"], row["schedule"]["active"]) for row in launches], [(True, 10)] * 2)
        folder, = self.results.iterdir()
        self.assertIn("first look: not for comparison", " ".join(self.stepbench("show", folder).split()))
        self.assertIn("--smoke or --quick", self.stepbench("compare", folder, folder, status=2))
        self.assertIn("contradict each other", self.stepbench("run", "--python", "script.py", "--quick", "--smoke", status=2))
        self.write("workload: python_script\nscript: {path: script.py}\nlaunches: 20\nschedule: {active: auto}\n", "mine.yaml")
        self.stepbench("run", "mine.yaml", "--quick", "--no-lock", "--results", "yaml")
        launches = rows_of(self.folder / "yaml", "launch")
        self.assertEqual([(row["smoke"], row["schedule"]["active"]) for row in launches], [(True, 10)] * 2)
        folder, = (self.folder / "yaml").iterdir()
        self.stepbench("run", "--resume", folder, "--no-lock")
        self.assertEqual(len(rows_of(self.folder / "yaml", "launch")), 2)

    def test_digest_depends_on_script_and_helpers(self):
        self.write("STEPS = 1\n", "helper.py")
        digests = []
        for name, steps in (("one.py", 1), ("copy.py", 1), ("copy.py", 2)):
            self.write(f"STEPS = {steps}\n", "helper.py")
            self.write(HEAD + "import helper\nfor _ in measure(Loader()): pass", name)
            self.run_script("--results", f"{name}{steps}", script=name)
            launch, = rows_of(self.folder / f"{name}{steps}", "launch")
            digests.append(launch["effective"]["script.digest"])
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(digests[1], digests[2])

    def by_hand(self, world=2):
        """Runs script.py once per rank, as torchrun would, in processes with torch imported; returns their outputs."""
        with kept_port() as port:
            ranks = [warm(rank).start([], self.folder, {
                **self.environment, "PYTHONPATH": str(SOURCE / "tools/python"), "RANK": str(rank), "WORLD_SIZE": str(world),
                "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "TORCHELASTIC_RUN_ID": "none"},
                script=str(self.folder / "script.py")) for rank in range(world)]
            return [rank.wait()[1] for rank in ranks]

    def alone(self, *arguments):
        """Runs script.py without stepbench, in a process with torch imported; returns its output."""
        process = warm().start(arguments, self.folder, {**self.environment, "PYTHONPATH": str(SOURCE / "tools/python")},
                               script=str(self.folder / "script.py"))
        status, said = process.wait()
        self.assertEqual(status, 0, said)
        return said

    def test_unjoined_ranks_record_the_first_and_name_others(self):
        self.write(HEAD + "for _ in measure(Loader(), warmup=1, active=5): pass")
        said = self.by_hand()
        self.assertIn("of 2 ranks rank 0 is recorded; what the steps of rank 1 took is in no file: torch.distributed, through "
                      "which they would tell it, is not initialized", said[0])
        self.assertEqual(said[1], "")
        launch, = rows_of(self.results, "launch")
        self.assertIn("of 2 ranks rank 0 is recorded", "".join(launch["notes"]))
        self.assertEqual(launch["world"], 1)

    def test_leftover_job_variables_are_named(self):
        self.write(HEAD + "for _ in measure(Loader(), warmup=1, active=5): pass")
        forgotten = "this is measured as one process; env -u RANK -u WORLD_SIZE takes them away"
        for variables, words, files in (
                ({"RANK": "1"}, f"RANK is 1 and WORLD_SIZE is not set: {forgotten}", 1),
                ({"RANK": "3", "WORLD_SIZE": "2"}, f"RANK is 3 and WORLD_SIZE is 2: {forgotten}", 1),
                ({"RANK": "1", "WORLD_SIZE": "2"}, "RANK is 1 and WORLD_SIZE is 2, so that rank 0 writes the results", 0)):
            with self.subTest(variables):
                shutil.rmtree(self.results, ignore_errors=True)
                done = subprocess.run([sys.executable, "script.py"], cwd=self.folder, capture_output=True, text=True,
                                      env={**self.environment, "PYTHONPATH": str(SOURCE / "tools/python"), **variables},
                                      timeout=600, check=True)
                self.assertEqual(done.stderr.count("stepbench_worker: "), 1)
                self.assertIn(words, done.stderr)
                self.assertEqual(len(list(self.results.glob("*/*.jsonl"))), files)

    def test_joined_ranks_are_recorded_without_stepbench(self):
        self.write(HEAD + "import torch.distributed as dist\ndist.init_process_group('gloo')\n"
                          "for _ in measure(Loader(), warmup=1, active=5, results=None): pass\n"
                          "for _ in measure(Loader(), warmup=1, active=5, name='train'): pass\n"
                          "dist.barrier()\ndist.destroy_process_group()\n")
        said = self.by_hand()
        self.assertEqual(said[1], "")
        self.assertIn("2 ranks: the slowest has the step of the group", said[0])
        launches = rows_of(self.results, "launch")
        self.assertEqual([(row["rank"], row["world"], row["outcome"]) for row in launches],
                         [(1, 2, "measured"), (0, 2, "measured")])
        steps = {row["rank"]: sum(row["values"][row["columns"].index("step_ns")])
                 for row in rows_of(self.results, "samples")}
        self.assertEqual(launches[1]["schedule"]["group_window_ns"], max(steps.values()))
        self.assertEqual(launches[1]["schedule"]["group_samples"], 2 * 5 * 2)
        self.assertEqual(launches[1]["options"]["distributed.ranks"], 2)
        folder, = self.results.iterdir()
        table = self.stepbench("show", "--ranks", folder)
        self.assertRegex(table, r"(?m)^ *0 .*\n *1 ")
        rows = json.loads(self.stepbench("show", "--format", "json", folder))["cases"]
        self.assertEqual(len(rows), 1)
        self.assertEqual(round(rows[0]["step_ns"] * 5), max(steps.values()))

    def test_idle_or_departed_rank_is_named(self):
        loops = {"if dist.get_rank() == 0:\n    for _ in measure(Loader(), warmup=1, active=5): pass\n":
                     "in no file: rank 1 runs no such loop over measure()",
                 "for n, _ in enumerate(measure(Loader(), warmup=1, active=5)):\n"
                 "    if dist.get_rank() == 1 and n == 3: break\n":
                     "in no file: rank 1: nothing was measured: the script left the loop, after 3 steps"}
        for loop, words in loops.items():
            with self.subTest(words):
                self.write(HEAD + "import torch.distributed as dist\ndist.init_process_group('gloo')\n" + loop
                           + "dist.barrier()\n")
                said = self.by_hand()
                self.assertIn(words, said[0])
                self.assertNotIn("2 ranks:", said[0])

    def test_loops_with_dynamic_names_are_mentioned(self):
        self.write(HEAD + "for epoch in range(2):\n    for _ in measure(Loader(), name=f'epoch-{epoch}'): pass")
        said = self.run_script()
        self.assertIn("script.py, line 7: the loop's name is only known when the script runs; the first loop is measured", said)
        launch, = rows_of(self.results, "launch")
        self.assertEqual(launch["outcome"], "measured")
        said = self.run_script("--sweep", "script.loop=epoch-0,epoch-1", "--results", "each")
        self.assertNotIn("only running", said)
        self.assertEqual([row["outcome"] for row in rows_of(self.folder / "each", "launch")], ["measured"] * 2)

    def test_traceback_of_a_script_is_its_output(self):
        self.write(HEAD + "def step():\n    raise ValueError('bad')\nfor _ in measure(Loader()): step()")
        self.run_script(status=4)
        launch, = rows_of(self.results, "launch")
        self.assertIn("(script.py, line 7, in step)", launch["reason"])
        self.assertIn('script.py", line 8, in <module>', launch["output"])
        self.assertNotIn("stepbench_worker", launch["output"])

    def test_hanging_script_is_ended_with_its_processes(self):
        self.write(HEAD + "import subprocess\nsubprocess.Popen(['sleep', '600'])\nfor _ in measure(Loader()): time.sleep(600)")
        self.run_script("--set", "limits.step_s=1", status=4)
        launch, = rows_of(self.results, "launch")
        self.assertIn("timed out", launch["reason"])
        self.assertEqual(pythons_in(self.folder), [])

    def test_flood_of_output_changes_nothing(self):
        self.write(HEAD + "for number, _ in enumerate(measure(Loader())):\n"
                          "    if number < 2: os.write(1, b'x' * (1 << 26))")
        self.run_script()
        launch, = rows_of(self.results, "launch")
        self.assertEqual(launch["outcome"], "measured")

    def test_training_loop_is_measured_in_fresh_processes(self):
        self.write(TRAIN, "train.py")
        self.write("CLASSES = 4\n", "settings.py")
        self.write("workload: python_script\nscript: {path: train.py}\nlaunches: 1\n"
                   "schedule: {wait: 0, warmup: 2, active: 4}\nsweep: {matrix: {script.args: [fork, spawn]}}\n", "sweep.yaml")
        self.stepbench("run", "sweep.yaml", "--no-lock")
        launches = rows_of(self.results, "launch")
        self.assertEqual([launch["outcome"] for launch in launches], ["measured"] * 2, launches)
        for launch in launches:
            self.assertEqual(launch["effective"]["python.executable"], sys.executable)
            self.assertEqual(launch["notes"][0][:40], "the window lies inside one epoch: what a")
        self.assertEqual(launches[0]["fingerprint"], launches[1]["fingerprint"])
        for samples in rows_of(self.results, "samples"):
            columns = dict(zip(samples["columns"], samples["values"]))
            parts = ("data_wait", "zero_grad", "forward", "loss", "backward", "optimizer", "other")
            for i, step_ns in enumerate(columns["step_ns"]):
                self.assertEqual(sum(columns[part + "_ns"][i] for part in parts), step_ns)
            self.assertEqual(columns["samples"], [8] * 4)
        self.assertEqual(pythons_in(self.folder), [])

    def test_profile_has_the_calls_of_torchs_profiler(self):
        self.write(PROFILED)
        self.alone("seen.json")
        self.run_script("--profile", "--set", "profile.active=3", "--set", "profile.trace=true")
        calls, phases = {}, {}
        for part in rows_of(self.results, "ops"):
            self.assertEqual(part["pass"], "kineto")
            if part["table"] != "ops":
                continue
            row = dict(zip(part["columns"], part["values"]))
            for name, phase, count in zip(row["name"], row["phase"], row["calls"]):
                name, phase = part["strings"][name], part["strings"][phase] if phase >= 0 else ""
                calls[name] = calls.get(name, 0) + count
                phases.setdefault(name, set()).add(phase)
        seen = json.loads((self.folder / "seen.json").read_text())
        self.assertEqual(calls.pop("ProfilerStep*"), 3)
        self.assertEqual(calls, seen)
        self.assertEqual((phases["aten::addmm"], phases["aten::mm"]), ({"forward"}, {"backward"}))
        trace, = self.results.glob("*/traces/*.pt.trace.json.gz")
        self.assertIn("3 steps", self.stepbench("analyze", trace))
        self.assertIn("aten::addmm", self.stepbench("show", "results", "--ops"))

    def test_steps_repeat_until_precision_with_judged_warmup(self):
        for folder, step_ns, verdict in (("falls", "max(5_000_000, 45_000_000 - 1_500_000 * number)", "too_short"),
                                         ("flat", "5_000_000 + 1_000 * (number % 7)", "ok")):
            self.write(HEAD + SCRIPTED_CLOCK + f"for number, _ in enumerate(measure(Loader())): now_ns += {step_ns}")
            self.run_script("--set", "schedule.active=auto", "--set", "schedule.window=30", "--set",
                            "schedule.max_active=60", "--set", "schedule.precision=0.5", "--results", folder)
            launch, = rows_of(self.folder / folder, "launch")
            self.assertEqual((launch["schedule"]["stop_reason"], launch["schedule"]["active"]), ("count", 60))
            self.assertEqual(launch["schedule"]["warmup_verdict"], verdict)
            self.assertEqual("warmup_too_short" in launch["flags"], verdict == "too_short")

    def test_other_version_of_a_script_is_refused_as_base(self):
        self.write("STEPS = 1\n", "helper.py")
        self.write(HEAD + "import helper\nfor _ in measure(Loader()): time.sleep(0.001)")
        self.run_script("--results", "before")
        self.write("STEPS = 2\n", "helper.py")
        self.run_script("--results", "after")
        before, after = (next((self.folder / name).iterdir()) for name in ("before", "after"))
        self.assertIn("script.digest", self.stepbench("compare", before, after, status=2))

    def test_two_scripts_are_compared_in_turns(self):
        for name in ("old.py", "new.py"):
            self.write(HEAD + "for _ in measure(Loader()): time.sleep(0.001)", name)
        said = self.stepbench("ab", "--python", "old.py", "--b-set", "script.path=new.py", "--set", "schedule.wait=0", "--set",
                              "schedule.warmup=1", "--set", "schedule.active=3", "--pairs", "2", "--no-lock",
                              "--allow-inconclusive", "--allow", "noise", "--allow", "load", "--allow", "steal", "--allow",
                              "drift", "--", "an argument")
        self.assertIn("script.path=new.py", said)
        arms = [(row["arm"], row["options"]["script.path"], row["options"]["script.args"])
                for row in rows_of(self.results, "launch")]
        self.assertEqual(set(arms), {("a", "old.py", "'an argument'"), ("b", "new.py", "'an argument'")})

    def test_standalone_script_writes_a_readable_result(self):
        self.write(HEAD + "for _ in measure(Loader(), warmup=1, active=5, repeat=2):\n"
                          "    with phase('forward'): time.sleep(0.001)")
        environment = {**self.environment, "PYTHONPATH": str(SOURCE / "tools/python")}
        done = subprocess.run([sys.executable, "script.py"], cwd=self.folder, env=environment, text=True, capture_output=True,
                              timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"(?s)script: 10 steps measured after 1 of warm-up.*\n  step +\d.*\n  forward +\d")
        launch, = rows_of(self.results, "launch")
        self.assertEqual(launch["schedule"]["active"], 10)
        line = jsonschema.Draft202012Validator(json.loads(self.stepbench("schema", "result")))
        for row in rows_of(self.results):
            self.assertEqual([error.message for error in line.iter_errors(row)], [])
        shown = self.stepbench("show", "results", "--format", "csv")
        self.assertIn(",measured,", shown)

    def test_standalone_script_records_no_secret(self):
        self.write(HEAD + "for _ in measure(Loader()): pass")
        words = ["--api-key", "kept-out-1", "--password=kept-out-2", "--data", "https://me:kept-out-3@host/?sig=kept-out-4",
                 "WANDB_API_KEY=kept-out-5", "kept-out-6", "--max-tokens", "128"]
        environment = {**self.environment, "PYTHONPATH": str(SOURCE / "tools/python"), "CI_TOKEN": "kept-out-6"}
        subprocess.run([sys.executable, "script.py", *words], cwd=self.folder, env=environment, capture_output=True,
                       check=True, timeout=600)
        (file,) = (self.folder / "results").glob("*/*.jsonl")
        self.assertNotIn("kept-out", file.read_text())
        self.assertIn("--max-tokens 128", file.read_text())

    def test_each_named_loop_is_its_own_case(self):
        self.write(HEAD + "def train(loader):\n"
                          "    for _ in measure(loader(), name='train'):\n"
                          "        with phase('clip_grad'): pass\n"
                          "        with phase('pack'): pass\n"
                          "for epoch in range(3):\n"
                          "    train(Loader)\n"
                          "    # for _ in measure(Loader(), name='commented'): pass\n"
                          "    for _ in measure(Loader(), samples=len,\n"
                          "                     name=\"validate\"): pass\n")
        said = self.run_script()
        self.assertRegex(said, r"loop +step \[")
        launches = rows_of(self.results, "launch")
        self.assertEqual([(row["options"]["script.loop"], row["outcome"]) for row in launches],
                         [("train", "measured"), ("validate", "measured")], launches)
        self.assertIn("of `other`, per step: pack ", "".join(launches[0]["notes"]))
        self.assertIn("not measured here: the loops train; script.loop chooses", "".join(launches[1]["notes"]))
        self.assertEqual([row["schedule"]["steps"] for row in launches], [8, 8])
        columns = [set(row["columns"]) for row in rows_of(self.results, "samples")]
        self.assertEqual([column & {"clip_grad_ns", "pack_ns"} for column in columns], [{"clip_grad_ns"}, set()])

    def test_garbage_collector_cost_is_shown_with_its_axis(self):
        self.write("import gc, sys\nfrom stepbench_worker import measure\nkept = [[i, [i]] for i in range(200_000)]\n"
                   "for number, _ in enumerate(measure([[1]] * 100)):\n    gc.collect()\n    if number == 0:\n"
                   "        print(gc.get_freeze_count() > 400_000, gc.isenabled(), file=open('seen', 'a'))\n")
        told = self.run_script("--sweep", "script.gc=default,freeze,off", "--format", "json")
        rows = {row["effective"].get("script.gc") or row["options"]["script.gc"]: row for row in rows_of(self.results, "launch")}
        self.assertEqual(set(rows), {"default", "freeze", "off"}, told)
        for way, row in rows.items():
            self.assertEqual(row["metrics"]["gc_collections"], 1, (way, row["metrics"]))
            self.assertIn("gc_ns", row["metrics"])
        found = [each for each in rows["default"]["findings"] if each["id"] == "script.gc"]
        self.assertEqual([each["set"] for each in found], [[{"option": "script.gc", "value": "freeze"}]])
        self.assertEqual(sorted((self.folder / "seen").read_text().splitlines()), ["False False", "False True", "True True"])

    def test_costly_habits_are_found_only_if_present(self):
        self.write(HABITS)
        for arguments, told in (("off plain", set()), ("inside plain", {"script.anomaly_mode"}),
                                ("always bias", {"script.anomaly_mode", "script.bias_before_norm"})):
            with self.subTest(arguments):
                shutil.rmtree(self.results, ignore_errors=True)
                said = self.alone(*arguments.split())
                launch, = rows_of(self.results, "launch")
                self.assertEqual({each["id"] for each in launch.get("findings", []) if each["id"].startswith("script.")}, told, said)
        self.assertIn("2 layers have a bias that the batch norm behind takes out again: Conv2d(3, 8) before BatchNorm2d(8), "
                      "Conv2d(8, 8) before BatchNorm2d(8)",
                      " ".join(said.split()))

    def test_unknown_loop_lists_the_scripts_loops(self):
        self.write(HEAD + "for _ in measure(Loader(), name='train'): pass\nfor _ in measure(Loader(), name='val'): pass")
        self.write("workload: python_script\nscript: {path: script.py, loop: vaildate}\nlaunches: 1\n"
                   "schedule: {wait: 0, warmup: 2, active: 4}\n", "loops.yaml")
        self.stepbench("run", "loops.yaml", "--no-lock", status=4)
        launch, = rows_of(self.results, "launch")
        self.assertIn('script.py has no loop named "vaildate" (script.loop); its loops are train, val', launch["reason"])

    def test_standalone_script_measures_each_loop(self):
        self.write(HEAD + "for epoch in range(2):\n"
                          "    batches = sum(1 for _ in measure(Loader(), warmup=1, active=5, name='train'))\n"
                          "    print('batches', batches)\n"
                          "with_none = measure(Loader(), warmup=1, active=5, results=None)\n"
                          "for _ in with_none: pass\nprint('to the end', len(with_none.steps['step_ns']))\n")
        environment = {**self.environment, "PYTHONPATH": str(SOURCE / "tools/python")}
        done = subprocess.run([sys.executable, "script.py"], cwd=self.folder, env=environment, text=True, capture_output=True,
                              timeout=600)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("batches 100"), 2)
        self.assertEqual(done.stdout.count("5 steps measured after 1 of warm-up"), 3)
        self.assertTrue(done.stdout.endswith("to the end 5\n"))
        self.assertEqual([row["options"]["script.loop"] for row in rows_of(self.results, "launch")], ["train"] * 2)
        for folder in self.results.iterdir():
            self.assertIn(",measured,", self.stepbench("show", folder, "--format", "csv"))

    def test_missing_interpreter_is_named_before_measuring(self):
        self.write(HEAD)
        said = self.run_script("--interpreter", "/no/such/python", status=2)
        self.assertIn("no Python interpreter: /no/such/python: there is no such program; activate an environment", said)
        self.assertFalse(self.results.exists())

    def test_missing_script_or_experiment_is_refused(self):
        self.assertIn("--python SCRIPT", self.stepbench("run", status=2))
        self.assertIn("too many arguments, the first is 'b.yaml'", self.stepbench("run", "a.yaml", "b.yaml", status=2))
        self.write(HEAD)
        for command in ("run", "plan", "ab"):
            self.assertIn("--python scrpt.py: no such file (did you mean 'script.py'?)",
                          self.stepbench(command, "--python", "scrpt.py", status=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
