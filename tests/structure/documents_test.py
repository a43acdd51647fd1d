# SPDX-License-Identifier: Apache-2.0
"""Keeps the pages true: each room has a README, and their links lead to existing files."""
import functools
import os
import re
import unittest

from source_tree import ROOT, text_of, tracked_files

ROOMS = ("harness", "workloads", "configs", "results", "tests", "tools")
TOP = {"CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", *ROOMS}


def prose_of(page):
    """The page without its code blocks."""
    return re.sub(r"(?ms)^```.*?^```[^\n]*$", "", text_of(page))


@functools.cache
def anchors_of(page):
    """Of "## What is measured, and how": what-is-measured-and-how."""
    headings = re.findall(r"(?m)^#+ *(.*)$", prose_of(page))
    return {re.sub(r"[^a-z0-9_-]", "", heading.lower().replace(" ", "-")) for heading in headings}


class Documents(unittest.TestCase):
    def clone(self):
        if not tracked_files():
            self.skipTest("not a clone: git knows no files here")
        return tracked_files()

    def test_top_folder_holds_the_agreed_files(self):
        self.assertEqual({file.split("/")[0] for file in self.clone() if not file.startswith(".")}, TOP)

    def test_each_room_has_a_readme(self):
        folders = (folder for part in ("harness", "workloads") for folder in (ROOT / part).iterdir() if folder.is_dir())
        for room in (*ROOMS, *(folder.relative_to(ROOT).as_posix() for folder in folders)):
            lines = text_of(room + "/README.md").split("\n")
            self.assertTrue(lines[0].startswith("# ") and lines[2].startswith("Start here"), room)

    def test_links_lead_to_files_and_headings(self):
        # An untracked file is absent from the next clone, even if it exists here.
        files = set(self.clone())
        folders = {folder for file in files for folder in (file[:at.start()] for at in re.finditer("/", file))}
        for page in files:
            recorded = page.startswith("tests/") and "/data/" in page
            for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)) if page.endswith(".md") and not recorded else ():
                if "://" in link:
                    continue
                path, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                self.assertTrue(target in files or target in folders, f"{page}: {link} is not tracked by git")
                if anchor and target.endswith(".md"):
                    self.assertIn(anchor, anchors_of(target), f"{page}: {link}")

    def test_named_paths_exist(self):
        """In CONTRIBUTING.md and in the rooms' READMEs, a path in code quotes must exist, from the root or from the
        page's folder."""
        named = re.compile(
            r"`((?:harness|workloads|configs|results|tests|tools)/[\w./-]+|[\w-]+/(?:[\w./-]*\.\w+)?)`")
        for page in ("CONTRIBUTING.md", *(room + "/README.md" for room in ROOMS)):
            for path in named.findall(prose_of(page)):
                if not path.startswith(("torch/", "ATen/")) and "NAME" not in path:
                    self.assertTrue((ROOT / path).exists() or ((ROOT / page).parent / path).exists(),
                                    f"{page}: {path}")


if __name__ == "__main__":
    unittest.main()
