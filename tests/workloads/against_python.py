# SPDX-License-Identifier: Apache-2.0
"""Runs scripts of this folder, each in its own process with torch imported: against_python.py SCRIPT ARGUMENT... [--
SCRIPT ARGUMENT...]..."""
import itertools
import pathlib
import sys

folder = pathlib.Path(__file__).resolve().parent
commands = [list(group) for dashes, group in itertools.groupby(sys.argv[1:], lambda word: word == "--") if not dashes]
sys.argv.insert(1, commands[-1][-1])  # in place of a worker, which does not exist here
from python_worker import Warm  # noqa: E402


def main():
    warm, failed = Warm(), []
    for script, *arguments in commands:
        status, said = warm.start(arguments, folder, script=str(folder / script)).wait()
        print(f"== {script}\n{said}", flush=True)
        if status != 0:
            failed.append(f"{script} ended with status {status}")
    warm.close()
    sys.exit("; ".join(failed) or 0)


if __name__ == "__main__":
    main()
