# SPDX-License-Identifier: Apache-2.0
"""Lists the tests of a JUnit file that skipped, and fails unless each lacked something no CI machine can install.

usage: skipped.py JUNIT_XML
"""
import re
import sys
import xml.etree.ElementTree as xml

# A test whose output holds one of these phrases may skip in CI; an absent package is never a reason.
EXCUSES = re.compile("|".join((
    "no CUDA device", "needs a CUDA device", "running as root", "needs the performance counters",
    "published series are not on this machine", "public traces are not at hand",
    "the kernel has no cachestat", "kernel has no transparent huge pages", "the build folder lies on tmpfs",
    "/dev/shm is no tmpfs here")))


def main() -> int:
    unexcused = []
    for case in xml.parse(sys.argv[1]).iter("testcase"):
        if case.find("skipped") is None and case.get("status") != "notrun":
            continue
        output = case.findtext("system-out") or ""
        if not EXCUSES.search(output):
            unexcused.append((case.get("name"), output.strip()[-400:]))
    for name, output in unexcused:
        print(f"skipped in CI, which counts as failed: {name}\n{output}")
    return 1 if unexcused else 0


if __name__ == "__main__":
    sys.exit(main())
