# SPDX-License-Identifier: Apache-2.0
"""A machine that is measured every night: `stepbench` on the stub worker, on any date, with any noise."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

PATIENCE_S = 600  # anything slower hangs, on any machine
FIRST = datetime.datetime(2026, 2, 1, 2, 17, tzinfo=datetime.timezone.utc)

EXPERIMENT = """\
name: {name}
workload: stub
launches: {launches}
schedule: {{wait: 0, warmup: 1, active: 5}}
stub: {{jitter: 0.002}}
sweep:
  include:
{cases}"""
CASES = ("    - {stub.step_us: 1000}\n"
         "    - {stub.step_us: 3000}\n")

# Small variation of the machine from night to night, without order: 0.3 % at most.
WEATHER = (1.0, 1.0011, 0.9992, 1.0005, 0.9987, 1.0018, 0.9996, 1.0009, 0.9981, 1.0014, 0.9999, 1.0022, 0.9990, 1.0003)

# The launch waits while the hold file exists.
HOLDS = """\
case $1 in --control*) if [ -e '{hold}' ]; then
  echo >> '{hold}'
  if [ "$(wc -l < '{hold}')" -eq {launch} ]; then : > '{hold}.reached'; fi
  while [ -e '{hold}' ] && [ -e '{hold}.reached' ]; do sleep 0.02; done
fi;; esac"""


class Done:
    def __init__(self, words, process):
        self.command, self.status = " ".join(words), process.returncode
        self.out, self.err = process.stdout, process.stderr

    def __str__(self):
        return f"$ {self.command}\n{self.out}{self.err}(exit status {self.status})"


class Machine:
    """A folder with experiments, programs and results. `stub` is the stub worker, `dated` the library that shifts
    the date."""

    def __init__(self, stepbench, stub, dated):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.stepbench, self.stub, self.dated = stepbench, stub, dated
        self.date = FIRST
        self.moved_to, self.moved = None, datetime.timedelta()
        self.weather = 1.0
        self.torch = "2.10.0"
        self.variables = {}  # more of the environment
        self.experiment("nightly")
        self.git("init", "--quiet", "--initial-branch=main")
        (self.folder / ".gitignore").write_text("*\n!*.yaml\n")
        self.commit("first")

    def close(self):
        self.temporary.cleanup()

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=me", "-c", "user.email=me@example.com", *words], cwd=self.folder,
                       check=True, capture_output=True)

    def commit(self, title):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", title)

    def experiment(self, name, cases=CASES, launches=5):
        (self.folder / f"{name}.yaml").write_text(EXPERIMENT.format(name=name, cases=cases, launches=launches))

    def build(self, name, slower=1.0, more=""):
        """Builds a program that is slower by a factor; the variation of the night is added."""
        program = self.folder / name
        program.write_text(f"#!/bin/sh\n# {name}\n{more}\n"
                           f"STUB_SLOWER=$(awk \"BEGIN {{ print {slower} * ${{WEATHER:-1}} }}\")\n"
                           f"export STUB_SLOWER\nexec '{self.stub}' \"$@\"\n")
        program.chmod(0o755)
        return program

    def environment(self):
        # The same for all programs of one night: its clock never runs backwards.
        if self.moved_to != self.date:
            self.moved_to, self.moved = self.date, self.date - datetime.datetime.now(datetime.timezone.utc)
        return {**os.environ, "LD_PRELOAD": str(self.dated), "DATED_SECONDS": str(round(self.moved.total_seconds())),
                "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""),
                "WEATHER": str(self.weather), "STUB_TORCH": self.torch,
                "XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_STATE_HOME": str(self.folder / "state"),
                **self.variables}

    def run(self, *words, status=None):
        words = [str(word) for word in words]
        process = subprocess.run([self.stepbench, *words], cwd=self.folder, env=self.environment(), text=True,
                                 capture_output=True, timeout=PATIENCE_S)
        done = Done(["stepbench", *words], process)
        if status is not None:
            assert done.status == status, f"expected exit status {status}\n{done}"
        return done

    def night(self, worker, *words, file="nightly.yaml", status=None, next_night=True):
        """Runs tonight; afterwards the date is tomorrow's."""
        done = self.run("nightly", file, "--worker", worker, "--no-lock", "--quiet", *words, status=status)
        if next_night:
            self.date += datetime.timedelta(days=1)
            at = (self.date - FIRST).days
            self.weather = WEATHER[at % len(WEATHER)]
        return done

    def verdict(self, worker, *words, **options):
        """Returns tonight's verdict in JSON and its exit status."""
        done = self.night(worker, "--format", "json", *words, **options)
        return done, json.loads(done.out)

    def ignore_memory(self):
        """Ignores memory from the first night on: the stub worker's times are scripted, but its memory is this
        machine's."""
        verdict = json.loads(self.run("track", "check", "--format", "json").out)
        for series in verdict["series"]:
            if series["metric"] != "step_ns":
                self.run("track", "note", series["id"], "--as", "ignored", "not scripted", status=0)

    def runs(self):
        """Returns the folders of nights; a second one that begins in the same second has a number."""
        return sorted(path for path in (self.folder / "results").iterdir()
                      if path.is_dir() and re.search(r"-nightly(-\d+)?$", path.name))


def start_night(machine, worker, *words, lock="--no-lock"):
    """Starts a night without waiting for its end."""
    return subprocess.Popen([machine.stepbench, "nightly", "nightly.yaml", "--worker", worker, lock, *words],
                            cwd=machine.folder, env=machine.environment(), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_until_held(process, hold):
    """Waits until a night's program is held by the existing file (HOLDS)."""
    while not hold.with_suffix(".reached").exists():
        assert process.poll() is None, "the night ended by itself"
        time.sleep(0.01)


def signal_when_held(machine, program, hold, number, *words):
    """Starts a night of this program and sends it a signal when it is held; returns its status and output."""
    hold.touch()
    process = start_night(machine, program, *words)
    wait_until_held(process, hold)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    hold.unlink()
    return process.returncode, out, err
