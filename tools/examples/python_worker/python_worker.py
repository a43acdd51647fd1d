#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stepbench worker in Python: times a real training step of a small network on the CPU. It speaks the protocol of
PROTOCOL.md and nothing else; `describe` prints its options. With a Python that has torch first in PATH:
    stepbench run FILE --worker python_worker.py"""
import hashlib, json, os, platform, socket, sys
from time import monotonic_ns

OPTIONS = (("batch_size", 64, "Samples of a step."), ("width", 128, "Size of the hidden layer."))
CATALOGUE = {
    "stepbench_catalogue": 1,
    "sections": [{"name": "python_mlp", "doc": "A network of two linear layers on random data.", "options": [
        {"name": name, "type": "integer", "default": default, "min": 1, "identity_default": default, "doc": doc}
        for name, default, doc in OPTIONS]}],
    "workloads": [{"name": "python_mlp", "doc": "Trains a small network with SGD.", "sections": ["python_mlp"]}],
}
PHASES = ("zero_grad", "forward", "loss", "backward", "optimizer")
COLUMNS = ["index", "step_ns", *(phase + "_ns" for phase in PHASES), "other_ns", "samples", "flags"]


def make_step(option):
    import torch

    torch.manual_seed(option["seed"])
    if isinstance(option.get("threads.intra_op"), int):
        torch.set_num_threads(option["threads.intra_op"])
    batch, width = option["python_mlp.batch_size"], option["python_mlp.width"]
    inputs, labels = torch.randn(batch, 32), torch.randint(10, (batch,))
    model = torch.nn.Sequential(torch.nn.Linear(32, width), torch.nn.ReLU(), torch.nn.Linear(width, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():  # returns its marks (the start, then the end of each phase) and its loss
        marks = [monotonic_ns()]

        def end_of(phase):
            return marks.append(monotonic_ns()) or phase
        end_of(optimizer.zero_grad())
        outputs = end_of(model(inputs))
        loss = end_of(torch.nn.functional.cross_entropy(outputs, labels))
        end_of(loss.backward())
        end_of(optimizer.step())
        return marks, loss

    return step


def measure(option, say):
    say("stage", stage="set_up")
    if option["schedule.active"] == "auto" or option["device"] not in ("auto", "cpu"):
        return say("skipped", reason="measures on the CPU only, and a fixed number of schedule.active steps")
    began = monotonic_ns()
    step = make_step(option)
    metrics = {"set_up_ns": monotonic_ns() - began}
    warmup, active, cycles = (option["schedule." + name] for name in ("warmup", "active", "repeat"))
    lead = option["schedule.wait"] + warmup
    windows = []
    for cycle in range(cycles):
        say("stage", stage="warmup")
        for _ in range(lead):
            step()
        say("stage", stage="active")
        marks, losses = zip(*[step() for _ in range(active)])
        ends = [mark[0] for mark in marks[1:]] + [monotonic_ns()]
        periods = [end - mark[0] for mark, end in zip(marks, ends)]
        phases = [[mark[i + 1] - mark[i] for mark in marks] for i in range(len(PHASES))]
        rest = [end - mark[-1] for mark, end in zip(marks, ends)]
        first = cycle * (lead + active) + lead
        samples, flags = [option["python_mlp.batch_size"]] * active, [0] * active
        windows.append([list(range(first, first + active)), periods, *phases, rest, samples, flags])
        say("cycle", cycle=cycle, steps=active, mean_step_ns=sum(periods) // active)
    for cycle, values in enumerate(windows):
        say("samples", cycle=cycle, steps=active, columns=COLUMNS, values=values)
    schedule = {"stop_reason": "count", "cycles": cycles, "active": cycles * active, "warmup": warmup}
    say("launch", schedule=schedule, metrics=metrics, fingerprint={"loss": losses[-1].item()})


def main(argument):
    if argument == "describe":
        return print(json.dumps(CATALOGUE))
    if argument == "check":  # a line of facts, then a line per case
        return print('{"answer": "ok"}\n' * (len(sys.stdin.readlines()) - 1), end="")
    control = socket.socket(fileno=int(argument.removeprefix("--control-fd=")))
    build = hashlib.sha256(open(__file__, "rb").read()).hexdigest()[:16]
    said = {}

    def say(kind, **fields):
        said.update(fields)
        control.sendall(json.dumps({"kind": kind, **fields}).encode() + b"\n")

    say("hello", protocol=[1, 3], build_id=build, pid=os.getpid(), software={"python": platform.python_version()})
    try:
        measure(json.loads(control.makefile().readline())["options"], say)
    except Exception as error:
        say("failed", message=f"{type(error).__name__}: {error}", stage=said.get("stage", "set_up"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__))
