# SPDX-License-Identifier: Apache-2.0
"""Result files made from the rows of the committed sample, without measuring."""
import datetime
import hashlib
import json
import random

BEGIN = datetime.datetime(2026, 2, 1, 2, 0, tzinfo=datetime.timezone.utc)


def utc(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Run:
    """A run of generated launches. `sample`: the folder of the committed one."""

    def __init__(self, sample, name="made", begin=BEGIN, **run):
        with next(sample.glob("*.jsonl")).open() as file:
            first = {row["kind"]: row for row in map(json.loads, reversed(file.readlines()))}
        self.launch, self.worker = first["launch"], first["worker"]
        self.begin = begin
        self.head = dict(first["run"], run_id=begin.strftime("%Y%m%d-%H%M%S-") + name, name=name,
                         started_utc=utc(begin), swept=[], **run)
        self.rows = [first["columns"], self.worker]
        self.counts = {"measured": 0, "skipped": 0, "failed": 0}
        self.random = random.Random(name)

    def build(self, number):
        """Sets a program and a commit of its own."""
        build, commit = (hashlib.sha1(f"{what} {number}".encode()).hexdigest() for what in ("build", "commit"))
        self.worker = dict(self.worker, build_id=build)
        self.rows[1] = self.worker
        self.head["context"] = dict(self.head["context"], **{"git.sha": commit, "worker_build_id": build})

    def sweep(self, *options):
        self.head["swept"] = list(options)

    def add(self, options, step_ns=None, launches=6, steps=50, flags=None, noise=0.01, **row):
        """Adds a case: launches of about step_ns per step, or without measurements: outcome="failed", reason=…"""
        case_id = hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16]
        outcome = row.get("outcome", "measured")
        for launch in range(launches):
            key = {"case_id": case_id, "arm": "", "pass": "timing", "launch": launch, "rank": 0}
            if outcome == "measured":
                level = step_ns * self.random.gauss(1, noise)
                times = [max(1, int(level * self.random.gauss(1, noise))) for _ in range(steps)]
                wait = [time // 5 for time in times]
                columns = {"index": list(range(steps)), "step_ns": times, "data_wait_ns": wait,
                           "forward_ns": [time // 2 for time in times],
                           "other_ns": [time - time // 5 - time // 2 for time in times],
                           "samples": [16] * steps, "flags": [(flags or {}).get(i, 0) for i in range(steps)]}
                self.rows.append({"kind": "samples", **key, "cycle": 0, "steps": steps, "columns": list(columns),
                                  "values": list(columns.values())})
            started = self.begin + datetime.timedelta(seconds=10 * len(self.rows))
            self.rows.append({**self.launch, **key, "options": {**self.launch["options"], **options}, "flags": [],
                              "notes": [], "findings": [], "effective": {}, "point_id": case_id,
                              "started_utc": utc(started), **row})
            self.counts[outcome] += 1
        return case_id

    def write(self, file):
        end = {"kind": "end", **self.counts, "reason": "complete", "ended_utc": utc(self.begin)}
        self.head["cases"] = len({row["case_id"] for row in self.rows if row["kind"] == "launch"})
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as out:
            for row in (self.head, *self.rows, end):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
        return file


def nights(sample, folder, count, **options):
    """Writes a file per night; the level rises by 4 % after two thirds."""
    files = []
    for night in range(count):
        run = Run(sample, "train", BEGIN + datetime.timedelta(days=night))
        run.build(night)
        run.sweep("loader.num_workers")
        for workers in (0, 2):
            level = (60e6 if workers == 0 else 50e6) * (1.04 if night > count * 2 // 3 else 1)
            run.add({"loader.num_workers": workers}, level, launches=3, steps=5, noise=0.002, **options)
        files.append(run.write(folder / f"night{night:03}.jsonl"))
    return files
