# SPDX-License-Identifier: Apache-2.0
"""Images per second of stepbench's loader and of Python's, on the same files with the same options.

usage: against_python.py --program IMAGE_EPOCHS --folder DIR [--rounds N] [--workers 0 1 2] [--batch N]

Python: torchvision's ImageFolder with RandomResizedCrop(224), RandomHorizontalFlip, ToTensor and Normalize behind
torch.utils.data.DataLoader, one torch thread. Ours: data.kind jpeg_folder, engine thread (inline without workers).
Both keep their workers, read a first epoch that does not count, and then take turns epoch by epoch, so that a busy
machine slows both. The rate is images over the whole epoch: never "after the first batch", which a head start flatters.
What the ratio depends on is printed first: processor, libraries with their JPEG decoders, files.
"""
import argparse
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time

GOAL = 3.0  # median ratio
LEAST = 2.7  # lower end of its interval


def serve(folder, workers, batch):
    """Reads one epoch for each line on standard input; answers with seconds and images."""
    import torch
    from torch.utils.data import DataLoader
    from torchvision import datasets, transforms

    torch.set_num_threads(1)
    data = datasets.ImageFolder(folder, transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]))
    more = {"persistent_workers": True, "prefetch_factor": 2} if workers else {}
    loader = DataLoader(data, batch_size=batch, shuffle=True, num_workers=workers, **more)
    for _ in sys.stdin:
        began = time.perf_counter()
        images = sum(len(labels) for _, labels in loader)
        print(time.perf_counter() - began, images, flush=True)


class Reader:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def images_per_second(self):
        print("epoch", file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"{' '.join(map(str, self.process.args))}: ended with status {self.process.wait()}")
        return float(answer[1]) / float(answer[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def describe(program, folder, batch):
    import PIL
    import torch
    import torchvision
    from PIL import features

    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    huge_pages = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    offered = re.search(r"\[(\w+)\]", huge_pages.read_text()) if huge_pages.exists() else None
    turbo = features.version_feature("libjpeg_turbo")
    ours = subprocess.run([program, "--libjpeg"], capture_output=True, text=True, check=True).stdout.strip()
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.parent != folder]
    print(f"{processor.group(1) if processor else platform.machine()}, {os.cpu_count()} CPUs, "
          f"huge pages {offered.group(1) if offered else 'never'}\n"
          f"Python {platform.python_version()}, torch {torch.__version__}, torchvision {torchvision.__version__}, "
          f"Pillow {PIL.__version__} with libjpeg{f'-turbo {turbo}' if turbo else ''}; ours with {ours}\n"
          f"{len(sizes)} files of {sum(sizes) / max(1, len(sizes)) / 1e3:.0f} kB on average, batches of {batch}\n")


def interval(values):
    """Order statistics around the median: 95 % from six values on, else smallest and largest."""
    values = sorted(values)
    cut = {6: 0, 7: 0, 8: 0, 9: 1, 10: 1, 11: 1, 12: 2, 13: 2, 14: 2, 15: 3}.get(len(values), 0)
    return values[cut], values[-1 - cut]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        serve(given.folder, given.serve, given.batch)
        return 0

    describe(given.program, given.folder, given.batch)
    print(f"{'num_workers':>11}  {'Python':>8}  {'exact':>8}  {'fast':>8}  exact/Python            fast/Python   [images/s]")
    reached = True
    for workers in given.workers:
        ours = [str(given.program), str(given.folder), str(workers), str(given.batch)]
        readers = [Reader([sys.executable, __file__, "--folder", str(given.folder), "--batch", str(given.batch),
                           "--serve", str(workers)]), Reader([*ours, "exact"]), Reader([*ours, "fast"])]
        for reader in readers:
            reader.images_per_second()
        rates = [[], [], []]
        for turn in range(given.rounds):
            for which in (0, 1, 2) if turn % 2 == 0 else (2, 1, 0):
                rates[which].append(readers[which].images_per_second())
        for reader in readers:
            reader.close()
        ratios = [[a / b for a, b in zip(rates[which], rates[0])] for which in (1, 2)]
        shown = ["{:5.2f} [{:.2f}, {:.2f}]".format(statistics.median(each), *interval(each)) for each in ratios]
        medians = [statistics.median(each) for each in rates]
        print(f"{workers:>11}  {medians[0]:8.0f}  {medians[1]:8.0f}  {medians[2]:8.0f}  {shown[0]:22}  {shown[1]:22}",
              flush=True)
        reached &= statistics.median(ratios[0]) >= GOAL and interval(ratios[0])[0] >= LEAST
    print(f"{'reached' if reached else 'NOT reached'}: {GOAL} times Python's rate with decode: exact, "
          f"intervals above {LEAST}; medians of {given.rounds} epochs in turn, in brackets the interval of the median")
    return 0


if __name__ == "__main__":
    sys.exit(main())
