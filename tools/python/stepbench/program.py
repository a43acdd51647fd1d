# SPDX-License-Identifier: Apache-2.0
"""Runs the program in this package's folder, or the one on PATH."""
from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import warnings
from typing import Any


def path_of_program() -> str:
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stepbench")
    found = beside if os.path.isfile(beside) else shutil.which("stepbench")
    if found is None:
        raise FileNotFoundError(f"there is no program stepbench, neither {beside} nor on PATH")
    return found


NOTHING_MEASURED = 4
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def run(*words: str, **more: Any) -> subprocess.CompletedProcess[Any]:
    """Runs the program with `words` and waits for its end. It ends with this process, however that ends."""
    return subprocess.run([path_of_program(), *words], capture_output=True, check=False,
                          preexec_fn=lambda: _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM), **more)


def output_of(*words: str) -> bytes:
    """As quiet_output_of(), but passes the program's warnings on as Python warnings."""
    said, output = _run(words)
    if said:
        warnings.warn(said.removeprefix("warning: "), stacklevel=4)  # the caller of load()
    return output


def quiet_output_of(*words: str) -> bytes:
    """Returns the program's output. Raises ValueError with its message if it fails."""
    return _run(words)[1]


def _run(words: tuple[str, ...]) -> tuple[str, bytes]:
    done = run(*words)
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode not in (0, NOTHING_MEASURED):
        said = said.removeprefix("stepbench: error: ")
        raise ValueError(said or f"stepbench {words[0]} ended with status {done.returncode}")
    return said, done.stdout
