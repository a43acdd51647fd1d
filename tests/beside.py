# SPDX-License-Identifier: Apache-2.0
"""A stepbench that finds another worker beside itself than its build has."""
import atexit
import os
import pathlib
import shutil
import tempfile


def beside(program, worker):
    """The program in a new folder, where `worker` is the worker that it takes unless --worker names one."""
    program = pathlib.Path(program).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(dir=program.parent, prefix="beside-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.link(program, folder / "stepbench")
    (folder / "stepbench-worker").symlink_to(pathlib.Path(worker).resolve())
    for name in ("stepbench_worker", "plotly.min.js"):
        if (program.parent / name).exists():
            (folder / name).symlink_to(program.parent / name)
    return folder / "stepbench"
