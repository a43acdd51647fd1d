# SPDX-License-Identifier: Apache-2.0
"""A stepbench that finds another worker next to it than that of its build."""
import atexit
import os
import pathlib
import shutil
import tempfile


def beside(program, worker):
    """Links the program into a new folder with `worker` as its default worker; returns its path."""
    program = pathlib.Path(program).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(dir=program.parent, prefix="beside-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.link(program, folder / "stepbench")
    (folder / "stepbench-worker").symlink_to(pathlib.Path(worker).resolve())
    for name in ("stepbench_worker", "plotly.min.js"):
        if (program.parent / name).exists():
            (folder / name).symlink_to(program.parent / name)
    return folder / "stepbench"
