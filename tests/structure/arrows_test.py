# SPDX-License-Identifier: Apache-2.0
"""Allowed includes between rooms, and no circles of units: arrows_test.py PUBLIC_HEADERS

ARROWS is the only definition of who may include whom. PUBLIC_HEADERS lists the installed headers.
"""
import collections
import re
import sys
import unittest

from source_tree import CODE, ROOT, all_includes, includes_of, part_of, reached_from, sources, text_of

PUBLIC = set(open(sys.argv.pop(1)).read().split())

# The ground floor, which every room needs. Any room except `stats` may include it.
GROUND_FLOOR = {"harness/base", "harness/text", "harness/json", "harness/os"}

# "harness" is the seam: workload.h and rule.h next to the rooms, which every measuring room may include. A room that is
# absent here may include the ground floor and the seam only.
# "." is the folder itself.
ROWS = {
    "harness/text": {"harness": "base"},
    "harness/json": {"harness": "base text"},
    "harness/os": {"harness": "base text"},
    "harness/schedule": {"harness": "stats"},
    "harness/measure": {"harness": "schedule"},
    "harness": {"harness": "measure"},
    "harness/plan": {"harness": "catalogue"},
    "harness/traces": {"harness": "findings ops stats"},
    "harness/record": {"harness": "catalogue findings ops schedule"},
    "harness/protocol": {"harness": "record"},
    "harness/machine": {"harness": "findings record stats"},
    "harness/cuda": {"harness": "findings machine measure ops"},
    "harness/worker": {"harness": "catalogue findings measure ops protocol record schedule"},
    "harness/estimate": {"harness": "catalogue findings ops record stats"},
    "harness/run": {"harness": "catalogue estimate findings machine measure ops plan protocol record stats"},
    "harness/gbench": {"harness": "catalogue estimate findings measure plan"},
    "harness/verdict": {"harness": "catalogue estimate findings ops record stats"},
    "harness/nights": {"harness": "catalogue estimate record stats verdict"},
    "harness/campaign": {
        "harness": "catalogue estimate findings machine nights ops plan record run schedule stats traces verdict"},
    "harness/bisect": {"harness": "campaign machine nights record run stats verdict"},
    "harness/tune": {"harness": "campaign estimate machine plan record run stats verdict"},
    "harness/report": {
        "harness": "bisect campaign catalogue document estimate findings machine nights ops plan record run "
                  "schedule stats traces tune verdict"},
    "workloads/data": {"harness": "catalogue"},
    "workloads/loader": {"harness": "catalogue document findings machine measure record stats", "workloads": "data"},
    "workloads/model": {"harness": "catalogue machine plan", "workloads": "data"},
    "workloads/profile": {"harness": "cuda findings measure ops record schedule traces", "workloads": "loader model"},
    "workloads/transfer": {"harness": "catalogue measure", "workloads": "data loader"},
    "workloads/step": {"harness": "catalogue cuda findings machine measure ops record",
                       "workloads": "data loader model transfer"},
    "workloads/distributed": {"harness": "catalogue machine measure", "workloads": "model step"},
    "workloads": {"harness": "catalogue cuda machine record worker",
                  "workloads": "data distributed loader model profile step transfer"},
    "workloads/python": {"harness": "cuda findings machine measure ops protocol run worker",
                         "workloads": ". data loader model step"},
    "tools/stepbench": {
        "harness": "bisect campaign catalogue document estimate machine nights plan record report run traces tune "
                  "verdict",
        "workloads": ". data loader python"},
    "tools/gbench": {"harness": "campaign catalogue estimate gbench machine plan record report run",
                     "tools": "stepbench"},
}
ARROWS = {room: {part if name == "." else f"{part}/{name}" for part, names in row.items() for name in names.split()}
          for room, row in ROWS.items()}

# Built before the seam, so these cannot include it.
BELOW_THE_SEAM = GROUND_FLOOR | {"harness/stats", "harness/schedule", "harness/findings", "harness/measure",
                                 "harness/catalogue"}

MOST_DOORS = 6


def allowed(source, target):
    if source == target:
        return True
    if target in GROUND_FLOOR and source not in GROUND_FLOOR and source != "harness/stats":
        return True
    if target == "harness":
        return source not in BELOW_THE_SEAM
    return target in ARROWS.get(source, ())


def first_match(pattern, text):
    found = re.search(pattern, text)
    return found[1] if found else ""


def linked_by(library):
    """"report" -> "campaigns" and all libraries that it links, as in harness/CMakeLists.txt."""
    links = first_match(rf"stepbench_harness_library\({library} LINK ([a-z ]+)", text_of("harness/CMakeLists.txt"))
    return {library}.union(*map(linked_by, links.split()))


def circles_of(graph):
    """The graph without the nodes that no remaining node uses, or that use none."""
    while True:
        used = set().union(*graph.values())
        left = {unit: uses & graph.keys() for unit, uses in graph.items() if unit in used and uses & graph.keys()}
        if left == graph:
            return left
        graph = left


def modules_used(text):
    """Of "from .loop import Loop" and "from . import facts, session", also inside functions."""
    packages = re.findall(r"(?m)^\s*from \. import ([\w, ]+)", text)
    return set(re.findall(r"(?m)^\s*from \.(\w+) import ", text)) | set(re.findall(r"\w+", " ".join(packages)))


class Arrows(unittest.TestCase):
    def test_internal_header_is_included_by_its_room_only(self):
        rooms = set()
        for file, include in all_includes():
            if not include.angled and "/internal/" in include.target:
                rooms.add(part_of(include.target))
                self.assertEqual(part_of(file), part_of(include.target), f"{file} includes {include.target}")
        self.assertGreater(len(rooms), 10)

    def test_include_is_allowed_by_the_table(self):
        for file, include in all_includes():
            if include.angled:
                continue
            place = f"{file}:{include.line}: {include.target}"
            self.assertTrue((ROOT / include.target).exists(), f"{place} is not a path from the project root")
            self.assertTrue(allowed(part_of(file), part_of(include.target)), f"{place}: may not be used here")

    def test_room_headers_are_few_and_used_by_others(self):
        """The door of a room: the headers in its folder, beside those that are installed."""
        doors = collections.defaultdict(set)
        for file in sources(*CODE):
            room = part_of(file)
            is_in_the_folder = file.endswith(".h") and file.rpartition("/")[0] == room
            if is_in_the_folder and not room.startswith("tools/") and file not in PUBLIC:
                doors[room].add(file)
        self.assertGreater(len(doors), 25)
        for room, headers in doors.items():
            # Each kind of command has its own header of outputs: writing a plan needs no night.
            self.assertLessEqual(len(headers), 8 if room == "harness/report" else MOST_DOORS, room)
        used = {include.target for file, include in all_includes() if part_of(file) != part_of(include.target)}
        self.assertEqual(set().union(*doors.values()) - used, set(), "only its room includes it; move it to internal/")

    def test_each_arrow_is_used(self):
        used = {(part_of(file), part_of(include.target)) for file, include in all_includes()}
        for room, targets in ARROWS.items():
            for target in targets - GROUND_FLOOR:
                self.assertTrue((room, target) in used, f"{room} uses nothing of {target}")

    def test_data_floors_are_included_by_the_kind_table_only(self):
        """In workloads/data only the table of kinds names the parts that make files; the shared part includes none."""
        floor_of = lambda path: first_match(r"^workloads/data/internal/(\w+)/", path)
        for file in sources("workloads/data"):
            for include in includes_of(file) if not file.startswith("workloads/data/data_kinds.") else ():
                source, target = floor_of(file), floor_of(include.target)
                self.assertTrue(source == target or not target or target == "jpeg" and source not in ("", "synthetic"),
                                f"{file}:{include.line}: may not use the floor {target}")

    def test_arrow_needs_a_linked_library(self):
        """The linker does not see dependencies that are only in headers."""
        libraries = {"harness": "ground"}
        for room in {part_of(file) for file in sources("harness")} - {"harness"}:
            libraries[room] = first_match(r"stepbench_room\(stepbench_(\w+)", text_of(room + "/CMakeLists.txt"))
        self.assertEqual(libraries["harness/nights"], "nights")
        self.assertIn("ground", linked_by("report"))
        self.assertNotIn("results", linked_by("traces"))
        for room, targets in ARROWS.items():
            library = libraries.get(room)
            if library and library not in ("worker", "cuda", "gbench"):
                for target in targets:
                    self.assertIn(libraries[target], linked_by(library), f"of {target}, which {room} may include")

    def test_wrong_include_is_found(self):
        for arrow in ("harness/stats harness/record", "harness/run workloads/data", "harness/base harness/text",
                      "harness/measure harness", "workloads/data workloads/loader", "harness/worker harness/run",
                      "workloads/step tools/stepbench", "harness/run tests/stub_worker",
                      "workloads/step harness/report", "tools/stepbench harness/worker"):
            self.assertFalse(allowed(*arrow.split()), arrow)
        self.assertTrue(allowed("workloads/step", "harness/measure"))


class PublicHeaders(unittest.TestCase):
    """The installed headers are a small set, closed under inclusion: the interface of custom workers and plug-ins."""

    def test_includes_are_installed(self):
        self.assertIn("harness/workload.h", PUBLIC)
        for header in PUBLIC:
            for include in includes_of(header):
                self.assertTrue(include.angled or include.target in PUBLIC, f"{header} includes {include.target}")

    def test_worker_main_pulls_no_protocol(self):
        for header in reached_from("harness/worker/worker_main.h"):
            self.assertNotIn(part_of(header), ("harness/ops", "harness/protocol", "harness/record"), header)


class Circles(unittest.TestCase):
    """Units that need each other cannot be read, tested or replaced separately. A unit is a header with its source,
    or a module of a Python package."""

    def test_cpp_units_and_folders_have_none(self):
        units, folders = collections.defaultdict(set), collections.defaultdict(set)
        for file, include in all_includes():
            source, target = file.rpartition(".")[0], include.target.rpartition(".")[0]
            if not include.angled and source != target:
                units[source].add(target)
            if not include.angled and part_of(source) != part_of(target):
                folders[part_of(source)].add(part_of(target))
        self.assertGreater(len(units), 400)
        self.assertEqual(circles_of(units), {})
        self.assertEqual(circles_of(folders), {})

    def test_python_packages_have_none(self):
        for package in ("tools/python/stepbench_worker", "workloads/python/stepbench_user_code",
                        "workloads/python/stepbench_fallback_worker"):
            graph = {file.stem: modules_used(file.read_text()) for file in (ROOT / package).glob("*.py")}
            self.assertTrue(graph, package)
            self.assertEqual(circles_of(graph), {}, package)

    def test_circle_is_found(self):
        self.assertEqual(circles_of({"a": {"b"}, "b": {"c"}, "c": set()}), {})
        self.assertEqual(circles_of({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}}), {"b": {"c"}, "c": {"b"}})
        self.assertEqual(modules_used("from . import facts, session\n    from .loop import Loop\nimport os\n"),
                         {"facts", "loop", "session"})


if __name__ == "__main__":
    unittest.main()
