# SPDX-License-Identifier: Apache-2.0
"""Profiles two steps of each case with torch.profiler after four warm-up steps, and prints a line per operation and
shapes: "CASE name[[8, 32], []]: 2 calls, 0 B". op_rows.py FOLDER CASE..., where a CASE is "key=value key=value ...".

A scripted model is saved as FOLDER/NUMBER.pt, NUMBER being the case's. Excludes annotations, which Python's
optimizers and TorchScript's methods add, and frees outside all operations, which depend on earlier allocations."""
import pathlib
import sys
from unittest import mock

import torch

import python_models
import python_step

LEFT_OUT = ("forward", "<forward op>", "<backward op>", "[memory]")


def make(case, file):
    kind, size, classes = case["model.kind"], case.get("model.size", "tiny"), 10
    batch, image_size = int(case["loader.batch_size"]), int(case.get("data.image_size", 32))
    if python_models.is_token_model(kind):
        positions = int(case["data.sequence_length"])
        tokens = torch.randint(classes, (batch, positions))
        return python_models.token_model(kind, size, classes, positions), tokens, tokens
    model = python_models.image_model(case.get("scripted", kind), size, image_size, classes)
    if "scripted" in case:
        torch.jit.script(model).save(file)
        model = torch.jit.load(file)
    return model, torch.rand(batch, 3, image_size, image_size), torch.randint(classes, (batch,))


def rows(case, file):
    torch.manual_seed(0)
    model, batch, target = make(case, file)
    step = python_step.make_step(model, case)
    for _ in range(4):
        step(batch, target)
    one = torch.tensor(1.0)  # Adam's foreach creates it in each step, by operations that only Python needs
    with mock.patch.object(torch, "tensor", lambda *_, **__: one), torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True,
                                profile_memory=True) as profiler:
        for _ in range(2):
            step(batch, target)
    for row in profiler.key_averages(group_by_input_shape=True):
        if row.key not in LEFT_OUT and not row.is_user_annotation:
            yield f"{row.key}{row.input_shapes}: {row.count} calls, {row.cpu_memory_usage} B"


def main():
    torch.set_num_threads(1)
    for number, text in enumerate(sys.argv[2:]):
        case = dict(word.split("=", 1) for word in text.split())
        for row in rows(case, pathlib.Path(sys.argv[1]) / f"{number}.pt"):
            print(number, row)


if __name__ == "__main__":
    main()
