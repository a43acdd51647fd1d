# SPDX-License-Identifier: Apache-2.0
"""Measures the training loop of an existing script. Two lines of the script change:

    from stepbench_worker import measure, phase

    for images, labels in measure(loader):
        with phase("forward"):
            ...

`stepbench run --python train.py` then measures it in fresh processes; `python train.py` alone measures once and writes
its own result file. Needs only the standard library; uses torch's CUDA events if the script runs on CUDA. See
README.md in the parent folder.
"""
from .api import Steps, measure, report
from .measured import Measured
from .phases import phase

__all__ = ["Measured", "Steps", "measure", "phase", "report"]
