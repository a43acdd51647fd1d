# SPDX-License-Identifier: Apache-2.0
"""torch-tb-profiler and HolisticTraceAnalysis must find the same as our analysis, within 1 us.

usage: analysis_judges.py tensorboard|holistic|recorded PRINT_ANALYSIS

The judges' own mistakes, which we do not share and which the traces therefore avoid or reverse:
  torch-tb-profiler 0.4.3
    - recognises the calls and annotations of current files only by their old categories: it gets the old ones, Runtime
      and Operator;
    - counts kernels without an occupancy as zero;
    - excludes last steps with fewer launches than the others, also from its device numbers: these are not compared.
  HolisticTraceAnalysis 0.5.0
    - rounds starts up and ends down to microseconds, so that short kernels have a negative length;
    - takes every row with a stream for device work, including waits;
    - recognises launches by four names, and none of the driver's in its launch statistics;
    - treats work as not launched if its call is the first row of the file.
"""
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings

from composed_traces import MODERN, OLD, compose

SEEDS = range(12)


def ours(program, paths):
    output = subprocess.run([program, *paths], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


class Comparison:
    def __init__(self):
        self.compared, self.wrong = 0, []

    def close(self, where, theirs, mine, tolerance=1.0):
        self.compared += 1
        if mine is None or abs(theirs - mine) > tolerance:
            self.wrong.append(f"{where}: {theirs} to the judge, {mine} to us")

    def equal(self, where, theirs, mine):
        self.compared += 1
        if theirs != mine:
            self.wrong.append(f"{where}: {theirs} to the judge, {mine} to us")

    def result(self):
        for line in self.wrong[:40]:
            print(line)
        print(f"{self.compared} numbers compared, {len(self.wrong)} differ")
        return 1 if self.wrong or self.compared == 0 else 0


def plugin_profile(path, folder):
    from torch_tb_profiler.profiler.data import RunProfileData
    with open(path) as file:
        trace = json.load(file)
    old_names = {"cuda_runtime": "Runtime", "user_annotation": "Operator"}
    for event in trace["traceEvents"]:
        event["cat"] = old_names.get(event.get("cat"), event.get("cat"))
    given = os.path.join(folder, "given.json")
    with open(given, "w") as file:
        json.dump(trace, file)
    return RunProfileData.parse("worker0", None, given, folder)


def compare_with_plugin(name, data, mine, against):
    mine = mine["tensorboard"]
    whole = data.steps_names == mine["steps"]
    against.equal(f"{name}: steps", data.steps_names, mine["steps"][:len(data.steps_names)])
    gpu = data.gpu_metrics_parser
    for each in mine["gpus"] if whole else []:
        device = each["device"]
        against.close(f"{name}: SM efficiency", gpu.avg_approximated_sm_efficiency_per_device[device],
                      each["sm_efficiency"], 1e-9)
        against.close(f"{name}: occupancy", gpu.avg_occupancy_per_device[device], each["occupancy"], 1e-9)
    if data.tc_eligible_ops_kernel_ratio:
        against.close(f"{name}: eligible", data.tc_eligible_ops_kernel_ratio, mine["eligible"], 1e-9)
    operators = {op.name: [op.calls, op.host_duration, op.self_host_duration, op.device_duration,
                           op.self_device_duration, op.tc_total_duration, op.tc_self_duration]
                 for op in data.op_list_groupby_name}
    against.equal(f"{name}: operators", sorted(operators), sorted(mine.get("operators", {})))
    for op, values in operators.items():
        for column, (theirs, value) in enumerate(zip(values, mine.get("operators", {}).get(op, [None] * 7))):
            against.close(f"{name}: {op}, column {column}", theirs, value)
    if data.kernel_stat is not None:
        for kernel, row in data.kernel_stat.iterrows():
            found = mine["kernels"][kernel]
            for theirs, value in zip([row["count"], row["sum"], row["max"], row["min"]], found):
                against.close(f"{name}: {kernel}", theirs, value, 1e-6)
            against.equal(f"{name}: {kernel} on tensor cores", bool(row["tc_used"]), found[4])
            against.close(f"{name}: {kernel} blocks", row["blocks_per_sm"], found[5], 1e-6)
            against.close(f"{name}: {kernel} occupancy", row["occupancy"], found[6], 1e-6)


def judge_tensorboard(program, folder):
    traces = {f"{kind}-{age}-{seed}": compose(os.path.join(folder, f"{kind}-{age}-{seed}.json"), seed, kind == "device",
                                              names)
              for seed in SEEDS for kind in ("host", "device") for age, names in (("new", MODERN), ("old", OLD))}
    against = Comparison()
    for (name, path), mine in zip(traces.items(), ours(program, list(traces.values()))):
        compare_with_plugin(name, plugin_profile(path, folder), mine, against)
    return against.result()


def judge_holistic(program, folder):
    from hta.trace_analysis import TraceAnalysis
    paths = [compose(os.path.join(folder, f"device-{seed}.json"), seed, True, MODERN) for seed in SEEDS]
    against = Comparison()
    for seed, path, mine in zip(SEEDS, paths, ours(program, paths)):
        mine = mine["holistic"]
        analysis = TraceAnalysis(trace_files={0: path}, trace_dir=folder)
        launches = analysis.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)[0]
        found = mine["launches"]
        against.equal(f"{seed}: launches", len(launches), found["rows"])
        for key, value in (("delay_mean", launches["launch_delay"].mean()),
                           ("delay_median", launches["launch_delay"].median()),
                           ("delay_max", launches["launch_delay"].max()),
                           ("long_delays", (launches["launch_delay"] > 100).sum()),
                           ("long_calls", (launches["cpu_duration"] > 50).sum()),
                           ("short_kernels", ((launches["gpu_duration"] < launches["cpu_duration"])
                                              & (launches["cpu_duration"] <= 50)).sum())):
            against.close(f"{seed}: {key}", value, found[key], 1e-6)
        for (_, stream), row in analysis.get_queue_length_summary(ranks=[0]).iterrows():
            for theirs, value in zip((row["queue_length"]["count"], row["queue_length"]["mean"],
                                      row["queue_length"]["max"]), mine["queues"][str(int(stream))]):
                against.close(f"{seed}: queue of stream {stream}", theirs, value, 1e-6)
    return against.result()


def record(path):
    """Records a small training loop on the CPU with the current torch.profiler."""
    import torch
    from torch.profiler import ProfilerActivity, profile, schedule
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    data = torch.utils.data.TensorDataset(torch.randn(512, 64), torch.randint(0, 8, (512,)))
    loader = torch.utils.data.DataLoader(data, batch_size=32)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                 schedule=schedule(wait=1, warmup=1, active=5, repeat=1),
                 on_trace_ready=lambda result: result.export_chrome_trace(path)) as profiler:
        for inputs, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(inputs), labels).backward()
            optimizer.step()
            profiler.step()


def judge_recorded(program, folder):
    path = os.path.join(folder, "recorded.json")
    record(path)
    against = Comparison()
    compare_with_plugin("recorded", plugin_profile(path, folder), ours(program, [path])[0], against)
    return against.result()


def main():
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    judge = {"tensorboard": judge_tensorboard, "holistic": judge_holistic, "recorded": judge_recorded}[sys.argv[1]]
    try:
        if sys.argv[1] != "holistic":
            import torch_tb_profiler  # noqa: F401
        if sys.argv[1] == "recorded":
            import torch  # noqa: F401
        if sys.argv[1] == "holistic":
            import hta  # noqa: F401
    except ImportError as missing:
        print(f"not installed: {missing}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return judge(sys.argv[2], folder)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # the plug-in's helper threads would keep the interpreter from exiting
