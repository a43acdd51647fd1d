#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU time that starting the interpreter adds to `import torch` for a case with Python parts: python_start.py PYTHON
FOLDER_OF_STEPBENCH_HOST [ROUNDS]"""
import os
import pathlib
import statistics
import subprocess
import sys

MOST_MS = 15


def cpu_ms(command):
    """Returns the CPU time of one process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with status {process.returncode}")
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def main():
    python, folder = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    version = subprocess.check_output([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).decode().strip()
    # It finds its torch, does not import it because the version differs, and executes the given program.
    host = [python, str(pathlib.Path(folder, "stepbench_host.py")), "--worker=/bin/true", "--build-id=none",
            f"--python={version}", "--torch=0.0", "--"]
    ways = {"host": host, "torch": [python, "-c", "import torch"], "true": ["/bin/true"]}
    times = {name: [] for name in ways}
    for _ in range(rounds):
        for name, command in ways.items():
            times[name].append(cpu_ms(command))
    median = {name: statistics.median(each) for name, each in times.items()}
    added = median["host"] - median["true"]
    print(f"interpreter and stepbench_host.py {added:.1f} ms of CPU time; python -c 'import torch' {median['torch']:.0f} ms")
    if added > MOST_MS:
        sys.exit(f"starting the interpreter takes more than {MOST_MS} ms")


if __name__ == "__main__":
    main()
