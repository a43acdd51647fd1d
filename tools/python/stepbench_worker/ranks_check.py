# SPDX-License-Identifier: Apache-2.0
"""The check that `stepbench doctor --ranks` runs on each rank: the launcher's settings, a barrier and an all-reduce."""
from __future__ import annotations

import collections
import os
import platform
import statistics
from time import monotonic_ns
from typing import Any

from . import facts
from .control import Control

BARRIERS = 20
REDUCTIONS = 5
ELEMENTS = 1 << 18  # a MiB of float32


def ranges_of(numbers: list[int]) -> str:
    """Formats numbers as "0-3,8"."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def given() -> dict[str, Any]:
    """Returns what the launcher set."""
    names = {"rank": "RANK", "local_rank": "LOCAL_RANK", "local_world": "LOCAL_WORLD_SIZE", "address": "MASTER_ADDR",
             "port": "MASTER_PORT", "omp_threads": "OMP_NUM_THREADS", "visible_devices": "CUDA_VISIBLE_DEVICES"}
    told: dict[str, Any] = {field: os.environ.get(name, "") for field, name in names.items()}
    return {**told, "host": os.environ.get("SLURMD_NODENAME") or platform.node(),
            "cpus": ranges_of(list(os.sched_getaffinity(0)))}


def devices_of(host: str, seen: list[tuple[str, list[str]]]) -> tuple[int, bool]:
    """Returns the number of devices of `host`, and whether all ranks of all hosts have one each. `seen`: host and devices
    of each rank; a launcher may show a rank only its own."""
    ranks = collections.Counter(each for each, _ in seen)
    devices = {each: {device for other, own in seen for device in own if other == each} for each in ranks}
    return len(devices[host]), all(own for _, own in seen) and all(len(devices[each]) >= ranks[each] for each in ranks)


def communicate(told: dict[str, Any], metrics: dict[str, float]) -> str:
    """Tries communication and returns the error; empty: success, or no torch, as recorded in `told`."""
    try:
        import torch
        import torch.distributed as dist
    except ImportError as error:
        told["missing"] = f"no torch in {platform.python_implementation()} {platform.python_version()}: {error}"
        return ""
    told["torch_threads"] = torch.get_num_threads()
    dist.init_process_group("gloo")
    own = [str(getattr(torch.cuda.get_device_properties(i), "uuid", i)) for i in range(torch.cuda.device_count())]
    seen: list[tuple[str, list[str]]] = [("", [])] * dist.get_world_size()
    dist.all_gather_object(seen, (told["host"], own))
    told["devices"], on_device = devices_of(told["host"], seen)
    told["backend"] = "nccl" if on_device else "gloo"
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % len(own)) if on_device else torch.device("cpu")
    group = None
    if on_device:
        torch.cuda.set_device(device)
        group = dist.new_group(backend="nccl")
    times = []
    for _ in range(BARRIERS):
        began = monotonic_ns()
        dist.barrier(group)
        times.append(monotonic_ns() - began)
    metrics["barrier_ns"] = statistics.median(times)
    times = []
    world = dist.get_world_size()
    for _ in range(REDUCTIONS):
        sums = torch.full((ELEMENTS,), float(dist.get_rank()), device=device)
        dist.barrier(group)
        began = monotonic_ns()
        dist.all_reduce(sums, group=group)
        if on_device:
            torch.cuda.synchronize()
        times.append(monotonic_ns() - began)
        if not bool((sums == world * (world - 1) / 2).all()):
            return f"the sum over {world} ranks is {float(sums[0])}, expected {world * (world - 1) / 2}"
    metrics["all_reduce_ns"] = statistics.median(times)
    return ""


def steps_of(metrics: dict[str, float]) -> list[int]:
    """A launch must have steps: barrier and all-reduce serve as such."""
    return [round(each) for each in metrics.values()] or [0]


def check(control: Control) -> int:
    control.send("hello", protocol=[1, 3], build_id=facts.build_id(), catalogue_digest="", pid=os.getpid(),
                 software=facts.software())
    control.read_case()
    control.send("stage", stage="set_up")
    told = given()
    metrics: dict[str, float] = {}
    try:
        why = communicate(told, metrics)
    except Exception as error:  # whatever torch raises is reported to the user
        lines = [line for line in str(error).splitlines() if line.strip()]
        why = f"{type(error).__name__}: {lines[0] if lines else ''}"
    if why:
        control.send("failed", message=why, stage="set_up")
        return 1
    times = steps_of(metrics)
    control.send_samples(0, {"index": list(range(len(times))), "step_ns": times, "other_ns": times})
    control.send("launch", effective=told, metrics=metrics)
    control.wait_for_end()
    return 0
