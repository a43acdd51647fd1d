# SPDX-License-Identifier: Apache-2.0
"""torch-tb-profiler finds our step count and, per role, our sums of time.

usage: tensorboard_plugin.py EXPECTED_JSON
"""
import json
import os
import sys
import tempfile

try:
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.overall_parser import ProfileRole
except ImportError as missing:
    print(f"torch-tb-profiler is not installed: {missing}")
    sys.exit(77)


def judge(name, expected, cache):
    data = RunProfileData.parse("worker0", None, expected["path"], cache)
    data.process()
    found = {"steps": len(data.steps_names)}
    roles = {"data_loader_us": ProfileRole.DataLoader, "cpu_exec_us": ProfileRole.CpuOp,
             "kernel_us": ProfileRole.Kernel, "memcpy_us": ProfileRole.Memcpy}
    for key, role in roles.items():
        if key in expected:
            found[key] = sum(step.costs[role] for step in data.steps_costs)
    wrong = {key: (value, expected[key]) for key, value in found.items() if abs(value - expected[key]) > 0.5}
    for key, (value, wanted) in wrong.items():
        print(f"{name}: {key} is {value} to the plug-in, {wanted} to us")
    print(f"{name}: {found}")
    return not wrong


def main():
    with open(sys.argv[1]) as file:
        expected = json.load(file)
    with tempfile.TemporaryDirectory() as cache:
        right = [judge(name, each, cache) for name, each in expected.items()]
    return 0 if all(right) else 1


if __name__ == "__main__":
    os._exit(main())  # its helper threads would keep the interpreter from exiting
