# SPDX-License-Identifier: Apache-2.0
"""Runs every command line of help and of the pages as written:
examples_test.py STEPBENCH STUB_WORKER SOURCE_DIR [WORDS]...      WORDS: only lines that contain them

A folder has everything that the lines name: experiments, scripts, results, traces, a history with an alert, a
repository. The worker is the stub, which accepts every experiment of the real one. Each example of help gets its own
copy of the folder; the lines of a page's chapter run one after the other. A line may end with any verdict but not
with an error; one that cannot run here is listed with the test that runs it."""
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

from inputs import Plant, make_nights, make_pairs

PAGES = ("README.md", "tools/COMMANDS.md", "results/COOKBOOK.md", "tools/examples/ci/README.md",
         "tools/examples/python/README.md", "tools/python/README.md")
PATIENCE_S = 300
VERDICTS = {0, 1, 3}  # 1: slower; 3: undecided

# Lines with these words do not run here: the reason, and where they run.
ELSEWHERE = {
    "postgresql://": "wants a server: tests/fleet",
    "track confirm": "wants nights of this machine: tests/nights",
    "track merge": "wants a case that was measured under two ids: tests/corpus/scenes/sample_history.txt",
    "track bisect": "wants the repository of its nights: Nights.alert_bisects_to_its_commit",
    "doctor --measure": "measures for a minute: unit_doctor, DoctorMeasure.*",
    "--ranks": "wants several CPUs and their launchers: tests/fleet/ranks_test.py",
    "tune train.py": "starts a Python a hundred times: Tune.script_arguments_are_tuned",
    "tune --python": "starts a Python a hundred times: Tune.script_arguments_are_tuned",
    "bisect v1.4 main --python": "starts a Python a hundred times: Bisect.each_commit_runs_its_own_scripts",
    "cmake --install": "installs: Install.ReadmeLines_Work",
    "cp -r ": "installs: Install.ReadmeLines_Work",
    "sort-worker": "installs: Install.ReadmeLines_Work",
    "cmake -S ": "installs: Install.ReadmeLines_Work",
    "tools/bundle": "builds: Install.Bundle_RunsInACleanEnvironment",
    "DIR/stepbench": "builds: Install.Bundle_RunsInACleanEnvironment",
    "stepbench-gbench": "another program: tests/unit/gbench",
    "measure.sh": "Install.CiRecipes_PassInACleanCheckout",
}
MERE_NAMES = {"stepbench ab", "stepbench analyze", "stepbench nightly", "stepbench run", "stepbench run --python",
              "stepbench tune"}
# Placeholders that a reader replaces, in table cells.
PLACES = {"PATH": "build/my-worker", "GOOD BAD": "HEAD~20 HEAD", "ID": "3f9a", "SERIES": "3f2a91", "WORDS": "alert",
          "DIR": "bundle", "FILE": "train.yaml"}

EXPERIMENT = """\
name: {name}
workload: train_step
device: cpu
data: {{kind: synthetic, features: 64, classes: 10, samples: 256}}
loader: {{batch_size: 8, engine: thread}}
model: {{kind: mlp}}
optimizer: {{kind: sgd, lr: 0.01}}
launches: {launches}
schedule: {{wait: 0, warmup: 1, active: 5}}
{sweep}"""
SWEEP = "sweep:\n  matrix: {loader.num_workers: [0, 2, 4], loader.batch_size: [8, 16]}\n"

SCRIPT = "from stepbench_worker import measure\nfor batch in measure([[1, 2]] * 100):\n    sum(batch)\n"

# Commands other than stepbench in the lines.
PROGRAMS = {
    "nsys": 'case $1 in export) cp "$SEED" report.sqlite;; *) shift 3; exec "$@";; esac',
    "jq": "cat > /dev/null",
    "make": 'mkdir -p out; cp "$WORKER" out/worker; cp "$WORKER" out/stepbench-worker',
    "cmake": "mkdir -p build",
    "ninja": 'cp "$WORKER" build/my-worker',
    # Environments are made without a registry.
    "python3": f'[ "$2" = venv ] || exec {sys.executable} "$@"; mkdir -p "$3/bin"; '
               f'ln -s {sys.executable} "$3/bin/python"; ln -s /bin/true "$3/bin/pip"',
}


def joined(text):
    """Returns the lines of a text, joining those that a `\\` continues."""
    return re.sub(r" *\\\n *", " ", text).splitlines()


def without_remark(line):
    return re.split(r" {3,}| #", line.strip())[0]


def lines_of_help(program, command=""):
    """Returns the examples of a command and of its subcommands."""
    text = subprocess.run([program, *command.split(), "--help-all"], text=True, capture_output=True, check=True).stdout
    about, usage, rest = text.partition("Usage:\n")
    commands = re.findall(r"(?m)^  ([a-z]\S*)  +[A-Z]", rest)
    shown = [without_remark(line) for line in joined(rest.partition("\n\n")[2])
             if re.match(r"  (?=[^\s-]).*\bstepbench ", line)]
    for name in commands:
        shown += lines_of_help(program, f"{command} {name}".strip())
    return shown


def chapters_of(path):
    """Returns the command lines after a prompt, in blocks of shell, and whole in a text; a list per chapter."""
    chapters, fence = [[]], ""
    for line in joined(path.read_text()):
        if line.startswith("```"):
            fence = "" if fence else line[3:] or "text"
        elif fence == "console" and line.startswith("$ "):
            chapters[-1].append(without_remark(line[2:]))
        elif fence == "sh":
            chapters[-1].append(without_remark(line))
        elif not fence and line.startswith("## "):
            chapters.append([])
        elif not fence:
            chapters[-1] += [words for words in re.findall(r"`(stepbench [^`]+)`", line)
                             if "…" not in words and words not in MERE_NAMES]
    return [[line for line in lines if re.search(r"\bstepbench ", line)] for lines in chapters]


class Place:
    """Everything that the lines name, made once; each line gets a copy."""

    def __init__(self, program, stub, source, root):
        self.source, self.root, self.stub = source, root, stub
        self.bin, self.made = root / "bin", root / "made"
        for folder in (self.bin, self.made, root / "beside", root / "home/.config/fish/completions"):
            folder.mkdir(parents=True)
        self.stepbench = self.bin / "stepbench"
        shutil.copy(program, self.stepbench)
        (self.bin / "plotly.min.js").symlink_to(program.parent / "plotly.min.js")
        shutil.copytree(source / "tools/python/stepbench_worker", self.bin / "stepbench_worker")
        self.worker(self.bin / "stepbench-worker")
        for name, body in PROGRAMS.items():
            self.script(self.bin / name, body)
        seed = (source / "tests/fuzz/corpus/trace/nsight").read_bytes()
        (root / "seed.sqlite").write_bytes(seed[seed.find(b"SQLite format 3"):])
        self.environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(root / "home"),
                            "XDG_CACHE_HOME": str(root / "cache"),
                            "XDG_STATE_HOME": str(root / "state"), "CUDA_VISIBLE_DEVICES": "",
                            "SEED": str(root / "seed.sqlite"), "WORKER": str(self.bin / "stepbench-worker"),
                            "NO_COLOR": "1"}
        self.environment.pop("STEPBENCH_DATA", None)
        self.make_experiments()
        self.make_repository()
        self.make_results()
        self.make_traces()
        self.make_history()

    def script(self, file, body):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def worker(self, file, settings=""):
        self.script(file, f'STUB_AS=built_in {settings} exec "{self.stub}" "$@"')

    def run(self, command, folder):
        # Device locks of other tests on this machine do not matter here.
        command = re.sub(r"stepbench (run|ab|nightly|bisect|tune)\b", r"stepbench \1 --no-lock", command)
        return subprocess.run(["sh", "-c", command], cwd=folder, env=self.environment, text=True, errors="replace",
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S)

    def make(self, command):
        done = self.run(command, self.made)
        if done.returncode not in VERDICTS:
            raise AssertionError(f"$ {command}\n{done.stdout}{done.stderr}(exit status {done.returncode})")
        return done.stdout

    def make_experiments(self):
        shutil.copytree(self.source / "configs", self.made / "configs")
        for name in ("train", "my", "n", "a", "b", "smoke", "nightly", "versions"):
            (self.made / f"{name}.yaml").write_text(EXPERIMENT.format(name=name, launches=3, sweep=""))
        for name in ("sweep", "mine"):
            (self.made / f"{name}.yaml").write_text(EXPERIMENT.format(name=name, launches=6, sweep=SWEEP))
        for name in ("train", "old", "new", "new_train", "step"):
            (self.made / f"{name}.py").write_text(SCRIPT)
        for program in ("old/stepbench-worker", "build/my-worker"):
            self.worker(self.made / program)
        for program in ("new/stepbench-worker", "slower/stepbench-worker"):
            self.worker(self.made / program, "STUB_SLOWER=1.05")
        home = self.root / "home"
        for python in ("old", "new", ".venv-2.10", ".venv-2.11", home / "torch-2.10.0", home / "torch-2.11.0"):
            self.script(self.made / python / "bin/python", 'exec python3 "$@"')
        self.script(self.made / "webhook.sh", "cat > /dev/null")
        self.make("stepbench data make jpeg_folder --images 4 --classes 2 --out data/imagefolder")

    def make_results(self):
        self.make("stepbench run sweep.yaml --label branch=main --results measured")
        run = next((self.made / "measured").iterdir())
        self.case = json.loads(self.make(f"stepbench show {run} --format json"))["cases"][0]["case_id"]
        results = self.made / "results"
        shutil.copytree(self.source / "results/sample", results / "sample")
        rows = next(run.glob("*.jsonl")).read_text()
        for name in ("results/RUN", "results/MONDAY", "results/TUESDAY", "results/monday", "results/tuesday",
                     "results/wednesday", "results/20260105-120000-release", "results/20260131-020000-quickstart",
                     "results/20260131-020000-nightly", "RUN", "RUN1", "RUN2", "NIGHT1", "NIGHT2", "NIGHT3"):
            folder = self.made / name
            folder.mkdir()
            (folder / "rows.jsonl").write_text(rows.replace(run.name, folder.name))
        # Made only if a line names them: `results/2026*` would match them.
        for name, command in (("20260131-120000-train", "ab train.yaml"),
                              ("20260131-120000-sweep-tune", "tune sweep.yaml"),
                              ("20260131-120000-bisect-train", "bisect HEAD~20 HEAD train.yaml --build 'make worker'")):
            b = " --b new/stepbench-worker" if command.startswith("ab") else ""
            self.run(f"stepbench {command}{b} --results campaign", self.made)
            next((self.made / "campaign").iterdir()).rename(self.root / "beside" / name)
        for name in ("RUN", "results/RUN"):
            shutil.copy(self.root / "beside/20260131-120000-train/verdict.json", self.made / name)
        (self.made / "PROFILED").mkdir()
        shutil.copy(self.source / "tests/unit/report/data/profiled.jsonl", self.made / "PROFILED")
        for name in ("old", "new"):
            (self.made / name / "rows.jsonl").write_text(rows.replace(run.name, name))
        for name in ("old", "new", "a"):
            (self.made / f"{name}.jsonl").write_text(rows.replace(run.name, name))
        (self.made / "b.jsonl.gz").write_bytes(gzip.compress(rows.encode()))

    def make_traces(self):
        for name, gap in (("trace", 2000), ("base", 2000), ("new", 4000)):
            Plant().write(self.made / f"{name}.json", "sync", gap=gap)
        for rank in range(2):
            Plant(rank, 2).write(self.made / "log" / f"rank-{rank}.json", "all_reduce", gap=5000)
        whole = gzip.compress((self.made / "trace.json").read_bytes())
        for name in ("my_job.1700000000.pt.trace", "my_job.pt.trace", "my.pt.trace", "base"):
            (self.made / f"{name}.json.gz").write_bytes(whole)
        for name in ("RUN", "results/RUN"):
            (self.made / name / "traces").mkdir()
            shutil.copy(self.made / "trace.json", self.made / name / "traces")

    def make_history(self):
        make_nights(self.source / "results/sample", self.made / "nights")
        events = self.made / "results/history.db.events.jsonl"
        make_pairs(events)
        for file in (*(self.made / "nights").glob("*/*.jsonl"), events):
            file.write_text(file.read_text().replace('"box"', json.dumps(socket.gethostname())))
        self.make("stepbench track add nights")
        self.nights = sorted(path.name for path in (self.made / "nights").iterdir())
        for night in ("20260215-020000-train", "20260216-020000-train"):
            self.make(f"stepbench track check --night {night}")
        self.alert = re.search(r"\bA\d+\b", self.make("stepbench track show"))[0]
        self.series = re.findall(r"\b[0-9a-f]{6,}\b", self.make("stepbench track list"))
        shutil.copy(self.made / "results/history.db", self.made / "other.db")

    def make_repository(self):
        (self.made / ".gitignore").write_text("*\n!*.yaml\n!*.py\n!.gitignore\n")
        git = "git -c user.name=A -c user.email=a@b -c commit.gpgsign=false"
        self.make(f"{git} init -q -b main . && {git} add -A && {git} commit -q -m first && git tag v1.4")
        self.make(f"for i in $(seq 20); do {git} commit -q --allow-empty -m $i || exit 9; done")

    def meant(self, line):
        """Replaces an example's names by existing ones."""
        if "`" not in line:
            for word, there in PLACES.items():
                line = re.sub(rf"(?<![\w/.]){word}(?![\w/=])", there, line)
        for case in ("3f9a", "393d", "4f1c"):
            line = line.replace(case, self.case[:4])
        line = line.replace("A17", self.alert).replace("--expect +3%", "--expect +8%")  # the alert's change is 6 %
        line = line.replace("--case 82d1ec", "")
        for example, series in zip(("3f2a91", "4f2a91c0", "77ab04", "853070", "82d1ec"), self.series):
            line = line.replace(example, series)
        line = re.sub(r"\bdoctor( --seconds 30)?", "doctor --seconds 0.05", line)
        if "--ops" in line or "--by-module" in line:
            line = re.sub(r"show( RUN)?", "show PROFILED", line, count=1)
        if "track" in line:
            line = line.replace("--night 2026-01-31", f"--night {self.nights[-1]}").replace("20260301", self.nights[-1])
        if "track" in line and "track add" not in line:
            line = line.replace("results/20260131-020000-nightly", "20260131-020000-nightly")
            line = line.replace("20260131-020000-nightly", self.nights[-1])
        if re.search("ab (--python|train.py)", line):
            line = re.sub("( -- |$)", r" --pairs 2\1", line, count=1)  # each launch starts a Python
        if "run --python" in line and not re.search("--launches|--quick", line):
            line = line.replace("run --python", "run --launches 1 --python")
        return line

    def failures(self, lines):
        """Runs lines one after the other and returns the failures."""
        copy = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        subprocess.run(["cp", "-a", f"{self.made}/.", copy], check=True)
        found = []
        for line in lines:
            for campaign in (self.root / "beside").iterdir():
                if campaign.name in line:
                    shutil.copytree(campaign, copy / "results" / campaign.name, dirs_exist_ok=True)
            if "A17 --as open" in line:
                self.run(self.meant("stepbench track note A17 --as accepted begin"), copy)
            if "data make" in line:
                shutil.rmtree(copy / "data", ignore_errors=True)
            done = self.run(self.meant(line), copy)
            fine = {0} if line.startswith("stepbench run ") else VERDICTS
            if re.search("doctor|--gate counts|--expect-by", line):  # not fit; the stub counts nothing; no night
                fine = fine | {4}
            if done.returncode not in fine or "not found" in done.stderr:
                found.append(f"$ {self.meant(line)}\n{done.stdout[:1500]}{done.stderr[-1500:]}"
                             f"exit status {done.returncode}\n")
        shutil.rmtree(copy)
        return found


def not_of_the_sample(program, source):
    """Returns lines of the README's first box and table that `show results/sample` does not print."""
    page = (source / "README.md").read_text()
    table = re.search(r"```\n(quickstart, .*?)```", page, re.DOTALL)[1].splitlines()
    answer = re.search(r"(?m)^\$ stepbench run .*\n(.*)", page)[1]
    shown = subprocess.run([program, "show", "results/sample"], cwd=source, text=True, capture_output=True, check=True).stdout
    whole = " ".join(shown.split())
    return [f"README.md: `show results/sample` does not print: {line}\n" for line in [answer, *table]
            if " ".join(line.split()) not in whole]


def main():
    program, stub, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    chapters = [[line] for line in dict.fromkeys(lines_of_help(program))]
    chapters += [lines for page in PAGES for lines in chapters_of(source / page)]
    chapters = [lines for lines in chapters if any(all(words in line for words in sys.argv[4:]) for line in lines)]
    here = [[line for line in lines if not any(words in line for words in ELSEWHERE)] for lines in chapters]
    count, elsewhere = sum(map(len, here)), sum(map(len, chapters)) - sum(map(len, here))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        place = Place(program, stub, source, pathlib.Path(folder).resolve())
        found = [text for failures in pool.map(place.failures, filter(None, here)) for text in failures]
    found += not_of_the_sample(program, source)
    print(*found, f"{len(found)} of {count} command lines fail; {elsewhere} are run by other tests", sep="\n")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
