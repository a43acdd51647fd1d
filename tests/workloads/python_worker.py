# SPDX-License-Identifier: Apache-2.0
"""Runs the worker inside Python on a case with Python parts; shared by the tests of such parts. All workers of a
test program are forked from one Python with torch imported: warm_python.py. The first argument of a program that
imports this is WORKER."""
import atexit
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

WORKER = pathlib.Path(sys.argv.pop(1)).resolve()
SMALL = {
    "device": "cpu",
    "data.kind": "python",
    "loader.engine": "python",
    "loader.batch_size": 4,
    "schedule.wait": 0,
    "schedule.warmup": 0,
    "schedule.active": 4,
    "schedule.repeat": 1,
}


def write(folder, source, name="my_data.py"):
    """Writes a user's Python file; returns its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(source))
    return path


def case_message(options, workload, more):
    return {
        "kind": "case",
        "protocol": [1, 3],
        "case_id": "0000000000000001",
        "workload": workload,
        "options": SMALL | options,
        "shared_memory_prefix": f"/stepbench-{os.getpid()}-",
    } | more


class Process:
    """A child of the warm Python."""

    def __init__(self, warm, output):
        self.warm, self.output = warm, output
        self.pid = warm.read()["pid"]

    def wait(self):
        """Returns its status, as in subprocess, and its output."""
        status = self.warm.read()["status"]
        return status, pathlib.Path(self.output).read_text(errors="replace")


class Warm:
    def __init__(self):
        self.host = WORKER.parent / "python"
        self.process = subprocess.Popen([sys.executable, pathlib.Path(__file__).with_name("warm_python.py"), self.host],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.made = tempfile.TemporaryDirectory()
        self.count = 0
        self.read()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.made.cleanup()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the Python that the workers are forked from has ended")
        return json.loads(line)

    def file(self, text=""):
        self.count += 1
        path = os.path.join(self.made.name, str(self.count))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def start(self, arguments, folder, environment=None, given="", **more):
        """Starts stepbench-worker hosted by Python, or a `script`. `more`: fields of the request, see
        warm_python.py."""
        what = {} if "script" in more else {"worker": str(WORKER)}
        request = what | {"arguments": arguments, "folder": str(folder), "environment": environment or {},
                          "input": self.file(given), "output": self.file()} | more
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return Process(self, request["output"])

    def start_case(self, folder, options, workload="loader", environment=None, alone=False, python=None, host=None, **more):
        """Starts a worker on SMALL with these options. `more`: fields of the case."""
        case = self.file(json.dumps(case_message(options, workload, more)))
        return self.start(["--case", case], folder, environment, alone=alone, python=python, host=host and str(host))

    def run_case(self, folder, options, workload="loader", **more):
        """Returns the worker's last message, and all lines that are not messages."""
        return messages_of(self.start_case(folder, options, workload, **more).wait()[1])


class Warmed(unittest.TestCase):
    """Tests whose workers are forked from the warm Python, each with its own files."""

    warm = None

    def setUp(self):
        if Warmed.warm is None:
            Warmed.warm = Warm()
            atexit.register(Warmed.warm.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ran(self, options, workload="loader", **more):
        """Returns the last message; `self.output` is the output without messages."""
        last, self.output = self.warm.run_case(self.folder, options, workload, **more)
        return last

    def measured(self, options, workload="loader", **more):
        """Returns the launch and the `columns` of its first window."""
        last = self.ran(options, workload, **more)
        self.assertEqual(last.get("kind"), "launch", f"{last}\n{self.output}")
        if last["samples"]:
            last["columns"] = dict(zip(last["samples"][0]["columns"], last["samples"][0]["values"]))
        return last

    def shown(self, options):
        """Returns the output of `stepbench data show --json` for the first two batches."""
        request = {"kind": "data", "samples": 8, "batches": 2, "json": True}
        text = json.dumps(case_message(options, "loader", {})) + "\n" + json.dumps(request) + "\n"
        status, said = self.warm.start(["data"], self.folder, given=text).wait()
        self.assertEqual(status, 0, said)
        return json.loads(said.splitlines()[-1])

    def refused(self, options, *words, workload="loader", kind="failed", **more):
        """Returns its message, which has these words and is one line."""
        last = self.ran(options, workload, **more)
        self.assertEqual(last.get("kind"), kind, f"{last}\n{self.output}")
        message = last["message" if kind == "failed" else "reason"]
        for word in words:
            self.assertIn(word, message)
        self.assertNotIn("\n", message)
        return message


def given(options):
    """Converts Python names to options: loader__shuffle is loader.shuffle."""
    return {name.replace("__", "."): value for name, value in options.items()}


def messages_of(text):
    messages, other = [], []
    for line in text.splitlines():
        try:
            messages.append(json.loads(line))
        except ValueError:
            other.append(line)
    messages = [each for each in messages if isinstance(each, dict)]
    last = messages[-1] if messages else {}
    last["samples"] = [each for each in messages if each.get("kind") == "samples"]
    return last, "\n".join(other)


def run(folder, options, workload="loader", environment=None, limit_s=600, worker=WORKER, **more):
    """The same with stepbench-worker started like stepbench does, as a separate process."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as case:
        json.dump(case_message(options, workload, more), case)
        case.flush()
        done = subprocess.run([worker, "--case", case.name], cwd=folder, env=os.environ | (environment or {}),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit_s, check=False)
    return messages_of(done.stdout.decode(errors="replace"))
