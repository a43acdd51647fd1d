# SPDX-License-Identifier: Apache-2.0
"""Our op table equals that of torch.autograd.profiler_util over the same events.

usage: key_averages.py RANDOM_LOGS [SEEDS]
RANDOM_LOGS SEED prints a random log and our table of it as JSON.
"""
import json
import subprocess
import sys

try:
    from torch.autograd import DeviceType
    from torch.autograd.profiler_util import EventList, FunctionEvent, MemRecordsAcc, _filter_name, _rewrite_name
except ImportError as missing:
    print(f"torch is not installed: {missing}")
    sys.exit(77)


class Event(FunctionEvent):
    """Keeps its own kernels when an only child of its name is merged into it; torch loses them there."""

    @property
    def kernels(self):
        return self._kernels

    @kernels.setter
    def kernels(self, added):
        self._kernels = getattr(self, "_kernels", []) + added


class Record:
    def __init__(self, event):
        self.at, self.bytes, self.device = event

    def start_ns(self):
        return self.at


def charge(event, records, start, end):
    for record in records.in_interval(start, end):
        if record[0].device < 0:
            event.cpu_memory_usage += record[0].bytes
        else:
            event.device_memory_usage += record[0].bytes
        record[1] = True


def torch_table(log):
    """Like _parse_kineto_results, but in nanoseconds, so that sums stay exact."""
    claims = [[Record(event), False] for event in log["memory"]]
    records = MemRecordsAcc(claims)
    events, by_op = [], {}
    for i, op in enumerate(log["ops"]):
        if _filter_name(op["name"]):
            continue
        event = Event(id=i + 1, name=_rewrite_name(op["name"], with_wildcard=True), thread=op["thread"],
                              start_us=op["start"], end_us=op["end"], input_shapes=op["shapes"], use_device="cuda",
                              is_async=op["thread"] != op["end_thread"], is_user_annotation=op["annotation"], flops=0, stack=[])
        charge(event, records, op["start"], op["end"])
        by_op[i] = event
        events.append(event)
    for activity in log["activities"]:
        kernel = activity["kind"] == "kernel"
        op = log["ops"][activity["op"]]
        event = Event(id=0, name=activity["name"], thread=op["thread"], start_us=activity["start"],
                              end_us=activity["end"], input_shapes="", use_device="cuda",
                              is_user_annotation=False, flops=0, stack=[],
                              device_type=DeviceType.CUDA if kernel else DeviceType.CPU)
        if not kernel:
            charge(event, records, activity["start"], activity["end"])
        elif activity["op"] in by_op and not by_op[activity["op"]].is_async:
            by_op[activity["op"]].append_kernel(event.name, 0, activity["end"] - activity["start"])
        events.append(event)
    for record, claimed in claims:
        if not claimed:
            event = Event(id=0, name="[memory]", thread=0, start_us=record.at, end_us=record.at,
                                  input_shapes="", use_device="cuda", is_user_annotation=False, flops=0, stack=[])
            event.cpu_memory_usage = record.bytes
            events.append(event)
    events.sort(key=lambda event: [event.time_range.start, -event.time_range.end])
    tree = EventList(events, use_device="cuda", profile_memory=True)
    tree._build_tree()
    rows = {}
    for row in tree.key_averages(group_by_input_shapes=True):
        key = (row.key, str(row.input_shapes), "device" if row.device_type == DeviceType.CUDA
               else "annotation" if row.is_user_annotation else "host")
        rows[key] = [row.count, row.self_cpu_time_total, row.cpu_time_total, row.self_device_time_total,
                     row.device_time_total, row.self_cpu_memory_usage, row.cpu_memory_usage]
    return rows


def our_table(log):
    rows = {}
    for row in log["table"]:
        kind = row["kind"] if row["kind"] in ("device", "annotation") else "host"
        key = (row["name"], row["shapes"], kind)
        sums = rows.setdefault(key, [0] * 7)
        for i, value in enumerate(row["values"]):
            sums[i] += value
    return rows


def main():
    wrong = 0
    for seed in range(int(sys.argv[2]) if len(sys.argv) > 2 else 12):
        log = json.loads(subprocess.check_output([sys.argv[1], str(seed)]))
        ours, theirs = our_table(log), torch_table(log)
        for key in sorted(ours.keys() | theirs.keys()):
            if ours.get(key) != theirs.get(key):
                print(f"seed {seed}, {key}: {ours.get(key)}, torch.profiler has {theirs.get(key)}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
