# SPDX-License-Identifier: Apache-2.0
"""One Python with torch for many programs: warm_python.py HOST_FOLDER. Imports torch once, and stepbench's module if it
is in that folder. Then each line of standard input is a request in JSON: a child is forked that runs `script` with
`arguments` like `python SCRIPT ARGUMENTS`, in `folder`, with `environment` added, its input from the file `input`,
its output and errors into the file `output`. Prints a line with its `pid`, and one with its `status` when it has
ended.

Instead of `script` a request may have `worker`, the file of a stepbench-worker, to be hosted by Python with
`arguments`: the child is its stepbench_host.py, with its imports already loaded. `host`: another folder of that;
`python`: the version that it was built for; `alone`: it was built without a module for Python.
"""
import ctypes
import gc
import json
import os
import runpy
import signal
import sys

import torch
import torch._dynamo  # noqa: F401, what an optimizer imports with its first step, in two seconds


def answer(**fields):
    print(json.dumps(fields), flush=True)


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def command_of(request):
    if "script" in request:
        return [request["script"], *request.get("arguments", [])]
    folder = os.path.dirname(request["worker"])
    python = request.get("python") or "{}.{}".format(*sys.version_info[:2])
    words = [f"--worker={request['worker']}", "--build-id=warm", f"--python={python}", f"--torch={torch.__version__}",
             f"--package={folder}", *(["--no-module=its build found no Python.h"] if request.get("alone") else [])]
    return [os.path.join(request.get("host") or f"{folder}/python", "stepbench_host.py"), *words, "--", *request["arguments"]]


def become(request):
    """The child's part, before the script."""
    die_with_parent()
    os.setpgid(0, 0)
    os.chdir(request.get("folder") or ".")
    environment = request.get("environment") or {}
    os.environ.update(environment)
    source = os.open(request.get("input") or os.devnull, os.O_RDONLY)
    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    for descriptor, number in ((source, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, number)
    os.closerange(3, 64)
    sys.argv = command_of(request)
    sys.path[:1] = [os.path.dirname(sys.argv[0]), *filter(None, environment.get("PYTHONPATH", "").split(":"))]


def main():
    die_with_parent()
    sys.path.insert(0, sys.argv[1])
    try:
        import stepbench_python  # noqa: F401
    except ImportError:
        pass  # in a build without Python
    sys.path.pop(0)
    gc.freeze()  # otherwise each child scans all of torch for garbage, and copies it
    answer(ready=True)
    while line := os.read(0, 1 << 16):
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become(request)
            return sys.argv[0]
        answer(pid=pid)
        answer(status=os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    return None


if __name__ == "__main__":
    script = main()
    if script is not None:
        runpy.run_path(script, run_name="__main__")
