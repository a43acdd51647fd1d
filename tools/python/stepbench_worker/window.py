# SPDX-License-Identifier: Apache-2.0
"""The steps of one window, as columns of whole numbers."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

EPOCH, PARTIAL, FIRST_BATCH = 1, 2, 8  # flags of a step


class Step(NamedTuple):
    """One measured step. Times in nanoseconds; `spent`: the phases in the loop's order."""

    number: int
    step_ns: int
    data_wait_ns: int
    spent: list[int]
    samples: int
    tokens: int
    flags: int
    bytes: int = 0


def columns_of(steps: list[Step], names: Sequence[str], device: dict[str, list[int]]) -> dict[str, list[int]]:
    """Returns steps with the phases `names` as the columns of `samples` in PROTOCOL.md. The phases and `other_ns` of a
    step add up exactly to its `step_ns`; phases and counts that never occurred are omitted."""
    columns = {"index": [step.number for step in steps], "step_ns": [step.step_ns for step in steps],
               "data_wait_ns": [step.data_wait_ns for step in steps]}
    for slot, name in enumerate(names):
        values = [step.spent[slot] if slot < len(step.spent) else 0 for step in steps]
        if any(values):
            columns[name + "_ns"] = values
    columns["other_ns"] = [step.step_ns - step.data_wait_ns - sum(step.spent) for step in steps]
    for name in ("samples", "tokens", "bytes"):
        values = [getattr(step, name) for step in steps]
        if any(values):
            columns[name] = values
    if any(step.flags & EPOCH for step in steps):
        columns["epoch_wait_ns"] = [step.data_wait_ns if step.flags & EPOCH else 0 for step in steps]
    columns.update(device)
    columns["flags"] = [step.flags for step in steps]
    return columns
