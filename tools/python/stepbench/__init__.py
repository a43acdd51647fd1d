# SPDX-License-Identifier: Apache-2.0
"""The program `stepbench`, as pip installs it, and its results as DataFrames:

    run = stepbench.load("results/20260131-020000-train")
    run.steps.groupby("case_id")["step_ns"].median()

CONFIGS and EXAMPLES are the folders that the documents call configs/ and tools/examples/.
"""
import os
import sys
from pathlib import Path
from typing import NoReturn

from .frames import History, Run, Verdict, load

__all__ = ["CONFIGS", "EXAMPLES", "History", "Run", "Verdict", "load"]

CONFIGS = Path(__file__).parent / "configs"
EXAMPLES = Path(__file__).parent / "examples"


def main() -> NoReturn:
    """Replaces this process by the program. User files run in this Python unless another is named, and CONFIGS find the
    examples that they refer to."""
    from .program import path_of_program
    os.environ.setdefault("STEPBENCH_PYTHON", sys.executable)
    os.environ.setdefault("STEPBENCH_EXAMPLES", str(EXAMPLES))
    try:
        program = path_of_program()
        os.execv(program, ["stepbench", *sys.argv[1:]])
    except OSError as error:
        print(f"stepbench: error: {error}: this installation is not complete: pip install --force-reinstall --no-deps "
              "stepbench", file=sys.stderr)
        sys.exit(2)
