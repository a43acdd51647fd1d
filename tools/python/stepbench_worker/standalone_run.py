# SPDX-License-Identifier: Apache-2.0
"""Measures a script that runs without `stepbench run`: writes its own result file, as specified in SCHEMA.md, and a
summary to standard output."""
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

from . import facts, ranks, spawned_ranks
from .loop import Loop, Session
from .masked import masked
from .measured import nothing_measured_reason
from .schedule import Schedule
from .standalone_ranks import StandaloneRanks
from .summary import parts_of, summary

SCHEMA_VERSION = "1.9.0"


class StandaloneRun(Session):
    continues_after_schedule = True

    def __init__(self) -> None:
        super().__init__()
        main = getattr(sys.modules.get("__main__"), "__file__", None)  # absent in a notebook
        self._script = Path(sys.argv[0]).resolve() if main and sys.argv and os.path.isfile(sys.argv[0]) else None
        self._began = time.time()
        self._began_ns = time.monotonic_ns()
        self._said = ""
        self._opened = 0
        self._group: StandaloneRanks | None = None  # of this loop; None: a single process

    @property
    def over(self) -> bool:
        return False

    def open(self, schedule: Schedule, name: str, results: str | None) -> Loop:
        """Every call opens a new loop."""
        spawned_ranks.refuse()  # not before: the script's ranks must meet first, or the others wait for this one
        self._began, self._began_ns, self._said = time.time(), time.monotonic_ns(), ""
        self.results = results
        self._opened += 1
        self._group = StandaloneRanks(self._opened) if ranks.place()[1] > 1 else None
        if why := ranks.forgotten():
            print(f"stepbench_worker: {why}", file=sys.stderr)
        if self._group is not None:
            self._group.begin()
        self.loop = Loop(schedule, self)
        self.loop.name = name
        self.loop.title = "-".join(filter(None, (self._script.stem if self._script else "python", name)))
        return self.loop

    def window(self, begins: bool) -> None:
        if begins and self._group is not None:
            self._group.begin()

    def left(self, loop: Loop) -> None:
        if not loop.done and loop.cycles:
            loop.truncated = True
            loop.stopped = "count"
            loop.done = True
            self.finished(loop)
        if not ranks.speaks():  # all processes of torchrun get here; only rank 0 prints
            if self._group is not None and not loop.done:
                self._group.tell({"why": nothing_measured_reason(loop)})
        elif loop.done:
            print(self._said, flush=True)
        elif loop.steps > 0 or loop.why:
            print(f"stepbench_worker: {f'{loop.name}: ' if loop.name else ''}{nothing_measured_reason(loop)}", file=sys.stderr)

    def finished(self, loop: Loop) -> None:
        """Writes the file immediately, whatever happens in the rest of the loop; the table is printed later."""
        report = facts.launch_report(loop, facts.facts_of_script(self._script))
        mine = {"rank": 0, "host": platform.node(), "cycles": loop.cycles, "report": report}
        if self._group is not None and not ranks.speaks():
            if not self._group.tell({**mine, "rank": self._group.rank}) and (why := ranks.unheard()):
                print(f"stepbench_worker: {why}", file=sys.stderr)
            return
        run_id = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._began)) + "-" + _file_name(loop.title)
        said = [summary(loop)]
        everyone = [mine]
        if self._group is not None:
            others, why = self._group.hear()
            if why:
                said.append(f"note: {ranks.not_recorded(why)}")
                report["notes"].append(ranks.not_recorded(why))
            else:
                everyone += others
                said.append(_together(everyone))
        if loop.samples_unknown:
            said.append(f"note: {loop.samples_unknown}")
        said += [f"{finding['severity']}: {finding['text']}\n  {finding['remedy']}" for finding in report["findings"]]
        self._said = "\n".join(said)
        if self.results is None:
            return
        try:
            folder = _new_folder(Path(self.results) / run_id)
            file = folder / f"{_file_name(platform.node())}-1of1-{os.getpid()}.jsonl"
            with file.open("x", encoding="utf-8") as out:
                fcntl.lockf(out, fcntl.LOCK_EX)
                for row in self._rows(folder.name, loop, everyone):
                    _write(out, row)
                os.fsync(out.fileno())
        except OSError as error:
            print(f"stepbench_worker: no result file was written: {error}", file=sys.stderr)
            return
        shown = "stepbench show " + ("--ranks " if len(everyone) > 1 else "") + shlex.quote(str(folder))
        again = f"stepbench run --ranks {len(everyone)} --python" if len(everyone) > 1 else "stepbench run --python"
        said.append(f"Results: {file}\n{shown} has the rest; `{again}` measures in fresh processes and gives an interval")
        self._said = "\n".join(said)

    def _rows(self, run_id: str, loop: Loop, everyone: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """`everyone`: rank, host, cycles and report of each rank, rank 0 first."""
        schedule = loop.plan.schedule
        options = {"script.path": str(self._script or ""), "script.args": shlex.join(sys.argv[1:] if self._script else []),
                   "device": loop.device.partition(":")[0], "schedule.wait": schedule.wait,
                   "schedule.warmup": schedule.warmup, "schedule.active": schedule.active,
                   "schedule.repeat": schedule.repeat, "schedule.sync": "none"}
        if loop.name:
            options["script.loop"] = loop.name
        if len(everyone) > 1:
            options["distributed.ranks"] = len(everyone)
            everyone[0]["report"]["schedule"].update(_group_facts(everyone))
        identity = [f"{option}={options[option]}" for option in
                    ("script.path", "script.args", "device", "script.loop", "distributed.ranks") if option in options]
        case_id = hashlib.sha256("\n".join(identity).encode(errors="replace")).hexdigest()[:16]
        options["script.args"] = shlex.join(masked(sys.argv[1:] if self._script else []))
        key = {"case_id": case_id, "arm": "", "pass": "timing", "launch": 0}
        environment = {**facts.machine(), **facts.software()}
        worker = {"path": str(Path(__file__).parent), "build_id": facts.build_id(), "environment": environment}
        worker_id = hashlib.sha256(json.dumps(worker, sort_keys=True).encode()).hexdigest()[:16]
        began = _utc(self._began)
        return [
            {"kind": "run", "schema": "stepbench.result", "version": SCHEMA_VERSION, "run_id": run_id, "name": loop.title,
             "stepbench_version": "", "started_utc": began, "argv": masked([sys.executable, *sys.argv]),
             "config_path": str(self._script or ""), "config_text": "", "config_hash": "", "plan_digest": case_id,
             "cases": 1, "swept": [], "smoke": False,
             "context": {"host": platform.node(), "shard": "1of1", "worker_build_id": worker["build_id"]}},
            {"kind": "columns", "columns": _columns([cycle for one in everyone for cycle in one["cycles"]],
                                                    everyone[0]["report"])},
            {"kind": "worker", "worker_id": worker_id, **worker},
            {"kind": "start", **key, "rank": 0, "attempt": 0, "started_utc": began, "options": {}},
            *({"kind": "samples", **key, "rank": one["rank"], "cycle": number, "steps": len(columns["index"]),
               "columns": list(columns), "values": list(columns.values())}
              for one in everyone for number, columns in enumerate(one["cycles"])),
            *({"kind": "launch", **key, "rank": one["rank"], "point_id": case_id, "workload": "python_script",
               "worker_id": worker_id, "world": len(everyone), "block": 0, "position": 0, "attempt": 0, "smoke": False,
               "outcome": "measured", "reason": "", "options": options, **one["report"],
               "machine": {"rank.host": one["host"]} if len(everyone) > 1 else {}, "started_utc": began,
               "wall_ns": time.monotonic_ns() - self._began_ns}
              for one in (*everyone[1:], everyone[0])),  # rank 0's line marks the group as complete
            {"kind": "end", "measured": 1, "skipped": 0, "failed": 0, "reason": "complete", "ended_utc": _utc(time.time())},
        ]


def _step_ns(one: dict[str, Any]) -> float:
    return parts_of(one["cycles"])["step"]


def _group_facts(everyone: list[dict[str, Any]]) -> dict[str, int]:
    """The fields that `stepbench run` puts into rank 0's line: the step of the slowest rank, the work of all."""
    def total(one: dict[str, Any], column: str) -> int:
        return sum(sum(cycle.get(column, ())) for cycle in one["cycles"])

    found = {"group_window_ns": round(max(_step_ns(one) * sum(len(cycle["index"]) for cycle in one["cycles"])
                                          for one in everyone))}
    for work in ("samples", "tokens"):
        if all(work in cycle for one in everyone for cycle in one["cycles"]):
            found["group_" + work] = sum(total(one, work) for one in everyone)
    return found


def _together(everyone: list[dict[str, Any]]) -> str:
    """Returns a line per rank if there are few, else lines for the fastest and the slowest."""
    few = 8
    order = sorted(everyone, key=_step_ns)
    shown = everyone if len(everyone) <= few else [order[0], order[-1]]
    lines = [f"  rank {one['rank']:<5} {_step_ns(one) * 1e-6:10.3f} ms   {one['host']}" for one in shown]
    rate = sum(parts_of(one["cycles"])["samples"] for one in everyone) / (_step_ns(order[-1]) * 1e-9 or 1)
    of_all = f"   {rate:,.1f} samples/s of all" if rate else ""
    return "\n".join([f"{len(everyone)} ranks: the slowest has the step of the group{of_all}", *lines])


def _columns(cycles: list[dict[str, list[int]]], report: dict[str, Any]) -> list[dict[str, Any]]:
    names = dict.fromkeys(name for cycle in cycles for name in cycle)

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
