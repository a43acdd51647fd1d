# SPDX-License-Identifier: Apache-2.0
"""Runs a whole GoogleTest program in one process and reports the result of each case.

usage: run_cases.py FOLDER NAME PROGRAM [--limit SECONDS]

A case that takes longer than its limit is ended with its process group and fails; after a hang or a crash the remaining
cases run in a new process. STEPBENCH_CASES, a regular expression, selects cases by "Suite.Case". Results go to
FOLDER/NAME.xml, in JUnit's form, for tests/summary.py. Exit status: 0, or 1 if a case failed, or 77 if every case that
ran skipped.
"""
import os
import pathlib
import re
import selectors
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

LIMIT_S = 300  # per case: anything slower hangs, on any machine
MOST_OUTPUT = 200_000  # kept bytes of one case
BEGIN = re.compile(rb"^\[ RUN      \] (\S+)$")
END = re.compile(rb"\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+)(?:, where .*)? \((\d+) ms\)$")
WHOLE = re.compile(rb"^\[==========\] \d+ tests? from .* ran\.")  # the program ended by itself


class Case:
    def __init__(self, name):
        self.name, self.state, self.seconds, self.output = name, "waiting", 0.0, b""


def cases_of(program):
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, timeout=300)
    if listed.returncode != 0:
        raise SystemExit(f"{program} --gtest_list_tests ended with {listed.returncode}:\n{listed.stdout}{listed.stderr}")
    names, suite = [], ""
    for line in listed.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return [Case(name) for name in names if not re.search(r"(^|[./])DISABLED_", name)]


class Process:
    """One process of the program for the remaining cases, or for all if they are unknown."""

    def __init__(self, program, cases, flags, limit):
        self.all = cases is None
        self.cases, self.limit, self.running = {case.name.encode(): case for case in cases or []}, limit, None
        self.ended = []  # finished cases
        self.whole = False
        self.since = time.monotonic()  # of the last begin or end of a case
        # May be longer than a command line.
        flags.write_text("--gtest_filter=" + ("*" if self.all else ":".join(case.name for case in cases)))
        self.child = subprocess.Popen([program, f"--gtest_flagfile={flags}", "--gtest_color=no"],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      start_new_session=True)

    def take(self, line):
        begun, ended = BEGIN.match(line), END.search(line)
        if begun and self.all and not self.running:
            self.cases.setdefault(begun[1], Case(begun[1].decode()))
        if begun and begun[1] in self.cases:
            self.running, self.since = self.cases[begun[1]], time.monotonic()
            self.running.state = "running"
        elif ended and self.running and ended[2] == self.running.name.encode():
            self.running.output += line[: ended.start()]
            self.running.state = {b"OK": "passed", b"FAILED": "failed", b"SKIPPED": "skipped"}[ended[1]]
            self.running.seconds = int(ended[3]) / 1000
            self.ended.append(self.running)
            self.running, self.since = None, time.monotonic()
        elif not self.running and WHOLE.match(line):
            self.whole = True
        elif self.running and len(self.running.output) < MOST_OUTPUT:
            self.running.output += line + b"\n"

    def follow(self):
        """Reads until the program has ended or a case has taken too long; returns the reason, "" if it ended by
        itself."""
        rest = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.child.stdout, selectors.EVENT_READ)
            while True:
                if time.monotonic() - self.since >= self.limit:
                    self.kill()
                    return f"ended after more than {self.limit:g} s"
                has_ended = self.child.poll() is not None  # before it is looked for output: nothing comes after that
                if not selector.select(1):
                    # Children of a test may outlive the program and keep its output open.
                    if has_ended:
                        break
                    continue
                chunk = os.read(self.child.stdout.fileno(), 1 << 16)
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self.take(line)
                if not chunk:
                    break
        self.take(rest)
        status = self.child.wait()
        self.kill()
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        failed = any(case.state == "failed" for case in self.ended)
        return "" if status == int(failed) else f"ended with status {status}"

    def kill(self):
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()
        self.child.stdout.close()


def run(program, cases, flags, limit):
    """Runs the cases, or all of the program, in as many processes as needed; returns them.

    A program is asked for its cases only if it ended before it had run them: many take long to load.
    """
    ran = cases or []
    left = cases
    while left is None or left:
        process = Process(program, left, flags, limit)
        why = process.follow()
        if process.all:
            ran = list(process.cases.values())
            if not process.whole:
                ran += [case for case in cases_of(program) if case.name.encode() not in process.cases]
            left = ran
        last = process.running or process.ended and process.ended[-1]
        if not last:
            for case in left:
                case.state, case.output = "failed", f"the program ran no case: {why or 'no reason'}\n".encode()
        elif process.running or why:
            last.state = "failed"
            last.output += f"\n{why or 'the program ended'} {'in' if process.running else 'after'} this case\n".encode()
        if process.running:
            last.seconds = time.monotonic() - process.since
        left = [case for case in left if case.state == "waiting"]
    return ran


def text_of(output):
    """Returns a program's bytes as text that XML may hold."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", output.decode(errors="replace"))


def write(name, cases, file):
    suite = xml.Element("testsuite", name=name)
    for case in cases:
        node = xml.SubElement(suite, "testcase", name=case.name, time=f"{case.seconds:.3f}")
        if case.state == "failed":
            xml.SubElement(node, "failure", message="failed")
        if case.state == "skipped":
            xml.SubElement(node, "skipped", message="skipped")
        if case.state in ("failed", "skipped"):
            xml.SubElement(node, "system-out").text = text_of(case.output)
    xml.ElementTree(suite).write(file, encoding="unicode")


def main(arguments):
    folder, name, program = pathlib.Path(arguments[0]), *arguments[1:3]
    options = dict(zip(arguments[3::2], arguments[4::2]))
    folder.mkdir(exist_ok=True)
    picked = os.environ.get("STEPBENCH_CASES")
    some = picked and not re.search(picked, name)
    cases = [case for case in cases_of(program) if re.search(picked, case.name)] if some else None
    cases = run(program, cases, folder / f"{name}.flags", float(options.get("--limit", LIMIT_S)))
    write(name, cases, folder / f"{name}.xml")
    states = [case.state for case in cases]
    for case in cases:
        if case.state == "failed":
            print(f"--- {case.name}\n{text_of(case.output)}", end="")
    print(f"{states.count('failed')} failed, {states.count('passed')} passed, {states.count('skipped')} skipped")
    if "failed" in states:
        return 1
    return 77 if states and set(states) == {"skipped"} else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
