# SPDX-License-Identifier: Apache-2.0
"""Measures the training loop of a script as it is. Two lines of the script change:

    from stepbench_worker import measure, phase

    for images, labels in measure(loader):
        with phase("forward"):
            ...

`stepbench run --python train.py` then measures it in fresh processes; `python train.py` alone measures once and writes
a result file of its own. Needs nothing but the standard library; uses torch's CUDA events where the script runs on
CUDA. README.md beside this folder has the rest.
"""
from .api import Steps, measure, report
from .measured import Measured
from .phases import phase

__all__ = ["Measured", "Steps", "measure", "phase", "report"]
