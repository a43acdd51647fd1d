# SPDX-License-Identifier: Apache-2.0
"""Images per second of stepbench's loader and of Python's, on the same files with the same options.

usage: against_python.py --program IMAGE_EPOCHS --folder DIR [--rounds N] [--workers 0 1 2] [--batch N]
                         [--buffers reused|fresh] [--spdl]

Python: torchvision's ImageFolder with RandomResizedCrop(224), RandomHorizontalFlip, ToTensor and Normalize behind
torch.utils.data.DataLoader, one torch thread. Ours: data.kind jpeg_folder, engine thread (inline without workers),
with loader.buffers from --buffers: reused, or fresh, whose pages the kernel clears for each batch as for Python's.
--spdl adds SPDL's threads (pip install spdl, and FFmpeg's libraries): its own decoder, crop and resize, whose
batches stay bytes (N, 224, 224, 3), so it does less than the others. All keep their workers except SPDL, whose
threads live for an epoch; they read a first epoch that does not count and then alternate by epoch, so that a busy
machine slows all. CPU seconds of each process with its children are printed with the rates: they hold on a busy
machine. The rate is images over the whole epoch: never "after the first batch", which hides the start. The
conditions of the ratio are printed first: processor, libraries with their JPEG decoders, files.
"""
import argparse
import math
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
    """Reads one epoch per line on standard input and prints its seconds and images."""
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


def random_crop(width, height, random):
    """FFmpeg arguments for a crop like RandomResizedCrop's."""
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return w, h, random.randint(0, width - w), random.randint(0, height - h)
    side = min(width, height)
    return side, side, (width - side) // 2, (height - side) // 2


def serve_spdl(folder, workers, batch):
    import random

    import spdl.io
    from spdl.pipeline import PipelineBuilder

    files = sorted(str(file) for file in folder.rglob("*.jpg"))

    def read(path):
        packets = spdl.io.demux_image(path)
        w, h, x, y = random_crop(packets.width, packets.height, random)
        flip = ",hflip" if random.random() < 0.5 else ""
        return spdl.io.decode_packets(
            packets, filter_desc=f"crop={w}:{h}:{x}:{y},scale=224:224{flip},format=pix_fmts=rgb24")

    def collate(frames):
        return spdl.io.to_torch(spdl.io.convert_frames(frames))

    def epoch(order):
        if workers == 0:
            for i in range(0, len(order), batch):
                yield collate([read(path) for path in order[i : i + batch]])
            return
        builder = PipelineBuilder().add_source(order).pipe(read, concurrency=workers, output_order="input")
        pipeline = builder.aggregate(batch).pipe(collate).add_sink(2 * workers).build(num_threads=workers)
        with pipeline.auto_stop():
            yield from pipeline

    for _ in sys.stdin:
        order = random.sample(files, len(files))
        began = time.perf_counter()
        images = sum(len(pictures) for pictures in epoch(order))
        print(time.perf_counter() - began, images, flush=True)


def cpu_seconds(process):
    """CPU seconds of a process and its children."""
    text = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    own = (int(text[11]) + int(text[12])) / os.sysconf("SC_CLK_TCK")
    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own + sum(cpu_seconds(child) for child in children)


class Reader:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.cpu = []  # seconds per epoch

    def images_per_second(self):
        before = cpu_seconds(self.process.pid)
        print("epoch", file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if len(answer) != 2:
            sys.exit(f"{' '.join(map(str, self.process.args))}: ended with status {self.process.wait()}")
        self.cpu.append(cpu_seconds(self.process.pid) - before)
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
    """Interval around the median by order statistics: 95 % from six values on, else smallest and largest."""
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
    parser.add_argument("--buffers", choices=["reused", "fresh"], default="reused")
    parser.add_argument("--spdl", action="store_true")
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--as-spdl", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve is not None:
        (serve_spdl if given.as_spdl else serve)(given.folder, given.serve, given.batch)
        return 0

    describe(given.program, given.folder, given.batch)
    print(f"loader.buffers {given.buffers}; load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs\n")
    names = ["Python", "exact", "fast"] + ["SPDL"] * given.spdl
    against = [("exact", "Python"), ("fast", "Python")] + [("exact", "SPDL")] * given.spdl
    heads = [f"{a}/{b}" for a, b in against]
    print("num_workers  " + "".join(f"{name:>8}  " for name in names) + "".join(f"{head:28}" for head in heads)
          + "[images/s; in brackets the ratio of CPU seconds]")
    reached = True
    for workers in given.workers:
        ours = [str(given.program), str(given.folder), str(workers), str(given.batch)]
        theirs = [sys.executable, __file__, "--folder", str(given.folder), "--batch", str(given.batch), "--serve", str(workers)]
        commands = {"Python": theirs, "exact": [*ours, "exact", given.buffers], "fast": [*ours, "fast", given.buffers],
                    "SPDL": [*theirs, "--as-spdl"]}
        readers = {name: Reader(commands[name]) for name in names}
        for reader in readers.values():
            reader.images_per_second()
            reader.cpu.clear()
        rates = {name: [] for name in names}
        for turn in range(given.rounds):
            for name in names if turn % 2 == 0 else reversed(names):
                rates[name].append(readers[name].images_per_second())
        for reader in readers.values():
            reader.close()
        line = f"{workers:>11}  " + "".join(f"{statistics.median(rates[name]):8.0f}  " for name in names)
        for a, b in against:
            ratios = [x / y for x, y in zip(rates[a], rates[b])]
            cpu = [y / x for x, y in zip(readers[a].cpu, readers[b].cpu)]
            line += "{:28}".format("{:.2f} [{:.2f}, {:.2f}] ({:.2f})".format(
                statistics.median(ratios), *interval(ratios), statistics.median(cpu)))
            if a == "exact":
                reached &= statistics.median(ratios) >= GOAL and interval(ratios)[0] >= LEAST
        print(line, flush=True)
    print(f"{'reached' if reached else 'NOT reached'}: {GOAL} times the others' rates with decode: exact, intervals above "
          f"{LEAST}; medians of {given.rounds} epochs in turn, in brackets the interval of the median and the ratio of CPU "
          "seconds, theirs over ours")
    return 0


if __name__ == "__main__":
    sys.exit(main())
