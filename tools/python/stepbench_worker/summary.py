# SPDX-License-Identifier: Apache-2.0
"""Times of a loop's step by part: means over all its windows."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .loop import Loop


def parts_of(cycles: list[dict[str, list[int]]]) -> dict[str, float]:
    """Returns `step`, its parts in nanoseconds, and `samples`. By the device's clock if all windows have it, except
    data_wait."""
    steps = sum(len(cycle["index"]) for cycle in cycles)

    def mean(column: str) -> float:
        return sum(sum(cycle.get(column, ())) for cycle in cycles) / steps

    suffix = "_device_ns" if on_device(cycles) else "_ns"
    found = {"step": mean("period_device_ns" if on_device(cycles) else "step_ns"), "data_wait": mean("data_wait_ns")}
    columns = dict.fromkeys(name for cycle in cycles for name in cycle)
    for column in columns:
        part = column.removesuffix(suffix)
        if column.endswith(suffix) and part not in ("step", "data_wait", "other", "period", "epoch_wait") \
                and not part.endswith("_device"):
            found[part] = mean(column)
    return {**found, "other": mean("other" + suffix), "samples": mean("samples")}


def on_device(cycles: list[dict[str, list[int]]]) -> bool:
    return all("period_device_ns" in cycle for cycle in cycles)


def summary(loop: Loop) -> str:
    """Returns a table."""
    parts = parts_of(loop.cycles)
    step_ns, samples = parts.pop("step"), parts.pop("samples")
    device = on_device(loop.cycles)
    steps = sum(len(cycle["index"]) for cycle in loop.cycles)
    rate = f"   {samples / (step_ns * 1e-9):,.1f} samples/s" if samples and step_ns else ""
    width = max(10, *map(len, parts))
    lines = [f"{loop.title or loop.name or 'measure()'}: {steps} steps measured after {loop.plan.schedule.warmup} of warm-up, by "
             f"{'the device' if device else 'the host'}'s clock", f"  {'step':<{width}} {_ms(step_ns)}{rate}"]
    for part, value in parts.items():
        if value > 0 or part == "other":
            aside = "  (the host's clock)" if device and part == "data_wait" else f"  {value / step_ns:6.1%}"
            lines.append(f"  {part:<{width}} {_ms(value)}{aside}")
    return "\n".join(lines)


def _ms(value_ns: float) -> str:
    return f"{value_ns * 1e-6:10.3f} ms"
