# SPDX-License-Identifier: Apache-2.0
"""Torch-free code must not see torch, neither in its includes nor on its include path: torch_free_test.py BINARY_DIR"""
import json
import os
import pathlib
import sys
import unittest

from source_tree import ROOT, all_includes

BINARY = pathlib.Path(sys.argv.pop(1))

# The worker program's main() only names the content of workloads/step.
TORCH_FREE = ("harness/", "tools/gbench/", "tools/stepbench/", "workloads/built_in", "workloads/data/",
              "workloads/loader/", "workloads/model/model_kinds", "workloads/model/model_section",
              "workloads/step/optimizer_section", "workloads/step/python_step_section", "workloads/transfer/placements",
              "workloads/transfer/transfer_section")
TORCH = ("torch/", "ATen/", "c10/", "caffe2/", "cuda", "cupti", "nccl")
TORCH_HEADERS = ("torch/torch.h", "ATen/ATen.h", "c10/core/Device.h", "cuda_runtime_api.h", "cupti.h")

# Contains no code.
HOLDS_DECLARATIONS_AGAINST_NVIDIAS = "harness/cuda/internal/nvidia_headers.cpp"


def may_see_cuda(file):
    """CUPTI and NVTX define the layout of its records and ranges; two files include their headers."""
    return file.startswith("harness/cuda/") and file.endswith(".cpp")


def is_torch_free_unit(unit):
    """Whether a unity source, which replaces all files of a room, is torch-free."""
    return (unit.startswith(("harness/CMakeFiles/", "tools/stepbench/")) or "/stepbench_loading.dir/" in unit
            or "/stepbench_workload_catalogue.dir/" in unit)


def include_path(command):
    """Of -I DIR, -IDIR, -isystem DIR."""
    words = command.split()
    after = [folder for flag, folder in zip(words, words[1:]) if flag in ("-I", "-isystem")]
    return after + [word[2:] for word in words if word.startswith("-I") and word != "-I"]


class TorchFree(unittest.TestCase):
    def test_harness_includes_no_torch_or_cuda(self):
        for file, include in all_includes():
            place = f"{file}:{include.line} includes {include.target}"
            self.assertFalse(include.target.startswith("nlohmann/"), f"{place}: only tests may")
            is_heavy = include.target.startswith(("yaml-cpp/", "CLI/", "fmt/format", "simdjson"))
            self.assertFalse(file.endswith(".h") and is_heavy, place)
            if not file.startswith(TORCH_FREE) or file == HOLDS_DECLARATIONS_AGAINST_NVIDIAS:
                continue
            if not (may_see_cuda(file) and include.target == "cupti.h"):
                self.assertFalse(include.angled and include.target.startswith(TORCH), place)

    def test_harness_has_no_torch_include_path(self):
        checked, known = 0, {}
        for entry in json.loads((BINARY / "compile_commands.json").read_text()):
            file, unit = os.path.relpath(entry["file"], ROOT), os.path.relpath(entry["file"], BINARY)
            if may_see_cuda(file) or not (file.startswith(TORCH_FREE) or is_torch_free_unit(unit)):
                continue
            checked += 1
            for folder in include_path(entry["command"]):
                if folder not in known:
                    known[folder] = any(pathlib.Path(folder, header).exists() for header in TORCH_HEADERS)
                self.assertFalse(known[folder], f"{file} is compiled with {folder}")
        self.assertGreater(checked, 20)


if __name__ == "__main__":
    unittest.main()
