# SPDX-License-Identifier: Apache-2.0
"""Instructions and cache misses per JPEG image, by callgrind: decode_instructions.py PROGRAM.

decode: libjpeg alone, the whole image; bare: that and a resize of the crop; exact and fast: data.decode. The same files
and crops for all, without file reading. Misses are those of a simulated first-level data cache of 32 KiB (D1) and last
level of 8 MiB (LL). The counts are the same on every machine with the same libraries and instruction set.
"""
import pathlib
import re
import subprocess
import sys

SIZES = {"500x375": (500, 375, 24), "3000x2000": (3000, 2000, 6)}
ARMS = ("decode", "bare", "exact", "fast")
# Upper limits, as shares of another arm's instructions.
LIMITS = [
    ("500x375", "exact", "bare", 0.55),
    ("3000x2000", "exact", "bare", 0.5),
    ("3000x2000", "fast", "exact", 0.8),
]


def per_image(program, folder, arm):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
         "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64",
         "--toggle-collect=stepbench::read_counted*", program, folder, arm], capture_output=True, text=True, check=False)
    events, counts = (re.search(rf"{name}\s*: (.*)", run.stderr) for name in ("Events", "Collected"))
    if run.returncode != 0 or not events or not counts:
        sys.exit(f"callgrind counted nothing for {arm}:\n{run.stderr}")
    count = dict(zip(events.group(1).split(), map(int, counts.group(1).split())))
    if count.get("Ir", 0) == 0:
        sys.exit(f"callgrind counted nothing for {arm}:\n{run.stderr}")
    images = int(run.stdout)
    misses = [(count[f"{level}mr"] + count[f"{level}mw"]) / images for level in ("D1", "DL")]
    return [count["Ir"] / images, *misses]


def main():
    program = pathlib.Path(sys.argv[1])
    found = {}
    print(f"{'size':>9}  {'':6}  {'instructions':>12}  {'D1 misses':>9}  {'LL misses':>9}  per image; times bare")
    for size, (width, height, images) in SIZES.items():
        folder = program.parent / f"decode-{size}-{images}"
        subprocess.run([program, folder, "make", str(width), str(height), str(images)], check=True)
        for arm in ARMS:
            found[size, arm] = per_image(program, folder, arm)
            bare = found.get((size, "bare"))
            part = f"{found[size, arm][0] / bare[0]:.2f}" if bare else ""
            counts = "{:12,.0f}  {:9,.0f}  {:9,.0f}".format(*found[size, arm])
            print(f"{size:>9}  {arm:6}  {counts}  {part}", flush=True)
    failed = False
    for size, arm, other, limit in LIMITS:
        part = found[size, arm][0] / found[size, other][0]
        failed |= part > limit
        print(f"{size} {arm}: {part:.2f} of {other}, at most {limit}: {'failed' if part > limit else 'passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
