# SPDX-License-Identifier: Apache-2.0
"""Training and evaluation steps of stepbench compared with the same steps in Python's own loop, on the CPU with one
thread.

usage: steps_against_python.py --program MODEL_STEPS --library COUNTED_INSTRUCTIONS [--rounds N] [--only REGEX]
                               [--device cuda]

Both set up a model of the same shape, warm up, and then alternate, some steps at a time, so that a busy machine
slows both; the wait for data does not count. The ratio is ours over Python's: the median over the turns with its
interval in brackets. If the interval reaches beyond 1.02, callgrind counts the instructions of both, which do not
depend on other load.
"""
import argparse
import ctypes
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 1.02
IMAGES = "data.image_size=64 loader.batch_size=8"
TOKENS = "data.kind=synthetic_tokens data.sequence_length=64 data.vocabulary=1000 loader.batch_size=4"
SGD = "optimizer.kind=sgd optimizer.momentum=0.9"
MODELS = {
    "resnet18": f"{IMAGES} model.kind=resnet18 model.size=standard {SGD}",
    "gpt": f"{TOKENS} model.kind=gpt model.size=standard model.blocks=2 optimizer.kind=adamw",
    "scripted mobilenet": f"{IMAGES} model.kind=torchscript scripted=mobilenet_v3_small {SGD}",
}
CASES = {f"{name} {what}": text + (" workload=eval_step" if what == "eval" else "")
         for name, text in MODELS.items() for what in ("train", "eval")}


def options_of(text):
    return dict(word.split("=", 1) for word in text.split())


def make_model(case, models):
    if models.is_token_model(case["model.kind"]):
        return models.token_model(case["model.kind"], case["model.size"], int(case["data.vocabulary"]),
                                  int(case["data.sequence_length"]), int(case["model.blocks"]))
    return models.image_model(case.get("scripted", case["model.kind"]), case.get("model.size"),
                              int(case["data.image_size"]), 10)


def save_script(case, file):
    """Runs in a separate process, so that scripting does not affect Python's loop."""
    sys.path.insert(0, str(HERE.parent / "workloads"))
    import python_models
    import torch
    torch.manual_seed(0)
    torch.jit.script(make_model(case, python_models)).save(file)


def serve(case, library):
    """Python's loop: reads a number of steps per line on standard input and prints seconds and page faults."""
    sys.path.insert(0, str(HERE.parent / "workloads"))
    import python_models
    import python_step
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = torch.jit.load(case["model.path"]) if "model.path" in case else make_model(case, python_models)
    device = case.get("device", "cpu")
    model = model.to(device)
    wait = torch.cuda.synchronize if device != "cpu" else lambda: None
    step, batch, kinds = python_step.make_step(model, case), int(case["loader.batch_size"]), 4
    if "data.sequence_length" in case:
        inputs = [torch.randint(int(case["data.vocabulary"]), (batch, int(case["data.sequence_length"])))
                  for _ in range(kinds)]
        targets = inputs
    else:
        side = int(case["data.image_size"])
        inputs = [torch.rand(batch, 3, side, side) for _ in range(kinds)]
        targets = [torch.randint(10, (batch,)) for _ in range(kinds)]
    counter = ctypes.PyDLL(library)
    for i in range(4):
        step(inputs[i % kinds].to(device), targets[i % kinds].to(device))
    wait()
    taken = 0
    for line in sys.stdin:
        faults, seconds = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, 0.0
        counter.stepbench_start_counting()
        for _ in range(int(line)):
            taken += 1
            given, wanted = inputs[taken % kinds], targets[taken % kinds]
            began = time.perf_counter()
            counter.stepbench_toggle_counting()
            step(given.to(device), wanted.to(device))
            counter.stepbench_toggle_counting()
            seconds += time.perf_counter() - began
        began = time.perf_counter()
        wait()
        seconds += time.perf_counter() - began
        counter.stepbench_stop_counting()
        print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults, flush=True)


class Side:
    """A process that takes steps on request."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})

    def seconds_and_faults(self, steps):
        print(steps, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"{' '.join(map(str, self.process.args))}: ended with status {self.process.wait()}")
        return float(answer[0]), int(answer[1])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def instructions(command, steps):
    """Returns the instructions of one step. Compiled code for AVX2 runs alike on both sides; callgrind knows nothing
    newer."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--instr-atstart=no",
                          "--collect-atstart=no", *command], input=f"{steps}\n", capture_output=True, text=True,
                         env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if not found or int(found.group(1)) == 0:
        sys.exit(f"callgrind counted nothing for {' '.join(command)}:\n{run.stderr}")
    return int(found.group(1)) / steps


def interval(values):
    """Returns the 95 % interval of the median by order statistics."""
    values, n = sorted(values), len(values)
    cut, tail, term = 0, 0.0, 0.5 ** n
    while cut < n // 2 and 2 * (tail + term) <= 0.05:
        tail, cut = tail + term, cut + 1
        term = term * (n - cut + 1) / cut
    return values[max(cut - 1, 0)], values[n - max(cut, 1)]


def compare(name, ours, theirs, given):
    sides = [Side(ours), Side(theirs)]
    steps = max(1, round(given.turn_s / max(side.seconds_and_faults(1)[0] for side in sides)))
    for side in sides:
        side.seconds_and_faults(steps)
    taken = [[], []]
    for turn in range(given.rounds):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            taken[which].append(sides[which].seconds_and_faults(steps))
    for side in sides:
        side.close()
    ms = [statistics.median(seconds for seconds, _ in each) / steps * 1e3 for each in taken]
    faults = [statistics.median(faults for _, faults in each) / steps for each in taken]
    ratios = [a[0] / b[0] for a, b in zip(*taken)]
    low, high = interval(ratios)
    line = (f"{name:26}  {ms[1]:8.2f}  {ms[0]:8.2f}  {statistics.median(ratios):5.3f} [{low:.3f}, {high:.3f}]  "
            f"{faults[1]:7.0f} {faults[0]:7.0f}")
    if given.instructions == "never" or (high <= LIMIT and given.instructions == "needed"):
        print(f"{line}  {'reached' if high <= LIMIT else 'not shown'}", flush=True)
        return high <= LIMIT
    print(line, end="", flush=True)
    counts = [instructions(command, given.counted_steps) for command in (ours, theirs)]
    reached = high <= LIMIT or counts[0] <= LIMIT * counts[1]
    print(f"  {counts[1] / 1e6:8.1f} {counts[0] / 1e6:8.1f} M instructions, ratio {counts[0] / counts[1]:.4f}  "
          f"{'reached' if reached else 'NOT reached'}", flush=True)
    return reached


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--library", required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--turn-s", type=float, default=0.5, help="how long a turn lasts about")
    parser.add_argument("--counted-steps", type=int, default=3)
    parser.add_argument("--instructions", choices=["always", "needed", "never"], default="needed",
                        help="count them in any case, or where the interval reaches beyond the limit (minutes)")
    parser.add_argument("--only", default=".")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--save", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        serve(options_of(given.serve), given.library)
        return 0
    if given.save is not None:
        save_script(options_of(given.save[0]), given.save[1])
        return 0

    python = [sys.executable, __file__, "--library", given.library]
    print(f"{'step':26}  {'Python':>8}  {'ours':>8}  ours/Python           page faults   [ms]")
    reached = True
    with tempfile.TemporaryDirectory() as folder:
        for name, text in CASES.items():
            if not re.search(given.only, name):
                continue
            if "scripted=" in text:
                file = f"{folder}/{name.replace(' ', '-')}.pt"
                subprocess.run([*python, "--save", text, file], check=True)
                text = re.sub("scripted=[^ ]*", f"model.path={file}", text)
            if given.device != "cpu":
                text += f" device={given.device}"
            reached &= compare(name, [str(given.program), *text.split()], [*python, "--serve", text], given)
    print(f"{'reached' if reached else 'NOT reached'}: at most {LIMIT} times Python's time in every step, or its "
          f"instructions where times vary too much")
    return 0


if __name__ == "__main__":
    sys.exit(main())
