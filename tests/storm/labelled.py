# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a label one by one within the time."""
import json
import os
import re
import signal
import subprocess

OWN_PARTS = re.compile(r"^(Storm|Fuzz)\.")  # separate parts of a hardening run
SKIPPED = re.compile(r"\*\*\*(Skipped|Not Run \(Disabled\))")


def tests_of(build, label):
    listed = subprocess.run(["ctest", "--test-dir", build, "-L", f"^{label}$", "--show-only=json-v1"],
                            capture_output=True, text=True, check=True)
    tests = {}
    for test in json.loads(listed.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        if not OWN_PARTS.match(test["name"]):
            tests[test["name"]] = properties.get("TIMEOUT", 1500.0)
    return sorted(tests, key=lambda name: (tests[name], name))  # those of the shortest limit first


def run(build, name, seconds):
    """Returns exit status and output; no status if it had not ended."""
    process = subprocess.Popen(["ctest", "--test-dir", build, "-R", f"^{re.escape(name)}$", "--output-on-failure"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    try:
        said, _ = process.communicate(timeout=max(1.0, seconds))
        return process.returncode, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        said, _ = process.communicate()
        return None, said


def labelled(part, label):
    names = tests_of(part.build, label)
    not_run = []
    for name in names:
        if not part.goes_on():
            not_run.append(name)
            continue
        status, said = run(part.build, name, part.left())
        if status is None:
            not_run.append(name)
        elif SKIPPED.search(said):
            part.count("skipped")
            part.notes.append(f"{name} skips")
        else:
            part.count("passed" if status == 0 else "failed")
            if status != 0:
                print(said, flush=True)
                part.found(f"{name} fails", f"ctest --test-dir {os.path.relpath(part.build)} -R '^{name}$'")
    if not_run:
        part.notes.append(f"had no time, {len(not_run)} of {len(names)}: {', '.join(not_run)}")
