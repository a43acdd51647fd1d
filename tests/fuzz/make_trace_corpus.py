#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of fuzz_trace into a folder: one small file per feature of the reader."""
import gzip
import json
import pathlib
import sqlite3
import sys


def row(category, name, pid=1, tid=2, ts=10, dur=5, **args):
    made = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur}
    return made | ({"args": args} if args else {})


def trace(*rows, **header):
    return json.dumps({"schemaVersion": 1, **header, "traceEvents": list(rows)})


DEVICE = {"id": 0, "name": "GPU", "totalGlobalMem": 1 << 34, "computeMajor": 8, "numSms": 108}
KERNEL = {"device": 0, "context": 1, "stream": 7, "correlation": 31, "External id": 2, "grid": [216, 1, 1],
          "block": [256, 1, 1], "registers per thread": 32, "shared memory": 0, "blocks per SM": 2.0,
          "warps per SM": 16.0, "est. achieved occupancy %": 100, "Collective name": "allreduce", "dtype": "Float",
          "In msg nelems": 8, "Group size": 2}
MEMORY = {"Device Type": 1, "Device Id": 0, "Bytes": 64, "Addr": 4096, "Total Allocated": 64, "Total Reserved": 128}
NEW = trace(
    row("user_annotation", "ProfilerStep#7", ts=1.5, dur=98.25),
    row("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
    row("cpu_op", "aten::mm", **{"External id": 2, "Sequence number": 5, "Fwd thread id": 3,
                                  "Input Dims": [[8, 32], []], "Input type": ["float"], "Concrete Inputs": ["1"]}),
    row("cuda_runtime", "cudaLaunchKernel", cbid=211, correlation=31),
    row("cuda_driver", "cuLaunchKernelEx", correlation=32),
    row("kernel", "gemm", 0, 7, **KERNEL),
    row("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 7, device=0, stream=7, correlation=33, bytes=4096),
    row("gpu_memset", "Memset (Device)", 0, 7, bytes=1),
    row("gpu_user_annotation", "ProfilerStep#7", 0, 7),
    row("cuda_sync", "Stream Wait Event", 0, 1000007, wait_on_stream=7, wait_on_cuda_event_id=1),
    row("python_function", "a.py(3): f"), row("overhead", "Buffer Flush", -1, 0),
    row("Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler"), row("loader_worker", "decode", 50, 50),
    {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": 11, "args": MEMORY},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "main"}},
    {"ph": "s", "id": 31, "pid": 1, "tid": 2, "ts": 10, "cat": "ac2g", "name": "ac2g"},
    {"ph": "C", "name": "queue", "ts": 1, "args": {"depth": 3}},
    deviceProperties=[DEVICE], distributedInfo={"backend": "nccl", "rank": 1, "world_size": 8}, with_stack=1,
    baseTimeNanoseconds=1700000000000000000, INFO=["hello"], stepbench={"engine": "native", "dropped": 1})
OLD = trace(
    row("Operator", "aten::empty", 25738, "25738", 1623142623460111, 25, Device=25738),
    row("Kernel", "cask_cudnn", 0, "stream 7", 1623142623531625, 2, stream=7, **{"external id": 4}),
    row("Runtime", "cudaMemcpyAsync", 25738, "25738", 1623142623529088, 2022, correlation=34417))
SEEDS = {
    "new": NEW, "old": OLD, "bare": json.dumps([row("cpu_op", "a")]),
    "spaced": json.dumps(json.loads(NEW), indent=2),
    "numbers": trace(*(row("cpu_op", "a", ts=ts, dur=dur) for ts, dur in
                       [("1700000000123456.789", 68.0), (5e3, -1), (float("nan"), 1), (1e400, 1e400), (None, None)])),
    "words": '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a\nb\\q","ts":N/A,"dur":-Infinity,"x":None}]}',
    "escapes": '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"\\u00e9\\ud83d\\ude00\\ud800","ts":1}]}',
    "execution": json.dumps({"schema": "1", "pid": 1, "nodes": [{"id": 1}]}),
    "timeline": "[[1, 2], [[0, 5]]]", "deep": "{\"a\":" + "[" * 200, "cut": NEW[: len(NEW) // 2],
}


NSIGHT = """
PRAGMA page_size = 512;
CREATE TABLE StringIds (id INT, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'step 7');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, correlationId INT,
  globalPid INT, demangledName INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 50, 0, 7, 31, 16777216, 1, 216, 1, 1, 256, 1, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, correlationId INT, bytes INT, copyKind INT, srcKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5, 9, 32, 4096, 1, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20, 25, 16777217, 31, 2);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, globalTid INT, text TEXT, textId INT);
INSERT INTO NVTX_EVENTS VALUES (0, 90, 59, 16777217, NULL, 3), (1, 4, 59, 16777217, 'data_wait', NULL);
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, smCount INT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 108);
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (folder / name).write_text(text)
    packed = gzip.compress(NEW.encode(), mtime=0)
    (folder / "packed").write_bytes(packed)
    (folder / "members").write_bytes(b"".join(
        gzip.compress(part.encode(), mtime=0) for part in (NEW[:100], NEW[100:])))
    (folder / "nsight").unlink(missing_ok=True)
    database = sqlite3.connect(folder / "nsight")
    database.executescript(NSIGHT)
    database.close()
    (folder / "packed_cut").write_bytes(packed[: len(packed) // 2])


if __name__ == "__main__":
    main()
