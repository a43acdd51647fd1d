# SPDX-License-Identifier: Apache-2.0
"""The data of pages against their schema, and their elements: report_data.py STEPBENCH SOURCE_DIR WORK_DIR."""
import base64
import gzip
import html.parser
import json
import pathlib
import subprocess
import sys

import jsonschema

program, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
VOID = {"meta", "link", "br", "img", "input", "hr"}
work.mkdir(exist_ok=True)


class Page(html.parser.HTMLParser):
    """Checks that elements are closed in the order in which they were opened, and that ids are unique."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.data, self.packed = [], set(), set(), None, False
        self.feed(text)
        self.close()
        assert not self.open, self.open
        assert self.links <= self.ids, self.links - self.ids

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in VOID:
            self.open.append((tag, attributes))
        if "id" in attributes:
            assert attributes["id"] not in self.ids, attributes["id"]
            self.ids.add(attributes["id"])
        if tag == "a":
            assert attributes["href"].startswith("#"), attributes
            self.links.add(attributes["href"][1:])

    def handle_endtag(self, tag):
        opened, _ = self.open.pop()
        assert opened == tag, (opened, tag)

    def handle_data(self, data):
        if not self.open:
            return
        attributes = self.open[-1][1]
        if attributes.get("id") == "stepbench-data":
            if attributes.get("data-encoding") == "gzip+base64":
                data = gzip.decompress(base64.b64decode(data))
            self.data = json.loads(data)


def stepbench(*arguments, codes=(0,)):
    done = subprocess.run([program, *map(str, arguments)], cwd=source, text=True, capture_output=True)
    assert done.returncode in codes, done
    return done.stdout


def page_of(what, *options):
    file = work / "report.html"
    stepbench("report", what, "--plotly", "none", "--output", file, *options)
    return Page(file.read_text())


validator = jsonschema.Draft202012Validator(json.loads(stepbench("schema", "report")))
verdict = work / "verdict.json"
stepbench("compare", "results/sample", "results/sample", "--verdict", verdict, codes=(0, 3))
shown = json.loads(stepbench("show", "results/sample", "--format", "json"))
for what, kind, options in (("results/sample", "run", ()), ("results/sample", "run", ("--compact",)),
                            ("tests/unit/report/data/sweep.jsonl", "run", ()), (verdict, "verdict", ())):
    page = page_of(what, *options)
    validator.validate(page.data)
    assert page.data["generated_from"]["kind"] == kind
    assert {section["id"] for section in page.data["sections"]} <= page.ids
    if what == "results/sample":
        assert page.data["content"] == shown
    if what == verdict:
        assert page.data["content"] == json.loads(verdict.read_text())
