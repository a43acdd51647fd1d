# SPDX-License-Identifier: Apache-2.0
"""Prints the entries of ctest whose GoogleTest programs have a case of a name: find_cases.py REGEX BUILD_DIR..."""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run_cases


def programs_of(build):
    """Returns the program of each entry that run_cases.py runs."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, check=True).stdout
    commands = {test["name"]: test.get("command", []) for test in json.loads(listed)["tests"]}
    return {name: command[4] for name, command in commands.items() if command[1:2] and command[1].endswith("run_cases.py")}


def main(pattern, *builds):
    for build in builds:
        for entry, program in programs_of(build).items():
            if pathlib.Path(program).exists() and any(re.search(pattern, case) for case in run_cases.cases_of(program)):
                print(entry)


if __name__ == "__main__":
    main(*sys.argv[1:])
