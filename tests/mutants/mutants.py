# SPDX-License-Identifier: Apache-2.0
"""Faults that were mended once, put back one by one, to see that the tests still find them:
mutants.py run [--build FOLDER] [--only NN]...      mutants.py check      mutants.py draw [--seed N] [--until COMMIT]

`run` applies each NN-name.patch, builds and runs the unit programs of the rooms that it touches, then the corpus and the
runs through the stub worker, up to the first failure, and puts the tree back. With --build it works in the tree in which
it stands, whose production code must be as committed; without, in a clone of HEAD that it builds in a temporary folder.
`check` says which patches no longer apply.
`draw` walks the history in the order of the seed beside the decisions in drawn.txt.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[1]
SEED, UNTIL = 20261128, "2ab88ee0"
CODE = (".cpp", ".h", ".py", ".cu", ".cc")
MOST_LINES = 80  # of production code in a fix; larger changes are features
LIMIT_S = 300  # per program; a mutant that hangs is found
END_TO_END = {"golden", "nights"}  # labels
TARGETS = ["stepbench", "stub-worker", "dated"]  # needed by the end-to-end runs, where the build makes them itself


def git(tree, *words, **more):
    return subprocess.run(["git", "-C", str(tree), *words], check=True, capture_output=True, text=True, **more).stdout


# --- the draw


def candidates(until):
    """Returns {commit: (changed lines of production code, title)} of those that changed such code and a test."""
    found = {}
    commit, title, code, tests = None, None, 0, 0
    log = git(TREE, "log", "--no-merges", "--reverse", "--numstat", "--format=@%H %s", until)
    for line in [*log.splitlines(), "@ end"]:
        if line.startswith("@"):
            if code and tests:
                found[commit] = code, title
            commit, title = line[1:].split(" ", 1)
            code = tests = 0
        elif line.strip():
            added, removed, path = line.split("\t")
            changed = sum(int(number) for number in (added, removed) if number != "-")
            if "/tests/" in "/" + path or path.split("/")[-1].startswith("test_"):
                tests += changed
            elif path.endswith(CODE):
                code += changed
    return found


def draw(arguments):
    found = candidates(arguments.until)
    order = sorted(found)
    random.Random(arguments.seed).shuffle(order)
    decided = {}
    for line in (HERE / "drawn.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            commit, decision = line.split(" ", 1)
            decided[commit] = decision.split(" | ")[0]
    walk = [commit for commit in order if found[commit][0] <= MOST_LINES]
    for number, commit in enumerate(walk):
        print(f"{number:>3} {commit[:9]} {decided.get(commit[:9], 'not reached')} | {found[commit][1]}")
    return 0


# --- the run


class Mutant:
    def __init__(self, path):
        self.path = path
        self.number, self.name = path.stem.split("-", 1)
        self.text = path.read_text()
        head = self.text.split("\ndiff --git", 1)[0]
        self.facts = dict(re.findall(r"^([a-z ]+): (.*)$", head, re.M))
        self.files = re.findall(r"^\+\+\+ b/(.*)$", self.text, re.M)

    def folders(self):
        """Returns the folders below tests/unit of the rooms that it touches."""
        for file in self.files:
            first, room = file.split("/")[:2]
            yield {"harness": room, "workloads": "loading", "tools": "shell"}[first]


def programs_of(tree, mutant):
    """Returns those that its head names first, which are most likely to find it, then all others of its rooms."""
    known = {}
    for file in sorted((tree / "tests" / "unit").rglob("CMakeLists.txt")):
        for name, rest in re.findall(r"stepbench_test\(\s*(\w+)([^\n]*)", file.read_text()):
            if "nightly" not in rest:
                known[name] = file.parent.relative_to(tree / "tests" / "unit").parts[0]
    named = [name for name in mutant.facts.get("programs", "").split() if name in known]
    rooms = set(mutant.folders())
    others = [name for name, room in known.items() if room in rooms and name not in named]
    return named + sorted(others, key=lambda name: ("simulated" in name, name))


class Stop(Exception):
    pass


class Runner:
    def __init__(self, tree, build, jobs):
        self.tree, self.build, self.jobs = tree, build, jobs
        self.temporary = tempfile.TemporaryDirectory()

    def make(self, *targets):
        done = subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", *targets], capture_output=True, text=True)
        if done.returncode:
            raise Stop("does not build: " + "\n".join((done.stdout + done.stderr).splitlines()[-25:]))

    def make_for_scripts(self):
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "all"], capture_output=True, text=True)
        self.make(*(target for target in TARGETS if f"\n{target}: phony" in listed.stdout))

    def binary(self, program):
        for file in (self.build / "tests" / "unit").rglob(program):
            if file.is_file() and os.access(file, os.X_OK):
                return file
        raise Stop(f"no {program} in {self.build}")

    def unit(self, program, cases="*"):
        """Returns its failures: names of cases, or how the program ended."""
        with tempfile.TemporaryDirectory(dir=self.temporary.name) as folder:
            report = pathlib.Path(folder) / "report.json"
            command = [self.binary(program), f"--gtest_filter={cases}", f"--gtest_output=json:{report}"]
            try:
                done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                return [f"{program} (no end in {LIMIT_S} s)"]
            if done.returncode == 0:
                return []
            if not report.exists() or done.returncode < 0:
                begun = re.findall(rb"(?m)^\[ RUN      \] (\S+)", done.stdout)
                return [begun[-1].decode() if begun else f"{program} (exit status {done.returncode})"]
            suites = json.loads(report.read_text())["testsuites"]
            return [f"{suite['name']}.{case['name']}" for suite in suites for case in suite["testsuite"]
                    if case.get("failures")] or [f"{program} (exit status {done.returncode})"]

    def scripts(self):
        """Returns names of the tests that run the whole program, cheap ones first."""
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], capture_output=True, text=True)
        cheap, others = [], []
        for test in json.loads(shown.stdout)["tests"]:
            labels = {label for one in test.get("properties", []) if one["name"] == "LABELS" for label in one["value"]}
            program = pathlib.Path((test.get("command") or [""])[0]).name
            if "nightly" in labels:
                continue
            if program == "stepbench":
                cheap.append(test["name"])
            elif labels & END_TO_END:
                others.append(test["name"])
        return cheap + sorted(others, key=lambda name: not name.startswith("golden"))

    def script(self, name):
        """Returns True if the test fails."""
        words = ["ctest", "--test-dir", self.build, "--timeout", str(LIMIT_S), "-R", f"^{re.escape(name)}$"]
        return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL).returncode != 0

    @contextlib.contextmanager
    def applied(self, mutant):
        before = {file: (self.tree / file).read_bytes() for file in mutant.files}
        try:
            done = subprocess.run(["git", "-C", self.tree, "apply", "--recount", mutant.path], capture_output=True, text=True)
            if done.returncode:
                raise Stop("does not apply: " + done.stderr.strip())
            yield
        finally:
            held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
            for file, content in before.items():
                if (self.tree / file).read_bytes() != content:
                    (self.tree / file).write_bytes(content)
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    def find(self, mutant):
        """Returns (kind, program or test, case) of the first that finds it; None if none does."""
        with self.applied(mutant):
            for program in programs_of(self.tree, mutant):
                self.make(program)
                if failed := self.unit(program):
                    return "unit", program, failed[0]
            self.make_for_scripts()
            for name in self.scripts():
                if self.script(name):
                    return "script", name, name
        return None

    def passes(self, kind, where, case):
        """Returns True if the unchanged tree passes the test that found a mutant."""
        if kind == "script":
            self.make_for_scripts()
            return not self.script(where)
        self.make(where)
        return not self.unit(where, "*" if " (" in case else case)


def run_in(tree, build, mutants, jobs):
    dirty = git(tree, "status", "--porcelain", "--untracked-files=no", "--", *{file for one in mutants for file in one.files})
    if dirty:
        sys.exit(f"not as committed, and must be:\n{dirty}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    runner = Runner(tree, build, jobs)
    found, bad = [], 0
    for mutant in mutants:
        began = time.monotonic()
        try:
            what = runner.find(mutant)
            words = f"{what[1]} {what[2]}" if what else "NOT FOUND"
        except Stop as why:
            what, words = None, f"NOT RUN: {why}"
        bad += what is None
        if what:
            found.append((mutant, what))
        print(f"{mutant.number} {mutant.facts['class']:<11} {mutant.name:<36} {words}  [{time.monotonic() - began:.0f} s]", flush=True)
    for mutant, what in list(found):
        if not runner.passes(*what):
            bad += 1
            found.remove((mutant, what))
            print(f"{mutant.number} {mutant.name}: {what[2]} fails without the mutant, too")
    kinds = collections.Counter(mutant.facts["class"] for mutant, _ in found)
    print(f"{len(found)} of {len(mutants)} found: " + ", ".join(f"{count} of {kind}" for kind, count in sorted(kinds.items())))
    return 1 if bad else 0


def check(_):
    """Returns 1 if a patch does not apply to the tree, or names a program that there is not."""
    bad = 0
    for mutant in map(Mutant, sorted(HERE.glob("*.patch"))):
        words = ["git", "apply", "--check", "--recount", mutant.path]
        done = subprocess.run(words, cwd=TREE, capture_output=True, text=True)
        if done.returncode:
            print(f"{mutant.path.name}: does not apply: {done.stderr.strip()}")
        elif not programs_of(TREE, mutant):
            print(f"{mutant.path.name}: no unit program tests {', '.join(mutant.folders())}")
        else:
            continue
        bad = 1
    return bad


def run(arguments):
    mutants = [Mutant(path) for path in sorted(HERE.glob("*.patch"))]
    if arguments.only:
        mutants = [one for one in mutants if int(one.number) in arguments.only]
    if arguments.build:
        return run_in(TREE, arguments.build.resolve(), mutants, arguments.jobs)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = pathlib.Path(folder) / "tree"
        subprocess.run(["git", "clone", "-q", "--shared", TREE, tree], check=True)
        if (TREE / ".venv").exists():
            (tree / ".venv").symlink_to((TREE / ".venv").resolve())
        build = tree / "build" / "mutants"
        settings = {"CMAKE_BUILD_TYPE": "RelWithDebInfo", "CMAKE_CXX_FLAGS_RELWITHDEBINFO": "-O0",
                    "STEPBENCH_WORKLOADS": "OFF", "STEPBENCH_UNITY": "ON", "STEPBENCH_WERROR": "OFF",
                    "STEPBENCH_BENCHMARKS": "OFF", "STEPBENCH_INSTALL": "OFF"}
        subprocess.run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", *(f"-D{key}={value}" for key, value in settings.items())],
                       check=True, stdout=subprocess.DEVNULL)
        return run_in(tree, build, mutants, arguments.jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("draw")
    one.add_argument("--seed", type=int, default=SEED)
    one.add_argument("--until", default=UNTIL)
    one.set_defaults(call=draw)
    commands.add_parser("check").set_defaults(call=check)
    one = commands.add_parser("run")
    one.add_argument("--build", type=pathlib.Path, metavar="FOLDER")
    one.add_argument("--only", type=int, nargs="+", metavar="NN")
    one.add_argument("--jobs", type=int, default=os.cpu_count())
    one.set_defaults(call=run)
    arguments = parser.parse_args()
    try:
        sys.exit(arguments.call(arguments))
    except KeyboardInterrupt:
        sys.exit("stopped; the tree is as it was")


if __name__ == "__main__":
    main()
