# SPDX-License-Identifier: Apache-2.0
"""The jobs of a performance engineer, done through the program like its users do:
jobs.py STEPBENCH WORKER LOADING_WORKER SOURCE_DIR [CLASS[.test_JOB]]...

Checks the facts that a user needs in the output, not their wording. Each launch of WORKER loads torch for seconds, so
jobs without models use LOADING_WORKER, which has only the loader of a step."""
import csv
import io
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from beside import beside  # noqa: E402

PROGRAM, WORKER, LOADING_WORKER, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
PYTHON = SOURCE / ".venv/bin/python"

TINY = """\
name: tiny
workload: train_step
data: {kind: synthetic, features: 64, classes: 10, samples: 2048}
loader: {batch_size: 16, engine: thread, num_workers: 0}
model: {kind: mlp, hidden: 64, layers: 2}
optimizer: {kind: sgd, lr: 0.01}
threads: {intra_op: 1}
schedule: {wait: 0, warmup: 3, active: 20}
launches: 1
"""


class Done:
    def __init__(self, arguments, process):
        self.command, self.status = " ".join(map(str, arguments)), process.returncode
        self.out, self.err = process.stdout, process.stderr

    def __str__(self):
        return f"$ stepbench {self.command}\n{self.out}{self.err}(exit status {self.status})"


class Jobs(unittest.TestCase):
    worker = LOADING_WORKER

    @classmethod
    def setUpClass(cls):
        cls.program = beside(PROGRAM, cls.worker)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"),
                            "XDG_STATE_HOME": str(self.folder / "state"), "CUDA_VISIBLE_DEVICES": "",
                            "HOME": str(self.folder), "VIRTUAL_ENV": str(PYTHON.parents[1])}
        (self.folder / "tiny.yaml").write_text(TINY)

    def stepbench(self, *arguments, status=0, text=None):
        words = [*map(str, arguments)]
        if words and words[0] in ("run", "ab") and "--dry-run" not in words:
            words.append("--no-lock")  # other tests measure meanwhile
        process = subprocess.run([self.program, *words], cwd=self.folder, env=self.environment, text=True,
                                 capture_output=True, input=text, timeout=600)
        done = Done(words, process)
        if status is not None:
            self.assertEqual(done.status, status, done)
        return done

    def start(self, *arguments, **more):
        return subprocess.Popen([self.program, *arguments, "--no-lock"], cwd=self.folder, env=self.environment, **more)

    def says(self, text, *patterns):
        for pattern in patterns:
            self.assertRegex(str(text), pattern)

    def runs(self):
        return sorted((self.folder / "results").iterdir())

    def cases(self, *arguments):
        return json.loads(self.stepbench("show", *arguments, "--format", "json").out)["cases"]


class WithTorch(Jobs):
    """Whole runs of the real worker: each loader engine, Python parts, operations, two ranks."""

    worker = WORKER

    def test_sweep_of_engines_measures_each(self):
        run = self.stepbench("run", "tiny.yaml", "--sweep", "engine=inline,thread,fork,torch_cpp", "--set", "num_workers=1",
                             "--set", "engine=thread", "--sort", "samples/s")
        self.says(run, "tiny, 20", r"torch 2\.", "vs (best|fastest)", r"too few\s+launches", "Results: results/")
        (folder,) = self.runs()
        measured = [case for case in self.cases(folder) if case["outcome"] == "measured"]
        self.assertEqual({case["options"]["loader.engine"] for case in measured}, {"thread", "fork", "torch_cpp"})
        for case in measured:
            self.assertGreater(case["phases"]["forward"]["ns"], 0)

    def test_ab_of_layers_finds_the_slower_forward(self):
        self.stepbench("ab", "tiny.yaml", "--set", "engine=inline", "--a-set", "layers=2", "--b-set", "layers=400", "--pairs", "2",
                       "--metric", "step", "--metric", "forward", "--allow-inconclusive", "--allow", "noise", "--allow", "load",
                       "--allow", "drift", "--allow", "steal")
        verdict = json.loads(next((self.folder / "results").glob("*/verdict.json")).read_text())
        (case,) = verdict["cases"]
        metrics = {each["name"]: each for each in case["metrics"]}
        self.assertGreater(metrics["forward"]["candidate_median"], 10 * metrics["forward"]["base_median"])

    def test_saved_python_model_has_operations_and_modules(self):
        code = ("import torch; torch.jit.script(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), "
                "torch.nn.Linear(64, 10))).save('model.pt')")
        subprocess.run([PYTHON, "-c", code], cwd=self.folder, check=True)
        yaml = TINY.replace("{kind: mlp, hidden: 64, layers: 2}", "{kind: torchscript, path: model.pt}")
        run = self.stepbench("run", "-", "--profile", "--set", "profile.trace=true", "--set", "model.precision=bf16", text=yaml)
        self.says(run, "bf16", "trace")
        (folder,) = self.runs()
        self.says(self.stepbench("show", folder, "--ops", "--sort", "calls"), "aten::")
        self.stepbench("run", "tiny.yaml", "--profile")  # TorchScript has no modules to record
        modules = self.stepbench("show", self.runs()[-1], "--ops", "--by-module", "--depth", "1")
        self.says(modules, "forward", "backward", "optimizer")

    def test_interrupted_run_resumes_without_its_file(self):
        process = self.start("run", "tiny.yaml", "--sweep", "layers=1,2,3", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
        # Lines of processes that other tests left come before the run has its folder.
        while "results in" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)
        (folder,) = self.runs()
        (self.folder / "tiny.yaml").unlink()
        self.stepbench("run", "--resume", folder)
        self.assertEqual([case["launches"] for case in self.cases(folder)], [1, 1, 1])

    def test_python_engine_runs_data_and_model_in_python(self):
        (self.folder / "mine.py").write_text(
            "import torch\n"
            "class Numbers(torch.utils.data.Dataset):\n"
            "    classes = list('ab')\n"
            "    def __len__(self): return 256\n"
            "    def __getitem__(self, i): return torch.zeros(8), i % 2\n"
            "def dataset(): return Numbers()\n"
            "def model(classes): return torch.nn.Linear(8, classes)\n")
        (self.folder / "mine.yaml").write_text(
            "workload: train_step\ndevice: cpu\nlaunches: 1\ndata: {kind: python, path: mine.py}\n"
            "loader: {engine: python, batch_size: 4, num_workers: 1}\nmodel: {kind: python, path: mine.py}\n"
            "optimizer: {kind: sgd}\nschedule: {wait: 0, warmup: 2, active: 8}\n")
        self.stepbench("run", "mine.yaml")
        (case,) = self.cases(*self.runs())
        self.assertEqual(case["outcome"], "measured")

    def test_python_worker_is_measured(self):
        example = SOURCE / "tools/examples/python_worker"
        self.environment["PATH"] = f"{PYTHON.parent}:{self.environment['PATH']}"
        self.environment["TORCHINDUCTOR_CACHE_DIR"] = str(self.folder / "inductor")
        # torch is loaded in set-up, which takes minutes if other programs use the cores.
        run = self.stepbench("run", example / "mlp.yaml", "--worker", example / "python_worker.py", "--launches", "1",
                             "--set", "limits.set_up_s=840", "--set", "limits.wall_s=840")
        self.says(run, "python-mlp, 20", "batch_size")

    def test_two_ranks_are_measured_as_a_group(self):
        run = self.stepbench("run", "tiny.yaml", "--ranks", "2")
        self.says(run, "tiny, 20")
        (folder,) = self.runs()
        (case,) = self.cases(folder)
        self.assertEqual(case["outcome"], "measured")
        self.says(self.stepbench("show", folder, "--ranks"), r"(?m)^ *0\b", r"(?m)^ *1\b")

    def test_worker_path_measures_the_same_cases(self):
        copy = self.folder / "copy-of-stepbench-worker"
        shutil.copy(WORKER, copy)
        sweep = ["--sweep", "num_workers=0,2", "--sweep", "prefetch_factor=2,4", "--sweep", "engine=thread,fork"]
        plans = [self.cases_planned(*sweep, *worker) for worker in ([], ["--worker", str(copy)])]
        self.assertEqual(*plans)
        self.assertEqual(len(plans[0]), 5)  # without workers all of them are one

    def cases_planned(self, *words):
        plan = self.stepbench("plan", "tiny.yaml", *words, "--format", "json").out
        return {case["case_id"]: case["options"] for case in json.loads(plan)["cases"]}


class WithoutTorch(Jobs):
    def test_help_and_lists_name_options(self):
        self.says(self.stepbench(status=2), "Start with", "stepbench run configs/quickstart.yaml")
        self.says(self.stepbench("-V"), r"stepbench \d")
        self.says(self.stepbench("help", "run"), "--set KEY=VALUE", "Examples")
        self.says(self.stepbench("list", "loader"), r"(?m)^ *loader\.num_workers$", r"(?m)^ *loader\.pin_memory$")
        self.says(self.stepbench("list", "precision"), r"model\.precision", "bf16")
        self.says(self.stepbench("list", "(top level)"), r"(?m)^ *launches\b")
        self.says(self.stepbench("list", "metrics"), "step_ns")

    def test_sweep_is_shown_in_each_table(self):
        self.stepbench("run", "tiny.yaml", "--sweep", "num_workers=0,2", "--sweep", "batch_size=8,16")
        (folder,) = self.runs()
        self.says(self.stepbench("show", folder, "--pivot", "num_workers,batch_size"), "num_workers")
        self.says(self.stepbench("show", folder, "--baseline", "num_workers=0,batch_size=8"), "vs baseline")
        cases = self.cases(folder, "--filter", "num_workers=2")
        self.assertEqual([case["options"]["loader.num_workers"] for case in cases], [2, 2])
        rows = list(csv.reader(io.StringIO(self.stepbench("show", folder, "--format", "csv").out)))
        self.assertEqual(len(rows[0]), len(set(rows[0])), "a column stands twice")
        self.assertEqual(len(rows), 5)
        self.says(self.stepbench("show", folder, "--format", "markdown"), "tiny, 20", "<details>", r"\*")

    def test_enough_launches_give_an_answer(self):
        (self.folder / "emulated.yaml").write_text("".join(
            line for line in TINY.splitlines(True) if not line.startswith(("model", "optimizer"))).replace("train_step", "loader"))
        run = self.stepbench("run", "emulated.yaml", "--sweep", "emulated.step_us=100,20000", "--launches", "6")
        self.says(run, r"best: (emulated\.)?step_us=100")

    def test_findings_agree_with_the_rows(self):
        # A batch sleeps for 64 ms. Two workers gain 32 ms a step, unless other programs use the cores.
        slow = TINY.replace("samples: 2048", "samples: 2048, cost: sleep, cost_us: 4000").replace("active: 20", "active: 10")
        (self.folder / "slow.yaml").write_text(slow.replace("launches: 1", "launches: 2"))
        alone = self.stepbench("run", "slow.yaml")
        # If other programs use the cores, they may be the cause, and the doubts say so.
        contended = lambda told: "other programs use" in " ".join(told.out.split())  # noqa: E731
        self.says(alone, r"(problem|warning): .*waits",
                  r"doubts: (.|\n)*waited|try: --set" if contended(alone) else r"try: --set loader\.num_workers=")
        swept = self.stepbench("run", "slow.yaml", "--sweep", "num_workers=0,2")
        rates = {row[1]: float(row[-1]) for row in map(str.split, swept.out.splitlines())
                 if len(row) > 4 and row[1] in ("0", "2") and row[-1].replace(".", "").isdigit()}
        # Two launches per case may overlap: the ratio is then shown as no clear difference.
        measured = re.findall(r"num_workers=2 was measured:\s+(?:no\s+clear\s+difference\s+\()?([\d.]+)x\s+the\s+samples/s",
                              swept.out)
        if not contended(swept):
            self.assertEqual(len(measured), 1, swept)
        for ratio in map(float, measured):
            self.assertAlmostEqual(ratio, rates["2"] / rates["0"], delta=0.02 * ratio)
        self.says(swept, f"fastest so far: num_workers={max(rates, key=rates.get)}")
        self.assertNotRegex(swept.out, r"try: --set loader\.num_workers|try: .*num_workers=0,2$")
        self.assertNotIn("try:", self.stepbench("run", "slow.yaml", "--smoke").out)

    def test_bad_comparison_is_refused_before_measuring(self):
        arms = ["ab", "tiny.yaml", "--a-set", "layers=2", "--b-set", "layers=400"]
        self.says(self.stepbench(*arms, "--dry-run"), "layers=400")
        same = self.stepbench("ab", "tiny.yaml", "--b-set", "kind=sgd", "--dry-run", "--quiet", status=None)
        if same.status == 0:
            self.says(same, "(?i)same")
        self.says(self.stepbench(*arms, "--verdict", "nowhere/verdict.json", status=2).err, "nowhere")
        refused = self.stepbench("run", "tiny.yaml", "--set", "model.precision=fp32,bf16", status=2)
        self.says(refused.err, "--sweep")
        self.assertFalse((self.folder / "results").exists())

    def test_two_runs_are_shown_and_compared(self):
        for _ in range(2):
            self.stepbench("run", "tiny.yaml", "--launches", "8")
        monday, tuesday = self.runs()
        both = self.stepbench("show", monday, tuesday)
        self.says(both, r"(?m)^ *(run|case) ", r"\brun\b")
        self.assertEqual(len(self.cases(monday, tuesday)), 2, "each run keeps its own row")
        compared = self.stepbench("compare", monday, tuesday, status=None)
        self.assertIn(compared.status, (0, 3, 4), compared)
        self.assertNotIn("too few to prove", compared.out)

    def test_mistakes_report_the_remedy(self):
        mistakes = {
            "optimizer: {kind: sgd, learning_rate: 0.1}": r"\blr\b",
            "data: {kind: imagefolder}": "jpeg_folder",
            "loader: {batch_size: 8, num_wrokers: 2}": "num_workers",
            "limits: {wall_s: 10m}": "seconds",
            "schedule:\n\twarmup: 3": "tabs",
        }
        for line, remedy in mistakes.items():
            with self.subTest(line):
                section = line.split(":")[0]
                yaml = "".join(l for l in TINY.splitlines(True) if not l.startswith(section + ":")) + line + "\n"
                (self.folder / "wrong.yaml").write_text(yaml)
                done = self.stepbench("plan", "wrong.yaml", status=2)
                self.says(done.err, r"wrong\.yaml:\d+", remedy)
        for arguments, remedy in ((["run", "tiny.yml"], "tiny.yaml|no such file|No such file"),
                                  (["run", "tiny.yaml", "--lauches", "2"], "--launches"),
                                  (["rum", "tiny.yaml"], r"\brun\b"),
                                  (["plan", "tiny.yaml", "--set", "loader.num_workers=many"], "integer"),
                                  (["plan", "tiny.yaml", "--max-cases", "2305843009213693951"], None)):
            with self.subTest(arguments):
                done = self.stepbench(*arguments, status=2 if remedy else None)
                self.assertIn(done.status, (0, 2), done)
                if remedy:
                    self.says(done.err, remedy)

    def test_terminal_has_colours_completion_and_progress(self):
        self.says(self.stepbench("--color=always", "plan", "absent.yaml", status=2).err, "\033")
        self.assertNotIn("\033", self.stepbench("plan", "absent.yaml", status=2).err)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("stepbench", self.stepbench("completion", shell).out)
        master, slave = pty.openpty()
        subprocess.run(["stty", "cols", "60"], stdin=slave, check=True)
        process = self.start("run", "tiny.yaml", "--launches", "2", stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        shown = b""
        end = time.monotonic() + 600
        while time.monotonic() < end:
            if select.select([master], [], [], 1)[0]:
                try:
                    shown += os.read(master, 65536)
                except OSError:
                    break
        self.assertEqual(process.wait(timeout=600), 0)
        plain = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", shown.decode())
        for line in re.split(r"[\r\n]+", plain):
            if " left" in line:
                self.assertLessEqual(len(line), 60, line)


del Jobs
if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])
