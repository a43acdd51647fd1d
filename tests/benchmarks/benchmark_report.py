# SPDX-License-Identifier: Apache-2.0
"""How long a report of many launches takes to write and to open, and how large it is.

usage: benchmark_report.py STEPBENCH SOURCE_DIR [CASES [LAUNCHES [STEPS]]]
"""
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
CASES, LAUNCHES, STEPS = (*map(int, sys.argv[3:6]), *(1000, 20, 50)[len(sys.argv) - 3:])
sys.path.append(str(SOURCE / "tests/report"))
try:
    from browser import Page, browser
except ImportError as missing:
    print(f"selenium is not installed: {missing}")
    sys.exit(77)
from compose import Run  # noqa: E402

SAMPLE = SOURCE / "results/sample"
WRITE_S, PAGE_MB, COMPACT_MB = 2.0, 12.0, 5.0
FIRST_CHART_S, HUNDRED_FIGURES_S = 1.5, 15.0
MANY_CASES = 100_000


class Limits:
    def __init__(self):
        self.broken = []

    def tell(self, what, value, unit, limit):
        print(f"{what}: {value:.2f} {unit} (at most {limit:g})", flush=True)
        if value > limit:
            self.broken.append(what)


def compose(file, cases, launches, steps):
    run = Run(SAMPLE, "large")
    run.sweep("loader.num_workers", "loader.batch_size")
    for case in range(cases):
        run.add({"loader.num_workers": case % 32, "loader.batch_size": 1 + case // 32}, 40e6 + case * 1e4, launches,
                steps, flags={7: 1})
    return run.write(file)


def report(run, file, *words):
    begun = time.monotonic()
    done = subprocess.run([PROGRAM, "report", run, "--output", file, *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    taken = time.monotonic() - begun
    print(done.stdout.strip().splitlines()[-1])
    return taken, file.stat().st_size / 1e6


def first_chart(driver, file):
    """Seconds by the page's own clock from following a link to the sweep to its first figure."""
    page = Page(driver, file, fragment="#sweep")
    return page, page.first_chart_ms() / 1000


def main():
    limits = Limits()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run = compose(folder / "large.jsonl", CASES, LAUNCHES, STEPS)
        print(f"{CASES:,} cases x {LAUNCHES} launches x {STEPS} steps, {run.stat().st_size / 1e6:.0f} MB")
        plain, packed = folder / "plain.html", folder / "packed.html"
        taken, size = min(report(run, plain) for _ in range(3))
        limits.tell("writing the page", taken, "s", WRITE_S)
        limits.tell("the page", size, "MB", PAGE_MB)
        taken, size = report(run, packed, "--compact")
        print(f"writing it packed: {taken:.2f} s")
        limits.tell("the packed page", size, "MB", COMPACT_MB)
        driver = browser("--window-size=1200,900", logs=True)
        try:
            sample = folder / "sample.html"
            report(SAMPLE, sample)
            for file in (sample, plain, packed):
                limits.tell(f"first chart of {file.stem}", min(first_chart(driver, file)[1] for _ in range(3)), "s",
                            FIRST_CHART_S)
            page, _ = first_chart(driver, plain)
            begun = time.monotonic()
            figures = len(page.draw_all())
            taken = time.monotonic() - begun
            print(f"all {figures} figures: {taken:.2f} s")
            limits.tell("a hundred figures", taken / max(figures, 1) * 100, "s", HUNDRED_FIGURES_S)
            many = compose(folder / "many.jsonl", MANY_CASES, 1, 2)
            taken, size = report(many, plain)
            print(f"{MANY_CASES:,} cases: {taken:.2f} s, {size:.1f} MB")
            page, taken = first_chart(driver, plain)
            print(f"first chart of them: {taken:.2f} s")
            if "of 100,000" not in page.run("return document.body.innerText"):
                limits.broken.append("the page of 100,000 cases says what is left out")
        finally:
            driver.quit()
    return f"beyond the limit: {', '.join(limits.broken)}" if limits.broken else 0


if __name__ == "__main__":
    sys.exit(main())
