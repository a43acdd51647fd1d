# SPDX-License-Identifier: Apache-2.0
"""Runs stepbench-worker on a case with parts in Python; what the tests of such parts share."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap

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
    """A Python file of a user's; its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(source))
    return path


def without_module(test_class, worker):
    """The worker as a build without Python.h has it: the same program beside the Python files alone."""
    beside = tempfile.TemporaryDirectory(dir=worker.parent, prefix="no-module-")
    test_class.addClassCleanup(beside.cleanup)
    alone = pathlib.Path(beside.name) / worker.name
    os.link(worker, alone)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(worker.parent / "python", alone.parent / "python", ignore=ignored)
    (alone.parent / "stepbench_worker").symlink_to(worker.parent / "stepbench_worker")
    return alone


def start(worker, folder, options, workload="loader", environment=None, **more):
    """The worker's process on SMALL with these options on top; its lines come on stdout. `more`: fields of the case."""
    case = os.path.join(folder, "case.json")
    message = {
        "kind": "case",
        "protocol": [1, 3],
        "case_id": "0000000000000001",
        "workload": workload,
        "options": SMALL | options,
        "shared_memory_prefix": f"/stepbench-{os.getpid()}-",
    } | more
    with open(case, "w", encoding="utf-8") as file:
        json.dump(message, file)
    return subprocess.Popen(
        [worker, "--case", case],
        cwd=folder,
        env=os.environ | (environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def run(worker, folder, options, workload="loader", environment=None, limit_s=600, **more):
    """The worker's last message, and all lines that are none."""
    process = start(worker, folder, options, workload, environment, **more)
    out, _ = process.communicate(timeout=limit_s)
    messages = []
    other = []
    for line in out.decode(errors="replace").splitlines():
        try:
            messages.append(json.loads(line))
        except ValueError:
            other.append(line)
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    last["samples"] = [each for each in messages if isinstance(each, dict) and each.get("kind") == "samples"]
    return last, "\n".join(other)
