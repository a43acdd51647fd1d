# SPDX-License-Identifier: Apache-2.0
"""The program `stepbench`, as pip installs it, and its results as DataFrames:

    run = stepbench.load("results/20260131-020000-train")
    run.steps.groupby("case_id")["step_ns"].median()
"""
import os
import sys

from .frames import History, Run, Verdict, load

__all__ = ["History", "Run", "Verdict", "load"]


def main():
    """Becomes the program. This Python is the one for the user's files, unless another is named."""
    from .program import path_of_program
    os.environ.setdefault("STEPBENCH_PYTHON", sys.executable)
    os.execv(path_of_program(), ["stepbench", *sys.argv[1:]])
