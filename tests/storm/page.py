# SPDX-License-Identifier: Apache-2.0
"""The page of a tools/harden: page.py FOLDER --parts NAME... --tally FILE --seed N --seconds S.

Reads what the parts left in FOLDER, writes page.md and junit.xml there, and adds to the tally of all runs. Exit
status 1: something was found, or a part left nothing.
"""
import argparse
import json
import pathlib
import sys
import textwrap
import xml.etree.ElementTree as xml

from fuzzers import GOAL

PARTS = {"fuzz": "inputs", "kills": "kills", "disk": "failures", "soak": "launches", "plants": "bugs found", "judges": "tests",
         "nightly": "tests"}


def read(folder, expected):
    parts = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    for name in set(expected) - {part["part"] for part in parts}:
        parts.append({"part": name, "seconds": 0, "counts": {}, "notes": [],
                      "findings": [{"what": f"{name} left no result", "repeat": f"see {folder / name}.log"}]})
    return parts


def add_up(tally, parts, seconds):
    tally["runs"] = tally.get("runs", 0) + 1
    tally["hours"] = round(tally.get("hours", 0) + seconds / 3600, 2)
    for part in parts:
        counts = tally.setdefault(part["part"], {})
        for what, many in part["counts"].items():
            counts[what] = counts.get(what, 0) + many
    return tally


def of_part(part, tally):
    total = sum(part["counts"].values())
    yield f"## {part['part']}: {total:,} {PARTS[part['part']]} in {part['seconds'] / 60:.1f} min"
    yield ""
    yield "| what | this run | all runs |"
    yield "|---|---|---|"
    all_runs = {what: tally.get(part["part"], {}).get(what, many) for what, many in part["counts"].items()}
    of_goal = f" of {GOAL:,}" if part["part"] == "fuzz" else ""
    for what, many in sorted(part["counts"].items()):
        yield f"| {what} | {many:,} | {all_runs[what]:,}{of_goal} |"
    yield ""
    if of_goal:
        done = sum(many >= GOAL for many in all_runs.values())
        yield f"{done} of {len(all_runs)} readers have read their {GOAL:,} inputs, over all runs."
        yield ""
    yield from (f"- {note}" for note in part["notes"])
    if part["notes"]:
        yield ""
    for finding in part["findings"]:
        yield textwrap.fill(f"**FOUND** {finding['what']}", 118, break_long_words=False)
        yield ""
        yield f"    {finding['repeat']}"
        yield ""


def page(parts, tally, arguments):
    found = sum(len(part["findings"]) for part in parts)
    yield "# A night of tools/harden"
    yield ""
    yield (f"{arguments.seconds / 3600:.2f} h, seed {arguments.seed}: "
           f"{'nothing was found' if not found else f'**{found} found**'}. "
           f"All runs, {tally['runs']}: {tally['hours']} h.")
    yield ""
    for part in parts:
        yield from of_part(part, tally)


def junit(parts):
    root = xml.Element("testsuites")
    for part in parts:
        suite = xml.SubElement(root, "testsuite", name=part["part"], tests=str(max(1, len(part["findings"]))),
                               failures=str(len(part["findings"])), time=str(part["seconds"]))
        for number, finding in enumerate(part["findings"] or [None], 1):
            case = xml.SubElement(suite, "testcase", name=f"{part['part']} {number}", classname="harden")
            if finding:
                xml.SubElement(case, "failure", message=finding["what"]).text = finding["repeat"]
    return root


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tally", type=pathlib.Path, required=True)
    parser.add_argument("--parts", nargs="+", required=True, help="that were to run")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    arguments = parser.parse_args()
    parts = read(arguments.folder, arguments.parts)
    earlier = json.loads(arguments.tally.read_text()) if arguments.tally.exists() else {}
    tally = add_up(earlier, parts, arguments.seconds)
    arguments.tally.write_text(json.dumps(tally, indent=1, sort_keys=True) + "\n")
    (arguments.folder / "page.md").write_text("\n".join(page(parts, tally, arguments)).rstrip() + "\n")
    xml.ElementTree(junit(parts)).write(arguments.folder / "junit.xml", encoding="utf-8", xml_declaration=True)
    return 1 if any(part["findings"] for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main())
