# SPDX-License-Identifier: Apache-2.0
"""Facts recorded in addition to the times: versions, the script and its imports, what the loop reported."""
from __future__ import annotations

import hashlib
import math
import os
import platform
import resource
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import costly_settings, garbage
from .cpus import crowded_threads
from .garbage import GARBAGE
from .stopping import interval_of_windows

if TYPE_CHECKING:
    from .loop import Loop


def software() -> dict[str, str]:
    """Returns versions, without importing anything."""
    fields = {"python": platform.python_version(), "python.implementation": platform.python_implementation()}
    for name in ("torch", "torchvision", "numpy", "lightning", "transformers"):
        try:
            fields[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return fields


def digest_of_files(files: list[Path], root: Path) -> str:
    """Returns 16 hex digits over the files' names and contents."""
    whole = hashlib.sha256()
    for file in sorted(files):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        whole.update(f"{file.relative_to(root)}\t{content}\n".encode(errors="replace"))
    return whole.hexdigest()[:16]


def build_id() -> str:
    """The digest of this package."""
    here = Path(__file__).parent
    return digest_of_files(list(here.glob("*.py")), here)


def files_of(script: Path) -> list[Path]:
    """Returns the script and the modules imported so far from its folder or below."""
    folder = script.parent
    places = (Path(__file__).parent, Path(sys.prefix), Path(sys.base_prefix))
    foreign = [place.resolve() for place in places if not folder.is_relative_to(place.resolve())]
    files = {script}
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if not isinstance(name, str) or not name.endswith(".py"):
            continue
        file = Path(name).resolve()
        if file.is_relative_to(folder) and file.is_file() and not any(file.is_relative_to(each) for each in foreign):
            files.add(file)
    return list(files)


def digest_of_script(script: Path) -> str:
    """Returns 16 hex digits over the contents of the script and of its imports. A copy under another name has the same
    digest."""
    contents = {file: hashlib.sha256(file.read_bytes()).digest() for file in files_of(script)}
    own = contents.pop(script)
    return hashlib.sha256(b"".join((own, *sorted(contents.values())))).hexdigest()[:16]


def facts_of_script(script: Path | None) -> dict[str, Any]:
    """Returns fields for `effective`."""
    return {} if script is None else {"script.digest": digest_of_script(script)}


def launch_report(loop: Loop, own: dict[str, Any], gc_way: str = "default") -> dict[str, Any]:
    """Returns the fields of the final line `launch` of a loop that finished its schedule. `own`: more fields for
    `effective`."""
    schedule = loop.plan.schedule
    effective: dict[str, Any] = {"device": loop.device}
    torch = sys.modules.get("torch")
    if torch is not None:
        effective["threads.intra_op"] = torch.get_num_threads()
        effective["threads.inter_op"] = torch.get_num_interop_threads()
    effective.update(own)
    if loop.watch is not None:
        effective.update(loop.watch.settings)
    effective["python.version"] = platform.python_version()
    effective["python.executable"] = sys.executable
    notes = []
    automatic = loop.stopping.automatic
    if loop.plan.epochs:
        effective["schedule.window" if automatic else "schedule.active"] = schedule.active
    if loop.recorder is not None:
        effective["profile.ops"] = "kineto"
        if loop.recorder.saved is not None:
            effective["profile.trace"] = f"{loop.recorder.saved.parent.name}/{loop.recorder.saved.name}"
        if loop.recorder.missing:
            notes.append(loop.recorder.missing)
    if loop.plan.inside_an_epoch:
        notes.append("the window lies inside one epoch: what a border costs is not in these numbers; schedule.active: "
                     f"{loop.plan.inside_an_epoch} holds a whole epoch")
    if loop.samples_unknown:
        notes.append(loop.samples_unknown)
    peak_rss_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    metrics: dict[str, float] = {"peak_rss_bytes": peak_rss_bytes, "first_batch_ns": loop.first_batch_ns, **loop.usage}
    if loop.memory.growth is not None:
        metrics["held_growth_bytes"] = loop.memory.growth
    active = sum(len(cycle["index"]) for cycle in loop.cycles)
    for name in GARBAGE:
        metrics[name] = metrics[name] / max(1, active)
    if loop.device != "cpu" and torch is not None:
        metrics.update(loop.peaks or {})
        metrics["reserved_bytes"] = torch.cuda.memory_reserved()
    findings = loop.watch.findings(loop.first_batch_ns) if loop.watch is not None else []
    step_ns = loop.drained_ns / max(1, active)
    findings += garbage.findings(metrics["gc_ns"], metrics["gc_collections"], step_ns, gc_way, steps=active)
    if loop.device == "cpu" and torch is not None:
        findings += crowded_threads(torch.get_num_threads(), len(os.sched_getaffinity(0)))
    findings += loop.cpus.findings() + loop.anomalies.findings() + costly_settings.findings_of_layers(gc_way)
    fingerprint, non_finite = _fingerprint(loop)
    interval = interval_of_windows(loop.window_means) if automatic else None
    within = {"within_launch_low_ns": interval[0], "within_launch_high_ns": interval[1]} if interval else {}
    return {
        "effective": effective,
        "schedule": {
            "stop_reason": loop.stopped, "cycles": len(loop.cycles),
            "active": active, "warmup": schedule.warmup, "steps": loop.steps,
            "window_drained_ns": loop.drained_ns, "epochs": loop.plan.epochs, **within},
        "metrics": metrics, "fingerprint": fingerprint, "non_finite": non_finite,
        "flags": ["truncated"] if loop.truncated else [], "notes": notes,
        "findings": findings if loop.recorder is None else []}


def _fingerprint(loop: Loop) -> tuple[dict[str, float | None], dict[str, str]]:
    fingerprint: dict[str, float | None] = {}
    non_finite = {}
    for name in ("loss", "gradient_norm"):
        value = getattr(loop, name)
        if value is None:
            continue
        number = float(value)
        fingerprint[name] = number if math.isfinite(number) else None
        if not math.isfinite(number):
            non_finite["fingerprint." + name] = "nan" if math.isnan(number) else "inf" if number > 0 else "-inf"
    return fingerprint, non_finite


def machine() -> dict[str, str | int]:
    """Returns facts of the machine, named as by `stepbench run`, as far as /proc has them without privileges."""
    fields: dict[str, str | int] = {"host": platform.node(), "kernel": platform.release()}
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                fields["cpu.model"] = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    fields["cpu.logical"] = os.cpu_count() or 1
    return fields
