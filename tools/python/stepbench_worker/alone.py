# SPDX-License-Identifier: Apache-2.0
"""A script that is run without `stepbench run`: its numbers go into a result file of its own, as SCHEMA.md says, and
into a summary on standard output."""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shlex
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from . import facts, ranks
from .loop import Loop, Session
from .measured import why_nothing
from .schedule import Schedule
from .summary import summary

SCHEMA_VERSION = "1.8.0"


class Alone(Session):
    goes_on = True

    def __init__(self) -> None:
        super().__init__()
        main = getattr(sys.modules.get("__main__"), "__file__", None)  # none in a notebook
        self._script = Path(sys.argv[0]).resolve() if main and sys.argv and os.path.isfile(sys.argv[0]) else None
        self._began = time.time()
        self._began_ns = time.monotonic_ns()
        self._said = ""

    @property
    def over(self) -> bool:
        return False

    def open(self, schedule: Schedule, name: str, results: str | None) -> Loop:
        """Each is a loop of its own."""
        self._began, self._began_ns, self._said = time.time(), time.monotonic_ns(), ""
        self.results = results
        self.loop = Loop(schedule, self)
        self.loop.name = name
        self.loop.title = "-".join(filter(None, (self._script.stem if self._script else "python", name)))
        return self.loop

    def left(self, loop: Loop) -> None:
        if not ranks.speaks():  # each process of torchrun does the same
            return
        if not loop.done and loop.cycles:
            loop.truncated = True
            loop.stopped = "count"
            loop.done = True
            self.finished(loop)
        if loop.done:
            print(self._said, flush=True)
        elif loop.steps > 0 or loop.why:
            print(f"stepbench_worker: {f'{loop.name}: ' if loop.name else ''}{why_nothing(loop)}", file=sys.stderr)

    def finished(self, loop: Loop) -> None:
        """The file is written now, whatever becomes of the rest of the loop; the table comes after it."""
        if not ranks.speaks():
            return
        run_id = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._began)) + "-" + _file_name(loop.title)
        report = facts.launch_report(loop, facts.facts_of_script(self._script))
        said = [summary(loop)]
        if ranks.not_recorded():
            said.append(f"note: {ranks.not_recorded()}")
            report["notes"].append(ranks.not_recorded())
        said += [f"{finding['severity']}: {finding['text']}\n  {finding['remedy']}" for finding in report["findings"]]
        self._said = "\n".join(said)
        if self.results is None:
            return
        try:
            folder = _new_folder(Path(self.results) / run_id)
            file = folder / f"{_file_name(platform.node())}-1of1-{os.getpid()}.jsonl"
            with file.open("x", encoding="utf-8") as out:
                fcntl.lockf(out, fcntl.LOCK_EX)
                for row in self._rows(folder.name, loop, report):
                    _write(out, row)
                os.fsync(out.fileno())
        except OSError as error:
            print(f"stepbench_worker: no result file was written: {error}", file=sys.stderr)
            return
        said.append(f"Results: {file}\nstepbench show {shlex.quote(str(folder))} has the rest; `stepbench run --python` "
                    "measures in fresh processes and gives an interval")
        self._said = "\n".join(said)

    def _rows(self, run_id: str, loop: Loop, report: dict[str, Any]) -> list[dict[str, Any]]:
        schedule = loop.plan.schedule
        options = {"script.path": str(self._script or ""), "script.args": shlex.join(sys.argv[1:] if self._script else []),
                   "device": loop.device.partition(":")[0], "schedule.wait": schedule.wait,
                   "schedule.warmup": schedule.warmup, "schedule.active": schedule.active,
                   "schedule.repeat": schedule.repeat, "schedule.sync": "none"}
        if loop.name:
            options["script.loop"] = loop.name
        identity = [f"{option}={options[option]}" for option in ("script.path", "script.args", "device", "script.loop")
                    if option in options]
        case_id = hashlib.sha256("\n".join(identity).encode(errors="replace")).hexdigest()[:16]
        key = {"case_id": case_id, "arm": "", "pass": "timing", "launch": 0, "rank": 0}
        environment = {**facts.machine(), **facts.software()}
        worker = {"path": str(Path(__file__).parent), "build_id": facts.build_id(), "environment": environment}
        worker_id = hashlib.sha256(json.dumps(worker, sort_keys=True).encode()).hexdigest()[:16]
        began = _utc(self._began)
        return [
            {"kind": "run", "schema": "stepbench.result", "version": SCHEMA_VERSION, "run_id": run_id, "name": loop.title,
             "stepbench_version": "", "started_utc": began, "argv": [sys.executable, *sys.argv],
             "config_path": str(self._script or ""), "config_text": "", "config_hash": "", "plan_digest": case_id,
             "cases": 1, "swept": [], "smoke": False,
             "context": {"host": platform.node(), "shard": "1of1", "worker_build_id": worker["build_id"]}},
            {"kind": "columns", "columns": _columns(loop, report)},
            {"kind": "worker", "worker_id": worker_id, **worker},
            {"kind": "start", **key, "attempt": 0, "started_utc": began, "options": {}},
            *({"kind": "samples", **key, "cycle": number, "steps": len(columns["index"]), "columns": list(columns),
               "values": list(columns.values())} for number, columns in enumerate(loop.cycles)),
            {"kind": "launch", **key, "point_id": case_id, "workload": "python_script", "worker_id": worker_id, "world": 1,
             "block": 0, "position": 0, "attempt": 0, "smoke": False, "outcome": "measured", "reason": "",
             "options": options, **report, "machine": {}, "started_utc": began,
             "wall_ns": time.monotonic_ns() - self._began_ns},
            {"kind": "end", "measured": 1, "skipped": 0, "failed": 0, "reason": "complete", "ended_utc": _utc(time.time())},
        ]


def _columns(loop: Loop, report: dict[str, Any]) -> list[dict[str, Any]]:
    names = dict.fromkeys(name for cycle in loop.cycles for name in cycle)

    def column(name: str, times: bool) -> dict[str, Any]:
        role = "metric" if times else "context"
        row: dict[str, Any] = {"name": name, "unit": _unit(name), "role": role, "direction": "lower" if times else "neither", "doc": "",
               "source": "cuda_events" if "_device_" in name else "host_clock" if name.endswith("_ns") else "counted"}
        if times and name not in ("step_ns", "epoch_wait_ns", "period_device_ns"):
            row["phase"] = True
        return row

    times = [name for name in names if name.endswith("_ns")]
    return [column(name, name in times) for name in names] + [column(name, False) for name in report["metrics"]]


def _unit(name: str) -> str:
    for end, unit in (("_ns", "ns"), ("_bytes", "bytes")):
        if name.endswith(end):
            return unit
    return name if name in ("samples", "tokens") else ""


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _file_name(text: str) -> str:
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._") else "-" for letter in text)


def _new_folder(wanted: Path) -> Path:
    wanted.parent.mkdir(parents=True, exist_ok=True)
    most = 1000
    for number in range(1, most):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
    raise FileExistsError(f"{wanted} and {most} more of its name exist")


def _write(out: TextIO, row: dict[str, Any]) -> None:
    out.write(json.dumps(row, ensure_ascii=False) + "\n")
