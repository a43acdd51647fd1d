# SPDX-License-Identifier: Apache-2.0
"""Random traces of a training loop in torch.profiler's format, on which readers must agree.

Times are whole microseconds and no two edges of device work coincide: one reader rounds, and orders ties arbitrarily.
Rows nest, as in the profiler. Kernels have the External id of the op that launched them.
"""
import json
import random

MODERN = {"op": "cpu_op", "annotation": "user_annotation", "runtime": "cuda_runtime", "kernel": "kernel",
          "memcpy": "gpu_memcpy", "memset": "gpu_memset"}
OLD = {"op": "Operator", "annotation": "Operator", "runtime": "Runtime", "kernel": "Kernel", "memcpy": "Memcpy",
       "memset": "Memset"}
KERNELS = ["elementwise_kernel", "volta_sgemm_128x64", "ampere_h1688gemm_256x64", "reduce_kernel"]
NCCL = "ncclKernel_AllReduce_RING_LL_Sum_float"
COPIES = ["Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)"]
PID, MAIN, BACKWARD = 4711, 4711, 4712


class Composer:
    def __init__(self, seed, device, names):
        self.random = random.Random(seed)
        self.device, self.names = device, names
        self.events, self.correlation, self.op_id = [], 100, 0
        self.taken = set()
        self.free_us = {7: 0, 13: 0, 20: 0}

    def row(self, kind, name, start, end, tid, **args):
        self.events.append({"ph": "X", "cat": self.names[kind], "name": name, "pid": PID, "tid": tid, "ts": start,
                            "dur": end - start, "args": args})

    def unused(self, at):
        """Returns an unused odd moment: calls begin at even ones."""
        at |= 1
        while at in self.taken:
            at += 2
        self.taken.add(at)
        return at

    def work(self, call_us, op_id, correlation, communication):
        r = self.random
        what = "nccl" if communication else r.choice(["kernel", "kernel", "kernel", "memcpy", "memset"])
        stream = {"nccl": 13, "memcpy": 20}.get(what, 7)
        start = self.unused(max(self.free_us[stream], call_us + r.choice([3, 8, 40, 180])) + r.randint(1, 9))
        end = self.unused(start + r.randint(2, 160))
        self.free_us[stream] = end
        args = {"External id": op_id, "device": 0, "context": 1, "stream": stream, "correlation": correlation}
        if what in ("memcpy", "memset"):
            rate = r.randint(1, 30)
            args.update({"bytes": rate * 1000 * (end - start), "memory bandwidth (GB/s)": float(rate)})
            name = "Memset (Device)" if what == "memset" else r.choice(COPIES)
        else:
            args.update({"blocks per SM": r.randint(0, 12) / 4, "warps per SM": 4.0, "grid": [4, 1, 1],
                         "block": [128, 1, 1], "registers per thread": 32, "shared memory": 0,
                         "est. achieved occupancy %": r.randint(0, 100)})
            name = NCCL if what == "nccl" else r.choice(KERNELS)
        kind = "kernel" if what in ("nccl", "kernel") else what
        self.events.append({"ph": "X", "cat": self.names[kind], "name": name, "pid": 0, "tid": stream, "ts": start,
                            "dur": end - start, "args": args})
        return "cudaMemcpyAsync" if what == "memcpy" else "cudaMemsetAsync" if what == "memset" else "cudaLaunchKernel"

    def call(self, start, end, tid, op_id, communication):
        self.correlation += 1
        name = "cudaDeviceSynchronize"
        if self.random.random() < 0.9 or communication:
            name = self.work(start, op_id, self.correlation, communication)
        args = {"External id": op_id, "cbid": 1, "correlation": self.correlation}
        self.row("runtime", name, start, end, tid, **args)

    def ops(self, start, end, tid, depth):
        r = self.random
        now = start + r.randint(0, 20)
        while now + 12 < end:
            until = min(end, now + r.randint(10, 220))
            kind = r.random()
            if kind < 0.15:
                pass
            elif kind < 0.7 or depth == 0:
                self.op_id += 1
                communication = self.device and r.random() < 0.08
                name = "nccl:all_reduce" if communication else r.choice(
                    ["aten::mm", "aten::add", "aten::to", "aten::to", "aten::conv2d", "aten::relu"])
                op_id = self.op_id
                self.row("op", name, now, until, tid, **{"External id": op_id})
                if self.device and (communication or r.random() < 0.6) and now + 6 < until:
                    start = now + 1 + (now + 1) % 2
                    self.call(start, start + 4, tid, op_id, communication)
                if depth < 3:
                    self.ops(now + 6, until, tid, depth + 1)
            now = until + r.randint(0, 30)

    def trace(self):
        r = self.random
        now = 1_000_000
        first = r.randint(0, 9)
        for step in range(r.randint(3, 6)):
            start, end = now, now + r.randint(1500, 4000)
            self.op_id += 1
            self.row("annotation", f"ProfilerStep#{first + step}", start, end, MAIN, **{"External id": self.op_id})
            wait = start + r.randint(0, 600)
            self.op_id += 1
            self.row("op", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, wait, MAIN,
                     **{"External id": self.op_id})
            self.ops(wait, end, MAIN, 0)
            self.ops(start + r.randint(0, 900), end, BACKWARD, 0)
            now = end + r.randint(0, 40)
        r.shuffle(self.events)
        # One reader treats the row with index 0 as missing.
        self.events.insert(0, {"ph": "M", "name": "process_name", "pid": PID, "tid": 0, "ts": 0,
                               "args": {"name": "python"}})
        properties = [{"id": 0, "name": "Composed GPU", "totalGlobalMem": 1 << 34, "computeMajor": 7,
                       "computeMinor": 0, "numSms": 80}] if self.device else []
        return {"schemaVersion": 1, "deviceProperties": properties,
                "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1}, "traceEvents": self.events}


def compose(path, seed, device, names):
    with open(path, "w") as file:
        json.dump(Composer(seed, device, names).trace(), file)
    return path
