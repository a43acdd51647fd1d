# SPDX-License-Identifier: Apache-2.0
"""The last lines of tools/test: the failures, how to repeat them, where their output is, and the reasons of skipped
tests.

usage: summary.py [--ci] BUILD_DIR...

Each folder has ctest's results of one or more runs in junit/*.xml, and next to it, in cases-RUN/, those of run_cases.py
for the cases of GoogleTest programs; output of failed tests is left in failed/.
With --ci a test that skips because something is not installed is a failure. Exit status 1 if a test failed.
"""
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

# Things that no installation can provide: a test whose reason for skipping names one may skip.
EXCUSES = re.compile("|".join((
    "no CUDA device", "needs a CUDA device", "running as root", "needs the performance counters",
    "published series are not on this machine", "public traces are not (at hand|here)",
    "the kernel has no cachestat", "kernel has no transparent huge pages", "the build folder lies on tmpfs",
    "/dev/shm is no tmpfs here", "there is a (driver|device)$", "ThreadSanitizer does not follow", "UBSan opens a pipe")))
# ctest's text for an existing test that was not started.
NOT_STARTED = ("Unable to find executable", "Fixture dependency failed", "Unable to find required file")
MOST_LINES = 60  # of one test's output
MOST_OUTPUTS = 10
MOST_SLOW, SLOW_S = 12, 10  # slowest entries of a build


class Test:
    """One test, or one case of a program, over all runs of one build. `entry` is its name in ctest."""

    def __init__(self, build, entry, name):
        self.build, self.entry, self.name = build, entry, name
        self.runs, self.failed, self.reasons, self.skipped = 0, [], [], False
        self.file = None  # of its output
        self.seconds = 0.0

    def take(self, case):
        self.runs += 1
        self.seconds += float(case.get("time") or 0)
        output = (case.findtext("system-out") or "").rstrip()
        skipped = case.find("skipped")
        if case.find("failure") is not None or skipped is not None and skipped.get("message", "").startswith(NOT_STARTED):
            self.failed.append((self.runs, output or f"it printed nothing and ended after {float(case.get('time')):.1f} s"))
        elif skipped is not None:
            self.skipped = True
            self.reasons.append(reason_of(output))
        else:  # some of a script's tests may have skipped
            self.reasons += re.findall(r"(?m)\.\.\. skipped ['\"](.*)['\"]$", output)

    def again(self):
        case = "" if self.name == self.entry else f"STEPBENCH_CASES='^{quoted(self.name)}$' "
        return f"{case}ctest --test-dir {self.build} --output-on-failure -R '^{quoted(self.entry)}$'"


def quoted(name):
    return re.sub(r"([][().*+^$?\\|])", r"\\\1", name)


def reason_of(output):
    """Returns GoogleTest's reason, or the last line of a program that exited with ctest's status for skipped."""
    said = re.search(r": Skipped\n(.+)", output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return said[1].strip() if said else lines[-1] if lines else "it does not say why"


def tests_of(build):
    """Returns all tests of a build, and the seconds of each entry of ctest."""
    tests, seconds = {}, collections.Counter()
    for file in sorted((build / "junit").glob("*.xml"), key=lambda file: int(file.stem)):
        for entry in xml.parse(file).iter("testcase"):
            name = entry.get("name")
            seconds[name] += float(entry.get("time") or 0)
            cases = build / "junit" / f"cases-{file.stem}" / f"{name}.xml"
            parts = list(xml.parse(cases).iter("testcase")) if cases.exists() else []
            # A program that fails although none of its cases did is a separate failure.
            if not any(part.find("failure") is not None for part in parts) and entry.find("failure") is not None:
                parts = []
            for case in parts or [entry]:
                key = name, case.get("name")
                tests.setdefault(key, Test(build, *key)).take(case)
    return list(tests.values()), seconds


def keep_outputs(build, failed):
    folder = build / "failed"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for test in failed:
        test.file = folder / (re.sub(r"[^\w.-]+", "_", test.name)[:150] + ".txt")
        test.file.write_text("".join(f"run {run} of {test.runs}\n{output}\n" for run, output in test.failed))


def print_outputs(failed):
    for test in failed[:MOST_OUTPUTS]:
        lines = test.failed[-1][1].splitlines()
        print(f"\n--- {test.build}: {test.name}")
        if len(lines) > MOST_LINES:
            print(f"... {len(lines) - MOST_LINES} lines before these: {test.file}")
        print("\n".join(lines[-MOST_LINES:]))


def print_skipped(tests):
    by_reason = collections.defaultdict(set)
    for test in tests:
        for reason in test.reasons:
            by_reason[reason].add(test.name)
    for reason, names in sorted(by_reason.items()):
        missing = "" if EXCUSES.search(reason) else "NOT INSTALLED? "
        print(f"skipped: {missing}{reason} ({len(names)}: {', '.join(sorted(names))})")


def print_slowest(build, seconds):
    slow = [(name, time) for name, time in seconds.most_common(MOST_SLOW) if time >= SLOW_S]
    if slow:
        print(f"slowest of {build}: " + ", ".join(f"{name} {time:.0f} s" for name, time in slow))


def counted(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def main(arguments):
    ci = arguments[:1] == ["--ci"]
    tests, failed, seconds = [], [], {}
    for build in map(pathlib.Path, arguments[ci:]):
        of_build, seconds[build] = tests_of(build)
        failed_here = [test for test in of_build if test.failed]
        keep_outputs(build, failed_here)
        tests += of_build
        failed += failed_here
    hiding = [test for test in tests if ci and not test.failed and not all(map(EXCUSES.search, test.reasons))]
    if not tests:  # ctest listed the tests, or reports itself that there are none
        return 0
    print_outputs(failed)
    print()
    print_skipped(tests)
    for build in seconds:
        print_slowest(build, seconds[build])
    for test in hiding:
        print(f"failed: {test.name} skipped in CI, where all that it needs must be installed")
    runs = max((test.runs for test in tests), default=0)
    often = f" in {counted(runs, 'run')}" if runs > 1 else ""
    bad = len(failed) + len(hiding)
    skipped = sum(test.skipped for test in tests if not test.failed and test not in hiding)
    print(f"{len(tests) - bad - skipped} passed, {bad} failed, {skipped} skipped{often}")
    for test in failed:
        seldom = f", in {len(test.failed)} of {counted(test.runs, 'run')}" if test.runs > 1 else ""
        print(f"failed: {test.name}{seldom}\n  output: {test.file}\n  again:  {test.again()}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
