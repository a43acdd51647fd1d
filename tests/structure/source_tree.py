# SPDX-License-Identifier: Apache-2.0
"""The project's sources and their includes, as text. Paths are from the project's root."""
import collections
import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ("harness", "workloads", "tools")

Include = collections.namedtuple("Include", "line target angled")


@functools.cache
def tracked_files():
    """What git tracks, in order; empty outside a clone (a source archive)."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    return listed.stdout.splitlines()


@functools.cache
def sources(*folders):
    """Every C++ file below the folders, in order. The examples are separate projects, which see only what is
    installed."""
    files = (file for folder in folders for file in sorted((ROOT / folder).rglob("*")) if file.suffix in (".h", ".cpp"))
    paths = (file.relative_to(ROOT).as_posix() for file in files)
    return [path for path in paths if not path.startswith("tools/examples/")]


@functools.cache
def text_of(file):
    return (ROOT / file).read_text(errors="replace")


@functools.cache
def includes_of(file):
    found = []
    for number, line in enumerate(text_of(file).split("\n"), 1):
        match = re.match(r"""\s*#\s*include\s*(["<])([^">]+)[">]""", line)
        if match:
            found.append(Include(number, match[2], match[1] == "<"))
    return found


@functools.cache
def reached_from(file):
    """The project's headers that the file includes, also through others."""
    reached, left = set(), [file]
    while left:
        for include in includes_of(left.pop()):
            if not include.angled and include.target not in reached and (ROOT / include.target).exists():
                reached.add(include.target)
                left.append(include.target)
    return reached


def all_includes():
    """(file, include) of all code."""
    return [(file, include) for file in sources(*CODE) for include in includes_of(file)]


def part_of(path):
    """"harness/run", "workloads/data", "tools/stepbench"; "harness" for files directly in it."""
    parts = path.split("/")
    return "/".join(parts[:2] if len(parts) > 2 else parts[:1])
