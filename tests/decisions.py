#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""decisions.py [--write] PAGE NAME=PROGRAM...

How often nights and searches are wrong, by simulation: runs each program and puts the tables that it prints between
the lines <!-- NAME --> and <!-- /NAME --> of PAGE (--write), or prints the page as it would be. Ends with 1 where a
program says that a goal is missed.
"""

import argparse
import pathlib
import subprocess
import sys


def tables_of(output: str) -> str:
    """Returns headings and rows; adds a separator to a table that has none below its head."""
    lines: list[str] = []
    for line in output.splitlines():
        if line.startswith(("#", "**missed**")):
            lines += ["", line, ""]
        elif line.startswith("|"):
            if lines and lines[-1].startswith("|") and not any("---" in known for known in lines[-2:]):
                begins = len(lines) < 2 or not lines[-2].startswith("|")
                if begins and "---" not in line:
                    lines.append("|" + "---|" * (lines[-1].count("|") - 1))
            lines.append(line)
    return "\n".join(lines).strip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", metavar="PAGE", type=pathlib.Path)
    parser.add_argument("programs", metavar="NAME=PROGRAM", nargs="+")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    text = asked.page.read_text()
    status = 0
    for each in asked.programs:
        name, program = each.split("=", 1)
        ran = subprocess.run(program.split(), stdout=subprocess.PIPE, text=True, check=False)
        if ran.returncode != 0:
            print(ran.stdout, file=sys.stderr)
            status = 1
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        before, rest = text.split(begin)
        text = before + begin + "\n" + tables_of(ran.stdout) + "\n" + end + rest.split(end)[1]
    asked.page.write_text(text) if asked.write else print(text, end="")
    return status


if __name__ == "__main__":
    sys.exit(main())
