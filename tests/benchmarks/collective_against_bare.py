#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bandwidth of `workload: collective` over that of a bare loop of torch.distributed, two ranks over Gloo on this
machine: collective_against_bare.py STEPBENCH WORKER [SECONDS [OP [BYTES]]]. Both groups live at once and take turns: the
one whose turn it is not is stopped (SIGSTOP), so that what else the machine does meets both alike. Of small buffers
Python's call is a part of the bare step."""
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import campaigns

NEAR = 0.02
TURN_S, TURN_STEPS = 0.05, 25  # at least this many
WARMUP = 50
MOST_STEPS = 200_000
# For both groups. Gloo allocates memory in each all_gather and reduce_scatter; otherwise the kernel clears its pages or
# not depending on earlier frees: all_gather of 16 MiB then differed by 1.45.
MALLOC = {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "1099511627776"}
FACTOR = {"all_reduce": 1.0, "all_gather": 0.5, "reduce_scatter": 0.5, "broadcast": 1.0, "all_to_all": 0.5}  # of 2 ranks


def bare(op, size, steps):
    """One rank: prints the nanoseconds of each step."""
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    # Written once, because unwritten zero pages share one page that stays in the cache.
    whole, part, other = (torch.zeros(elements).fill_(0) for elements in (size // 4, size // 8, size // 4))
    call = {"all_reduce": lambda: dist.all_reduce(whole),
            "broadcast": lambda: dist.broadcast(whole, 0),
            "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
            "all_to_all": lambda: dist.all_to_all_single(other, whole)}[op]
    for _ in range(WARMUP):
        call()
    found = []
    before = time.perf_counter_ns()
    for _ in range(steps):
        call()
        now = time.perf_counter_ns()
        found.append(now - before)
        before = now
    dist.destroy_process_group()
    print(json.dumps(found))


def start_bare(op, size, steps):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ranks = []
    for rank in range(2):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1",
                       "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", **MALLOC}
        ranks.append(subprocess.Popen([sys.executable, __file__, "--bare", op, str(size), str(steps)], env=environment,
                                      stdout=subprocess.PIPE, text=True))
    return ranks


def start_ours(stepbench, worker, folder, op, size, steps):
    config = pathlib.Path(folder, "collective.yaml")
    config.write_text(
        f"workload: collective\ndevice: cpu\nthreads: {{intra_op: 1}}\ndistributed: {{ranks: 2}}\nlaunches: 1\n"
        f"collective: {{op: {op}, bytes: {size}}}\nschedule: {{wait: 0, warmup: {WARMUP}, active: {steps}}}\n")
    return subprocess.Popen([stepbench, "run", config, "--worker", worker, "--results", folder, "--no-lock"],
                            env={**os.environ, **MALLOC}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def below(pid):
    found = []
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child), *below(int(child))]
    return found


def workers_of(pid):
    return [each for each in below(pid) if "--control-fd" in pathlib.Path(f"/proc/{each}/cmdline").read_text()]


def take_turns(one, other, turn_s, ended):
    """Alternates both until `ended`, then lets both run."""
    while not ended():
        for runs, waits in ((one, other), (other, one)):
            for pid in waits:
                os.kill(pid, signal.SIGSTOP)
            for pid in runs:
                os.kill(pid, signal.SIGCONT)
            time.sleep(turn_s)
            if ended():
                break
    for pid in (*one, *other):
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


def turns_of(steps, turn_s):
    """Splits the steps into turns; a step in which the group was stopped ends a turn and is dropped."""
    turns = [[]]
    for step in steps:
        if step > 0.8 * turn_s * 1e9:
            turns.append([])
        else:
            turns[-1].append(step)
    return [turn for turn in turns[1:-1] if len(turn) >= 5]


def main():
    stepbench, worker = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 60
    op = sys.argv[4] if len(sys.argv) > 4 else "all_reduce"
    size = int(sys.argv[5]) if len(sys.argv) > 5 else 16 << 20
    # The measured step time sets the number of steps.
    probe = [json.loads(rank.communicate()[0]) for rank in start_bare(op, size, 100)][0]
    step_s = statistics.mean(probe) * 1e-9
    steps, turn_s = min(int(seconds / 2 / step_s), MOST_STEPS), max(TURN_S, TURN_STEPS * step_s)
    with tempfile.TemporaryDirectory() as folder:
        run = start_ours(stepbench, worker, folder, op, size, steps)
        ranks = start_bare(op, size, steps)
        while len(ours := workers_of(run.pid)) < 2:
            time.sleep(0.05)
        theirs = [rank.pid for rank in ranks]
        take_turns(ours, theirs, turn_s, lambda: run.poll() is not None or len(workers_of(run.pid)) < 2
                   or any(rank.poll() is not None for rank in ranks))
        bare_steps = [json.loads(rank.communicate()[0]) for rank in ranks][0]
        assert run.wait() == 0
        rows = [json.loads(line) for file in pathlib.Path(folder).glob("*/*.jsonl") for line in file.open()]
    our_steps, = [row["values"][row["columns"].index("step_ns")] for row in rows
                  if row["kind"] == "samples" and row["rank"] == 0]
    launch, = [row for row in rows if row["kind"] == "launch" and row["rank"] == 0]
    pairs = list(zip(turns_of(our_steps, turn_s), turns_of(bare_steps, turn_s)))
    middle = [statistics.median(theirs) / statistics.median(ours) for ours, theirs in pairs]
    mean = [statistics.mean(theirs) / statistics.mean(ours) for ours, theirs in pairs]
    bus = size * FACTOR[op] / statistics.median([statistics.median(theirs) for _, theirs in pairs])
    low, high = campaigns.median_interval(middle)
    mean_low, mean_high = campaigns.median_interval(mean)
    # The reported bandwidth must match the launch's own steps, including those in which it was stopped.
    said = launch["metrics"]["bus_bytes_per_s"] / (size * FACTOR[op] * 1e9 / statistics.mean(our_steps))
    print(f"{op} of {size:,} bytes, bare {bus:.3f} GB/s on the bus; bandwidth over bare {statistics.median(middle):.4f} "
          f"[{low:.4f}, {high:.4f}], {len(pairs)} pairs of turns; by means {statistics.median(mean):.4f} "
          f"[{mean_low:.4f}, {mean_high:.4f}]; said over its own steps {said:.4f}")
    if low > 1 + NEAR or high < 1 - NEAR:
        sys.exit(f"the ratio's interval lies beyond 1 +- {NEAR}")
    if abs(said - 1) > NEAR:
        sys.exit("what is said is not what was measured")


if __name__ == "__main__":
    bare(sys.argv[2], *map(int, sys.argv[3:5])) if sys.argv[1] == "--bare" else main()
