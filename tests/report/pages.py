# SPDX-License-Identifier: Apache-2.0
"""Reports in Chromium: what they show, what they must never do.

usage: pages.py STEPBENCH SOURCE_DIR STUB_WORKER COMPOSE_TRACE OUT [TEST]...    pictures of the pages are left under OUT
"""
import contextlib
import datetime
import functools
import html.parser
import http.server
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

try:
    from browser import Page, browser, missing_programs
    from selenium.common.exceptions import NoAlertPresentException
except ImportError as missing:
    print(f"selenium is not installed: {missing}")
    sys.exit(77)
from compose import BEGIN, Run, nights

sys.path.append(str(pathlib.Path(__file__).parents[1] / "corpus"))
from inputs import make_results, make_traces  # noqa: E402

PROGRAM, SOURCE, STUB, COMPOSE, OUT = (pathlib.Path(word).resolve() for word in sys.argv[1:6])
del sys.argv[1:6]
SAMPLE = SOURCE / "results/sample"
SWEEP = SOURCE / "tests/unit/report/data/sweep.jsonl"
PROFILED = SOURCE / "tests/unit/report/data/profiled.jsonl"
QUESTIONS = (pathlib.Path(__file__).parent / "checks.js").read_text()

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(1)</script>"
LINK = "<a href=\"https://example.com/\">here</a>"
HOSTILE = f"{IMAGE}{SCRIPT}{LINK}'\"`&amp; %{{x}} \u202egnp.exe\u2028\u0007 <!-- ]]> "


def setUpModule():
    global folder, driver
    folder = tempfile.TemporaryDirectory()
    driver = browser("--window-size=1200,900", "--hide-scrollbars", logs=True)


def tearDownModule():
    driver.quit()
    folder.cleanup()


def stepbench(*words, status=(0,)):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=folder.name, timeout=600)
    assert done.returncode in status, f"stepbench {words}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def path(name):
    return pathlib.Path(folder.name) / name


def shown(*runs):
    return json.loads(stepbench("show", *runs, "--format", "json", status=(0, 4)))


def report(name, *words, status=(0,)):
    file = path(f"{name}.html")
    stepbench("report", *words, "--output", file, status=status)
    return file


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Tags(html.parser.HTMLParser):
    """Finds elements that are closed in a different order than they were opened."""
    VOID = {"meta", "input", "br", "hr", "img", "link"}

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.wrong.append(f"{tag}: {names} at {self.getpos()}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")


class Reports(unittest.TestCase):
    def look(self, file, **options):
        return Page(driver, file, **options)

    def ask(self, page, question):
        return page.run(QUESTIONS + f"return questions.{question}();")

    def quiet(self, page):
        """Asserts that no server was contacted, nothing was written to the console and no dialog was opened."""
        self.assertEqual(page.requests(), [], page.path.name)
        self.assertEqual(page.console(), [], page.path.name)
        with self.assertRaises(NoAlertPresentException):
            _ = driver.switch_to.alert

    def whole(self, file):
        """Opens a report, draws all of it and checks the promises of every page."""
        page = self.look(file)
        states = page.draw_all()
        self.assertEqual([state for state in states if state != "drawn"], [], page.path.name)
        foreign = self.ask(page, "foreign")
        self.assertEqual((foreign["elements"], foreign["links"], foreign["handlers"]), ([], [], 0), page.path.name)
        self.assertEqual(self.ask(page, "twice"), [], page.path.name)
        self.assertEqual(self.ask(page, "nameless"), [], page.path.name)
        headings = self.ask(page, "headings")
        self.assertEqual(headings.count(1), 1)
        self.assertTrue(all(b <= a + 1 for a, b in zip(headings, headings[1:])), headings)
        for figure in page.figures():
            self.assertTrue(figure["title"] and figure["alt"], figure["title"])
            self.assertTrue(sum(figure["points"]), f"{figure['title']}: nothing is drawn")
            for trace, points in zip(figure["data"], figure["points"]):
                given = trace.get("y") or trace.get("x")
                if trace.get("type") == "scatter" and isinstance(given, list):
                    self.assertEqual(points, len(given), f"{figure['title']}: {trace.get('name')}")
        tags = Tags()
        tags.feed(file.read_text(encoding="utf-8"))
        self.assertEqual((tags.wrong, tags.open), ([], []), page.path.name)
        self.quiet(page)
        return page

    def embedded(self, page):
        """Returns the page's data through its own button."""
        text = page.run("return document.getElementById('stepbench-data').textContent")
        if page.run("return document.getElementById('stepbench-data').dataset.encoding"):
            text = driver.execute_async_script("""
                const done = arguments[arguments.length - 1];
                const bytes = Uint8Array.from(atob(document.getElementById('stepbench-data').textContent),
                                              c => c.charCodeAt(0));
                const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
                new Response(stream).text().then(done);""")
        data = json.loads(text)
        self.assertEqual(data["schema"], "stepbench.report")
        return data

    def estimates_stand_in(self, page, cases):
        """Asserts that each case's number from `show` is in the table of the first screen to three digits, in the
        table of all numbers, and in a chart."""
        tables, figures = self.ask(page, "tables"), page.figures()
        every = next(table for table in tables if table["title"].startswith("Every number"))
        drawn = [number for figure in figures for trace in figure["data"] for number in numbers_of(trace)]
        for case in cases:
            time = case["latency_p50_ns"] or case["step_ns"]
            for table, error in ((tables[0], 6e-3), (every, 1e-8)):
                row = next(values for cells, values in zip(table["rows"], table["values"])
                           if case["case_id"].startswith(cells[0]))
                self.assertTrue(any(near(time, value, error) for value in row),
                                f"{case['case_id']}: {time} in {table['title']}: {row}")
            self.assertTrue(any(near(time, value, 2e-5) for value in drawn) or len(cases) < 2,
                            f"{case['case_id']}: {time} is in no chart")


def near(time_ns, value, error):
    """Returns True if the value is that time in one of its units."""
    return value and any(abs(value * unit / time_ns - 1) < error for unit in (1, 1e3, 1e6, 1e9))


def numbers_of(trace):
    def flat(values):
        for value in values if isinstance(values, list) else []:
            if isinstance(value, list):
                yield from flat(value)
            elif isinstance(value, (int, float)):
                yield value
    for key in ("x", "y", "z", "values"):
        yield from flat(trace.get(key))
    for dimension in trace.get("dimensions") or []:
        yield from flat(dimension.get("values"))


class SamplePage(Reports):
    @classmethod
    def setUpClass(cls):
        cls.file = report("sample", SAMPLE)

    def test_page_has_the_text_of_show(self):
        page = self.whole(self.file)
        self.assertIn("quickstart", driver.title)
        expected = shown(SAMPLE)
        self.estimates_stand_in(page, expected["cases"])
        content = self.embedded(page)["content"]
        self.assertEqual(content["cases"], expected["cases"])
        self.assertEqual(page.run("return document.querySelector('main').firstElementChild.id"), "answer")
        self.assertTrue(page.run("return document.querySelector('#answer').getBoundingClientRect().bottom < 500"))
        first = page.run("return document.querySelector('#answer').innerText")
        self.assertIn("num_workers=2", first)
        self.assertIn("53.2", first)

    def test_page_contrasts_in_dark_and_light(self):
        page = self.look(self.file)
        page.draw_all()
        for scheme in ("dark", "light"):
            page.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            page.until(f"matchMedia('(prefers-color-scheme: {scheme})').matches", scheme)
            page.draw_all()
            self.assertEqual(self.ask(page, "contrast"), [], scheme)
        page.command("Emulation.setEmulatedMedia", features=[])
        page.run("document.getElementById('theme').click()")
        self.assertEqual(self.ask(page, "contrast"), [])
        self.quiet(page)

    def test_page_fits_a_phone(self):
        page = self.look(self.file)
        page.command("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=1, mobile=False)
        try:
            page = self.look(self.file)
            page.draw_all()
            self.assertEqual(self.ask(page, "overflow"), [])
        finally:
            page.command("Emulation.clearDeviceMetricsOverride")

    def test_phone_puts_names_above_bars_without_overlap(self):
        run = Run(SAMPLE, "names")
        run.sweep("data.path", "loader.num_workers")
        for number, name in enumerate(("imagenet-train-shards-of-2024", "a-quite-long-name-of-a-folder", "short")):
            for workers in (0, 2):
                run.add({"data.path": name, "loader.num_workers": workers}, 50e6 + 1e6 * number, steps=10)
        file = report("names", run.write(path("names.jsonl")))
        page = self.look(file)
        page.command("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
        try:
            page = self.look(file)
            page.draw_all()
            self.assertEqual(self.ask(page, "overflow"), [])
            self.assertEqual(page.run("return document.querySelectorAll('.modebar-btn').length"), 0)
            bars = page.run("""
                return [...document.querySelectorAll('.plot')].filter(
                  plot => plot.clientWidth &&
                    plot.data.some(trace => trace.type === 'bar' && trace.orientation === 'h')).map(plot => ({
                    share: plot._fullLayout._size.w / plot.clientWidth,
                    names: (plot.layout.annotations || []).map(each => each.text)}));""")
            self.assertTrue(bars)
            for each in bars:
                self.assertGreater(each["share"], 0.85, "the bars have the width")
                self.assertEqual(len([name for name in each["names"] if "num_workers" in name]), 6)
        finally:
            page.command("Emulation.clearDeviceMetricsOverride")

    def test_printed_page_has_whole_tables(self):
        page = self.look(self.file)
        page.draw_all()
        printed = page.printed()
        self.assertTrue(printed.startswith(b"%PDF"))
        (OUT / "sample.pdf").write_bytes(printed)
        try:
            page.on_paper(718)
            self.assertEqual(self.ask(page, "overflow"), [])
            lines = page.run("return [...document.querySelectorAll('#overview td:first-child')].map(cell => "
                             "cell.getClientRects()[0].height / parseFloat(getComputedStyle(cell).lineHeight))")
            self.assertLess(max(lines), 2.5, "an id is not broken into letters")
            cut = page.run("return [...document.querySelectorAll('.table-box')].filter("
                           "box => getComputedStyle(box).overflowX !== 'visible').length")
            self.assertEqual(cut, 0)
        finally:
            page.command("Emulation.setEmulatedMedia", media="")
            page.command("Emulation.clearDeviceMetricsOverride")

    def test_no_script_shows_tables_and_chart_texts(self):
        page = self.look(self.file, script=False)
        try:
            text = driver.find_element("tag name", "body").text
            self.assertIn("f672f0", text)
            self.assertIn("65.4", text)
            for alt in driver.find_elements("css selector", "figure .alt"):
                self.assertTrue(alt.is_displayed() and alt.text or alt.find_elements("xpath", "ancestor::details"))
            self.quiet(page)
        finally:
            page.command("Emulation.setScriptExecutionDisabled", value=False)

    def test_keyboard_reaches_every_control(self):
        page = self.look(self.file)
        page.until("document.querySelector('.plot').dataset.state === 'drawn'", "the first figure")
        self.assertEqual(page.run("return document.activeElement.tagName"), "BODY", "the page takes no focus by itself")
        page.begin_at_its_top()
        names = []
        for _ in range(12):
            page.press_tab()
            names.append(page.run("const at = document.activeElement; return at.textContent.trim() || at.id"))
            self.assertNotEqual(page.run("return getComputedStyle(document.activeElement).outlineStyle"), "none", names)
        self.assertEqual(names[0], "Skip to the report")
        self.assertIn("Download the data (JSON)", names)
        order = page.run("return [...document.querySelectorAll('[tabindex]')].filter("
                         "each => Number(each.getAttribute('tabindex')) > 0).length")
        self.assertEqual(order, 0, "the order of the page is that of its text")

    def test_hovered_point_shows_its_values(self):
        page = self.look(self.file)
        page.draw_all()
        told = 0
        for number, figure in enumerate(page.figures()):
            shown = [(trace, point) for trace, kind in enumerate(figure["full"]) if kind == "scatter"
                     for point in range(figure["points"][trace])]
            for trace, point in shown[:3]:
                text = page.run("""
                    const plot = document.querySelectorAll('.plot')[arguments[0]];
                    if (!plot.getClientRects().length) return null;
                    window.Plotly.Fx.hover(plot, [{curveNumber: arguments[1], pointNumber: arguments[2]}]);
                    return [...plot.querySelectorAll('.hoverlayer text')].map(each => each.textContent).join(' ');
                    """, number, trace, point)
                if text:
                    self.assertRegex(text, r"\d", f"{figure['title']}: {text}")
                    self.assertNotRegex(text, r"<\w|undefined|NaN|%\{", figure["title"])
                    told += 1
        self.assertGreaterEqual(told, 3)
        self.quiet(page)


class Tables(Reports):
    @classmethod
    def setUpClass(cls):
        cls.file = report("sweep", SWEEP)

    def test_sorted_tables_put_missing_numbers_last(self):
        page = self.whole(self.file)
        self.estimates_stand_in(page, [case for case in shown(SWEEP)["cases"] if case["step_ns"]])
        table = self.ask(page, "tables")[0]
        column = next(i for i, head in enumerate(table["heads"]) if head.startswith("step"))
        head = f"document.querySelectorAll('#{table['id']} th')[{column}]"
        for order in ("ascending", "descending"):
            page.run(f"{head}.querySelector('button').click()")
            self.assertEqual(page.run(f"return {head}.getAttribute('aria-sort')"), order)
            values = [row[column] for row in self.ask(page, "tables")[0]["values"]]
            known = [value for value in values if value is not None]
            self.assertEqual(known, sorted(known, reverse=order == "descending"))
            self.assertEqual(len(known), 6)
            self.assertEqual(values[len(known):], [None] * (len(values) - len(known)), "missing ones come last")

    def test_filter_shows_the_matching_rows(self):
        page = self.look(self.file)
        table = self.ask(page, "tables")[0]
        field = driver.find_element("id", f"{table['id']}-filter")
        field.send_keys("FAILED killed")
        self.assertEqual(page.run(f"return [...document.querySelectorAll('#{table['id']} tbody tr')].filter("
                                  "row => !row.hidden).length"), 1)
        self.assertEqual(page.run("return document.querySelector('.count').textContent"), "1 of 7 rows")
        field.clear()
        field.send_keys("\x08")
        self.quiet(page)


class EveryKind(Reports):
    """Promises of each kind of page at all widths, in the dark and on paper: its answer on the first screen, nothing
    outside the page, no overlapping text, names above their bars, details folded until opened."""
    SCREENS = ((1440, 900), (800, 1000), (400, 800))
    PAPER = 718  # pixels

    @classmethod
    def setUpClass(cls):
        source = path("kinds")
        source.mkdir()
        make_results(SAMPLE, source)
        make_traces(SOURCE / "tests/fuzz/corpus/trace", source / "traces")
        for name, slower in (("tied", 0), ("clear", 0.05)):
            run = Run(SAMPLE, name)
            run.sweep("loader.num_workers", "loader.prefetch_factor", "loader.pin_memory")
            for case in range(12):
                options = {"loader.num_workers": case % 3, "loader.prefetch_factor": 2 << case // 3 % 2,
                           "loader.pin_memory": case >= 6}
                run.add(options, 40e6 * (1 + slower * case), launches=8, steps=20)
            run.write(source / f"{name}.jsonl")
        one = Run(SAMPLE, "one")
        one.add({"loader.num_workers": 4}, 40e6, launches=8, steps=20)
        one.write(source / "one.jsonl")
        for night in range(14):
            wide = Run(SAMPLE, "wide", BEGIN + datetime.timedelta(days=night))
            wide.build(night)
            wide.sweep("loader.num_workers", "loader.batch_size", "model.kind")
            for case in range(18):
                slower = 1.06 if case == 4 and night == 13 else 1
                wide.add({"loader.num_workers": case % 3, "loader.batch_size": 16 << case // 3 % 3,
                          "model.kind": ("resnet18", "vit")[case // 9]}, (40e6 + case * 1e6) * slower, launches=3,
                         steps=5)
            wide.write(source / "wide" / f"{night}.jsonl")
        stepbench("track", "add", *(source / "wide").iterdir(), "--db", "sqlite:wide.db")
        stepbench("track", "check", "--night", wide.head["run_id"], "--db", "sqlite:wide.db",
                  "--report", "night.html")
        for name, other, status in (("ok", "tuesday", 0), ("suspect", "slower", 3), ("better", "faster", 0),
                                    ("undecided", "few", 3)):
            stepbench("compare", source / "monday.jsonl", source / f"{other}.jsonl", "--report", f"{name}.html",
                      status=(status,))
        stepbench("compare", *(source / f"{name}.jsonl" for name in ("monday", "tuesday", "slower", "faster")),
                  "--report", "several.html", status=(3,))
        cls.files = {name: path(f"{name}.html") for name in ("night", "ok", "suspect", "better", "undecided", "several")}
        for name, what, status in (("tied", source / "tied.jsonl", 0), ("clear", source / "clear.jsonl", 0),
                                   ("one", source / "one.jsonl", 0), ("nothing", source / "nothing.jsonl", 4),
                                   ("regression", SOURCE / "tests/corpus/data/ab/verdict.json", 0),
                                   ("eventful", SOURCE / "tests/unit/report/nights/data/eventful.json", 0),
                                   ("wide", path("wide.db"), 0), ("profile", PROFILED, 4),
                                   ("sync", source / "traces/sync.json", 0), ("ranks", source / "traces/ranks", 0)):
            cls.files[name] = report(name, what, status=(0, status))

    def test_answer_is_on_the_first_screen_at_any_width(self):
        for width, height in self.SCREENS:
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            try:
                for name, file in self.files.items():
                    page = self.look(file)
                    answer = page.run("return document.querySelector('#answer').getBoundingClientRect().bottom")
                    self.assertLess(answer, height, f"{name} at {width} px")
                    self.assertEqual(self.ask(page, "overflow"), [], f"{name} at {width} px")
                    states = page.draw_all()
                    self.assertEqual([state for state in states if state != "drawn"], [], f"{name} at {width} px")
                    for question in ("overflow", "narrow", "covered"):
                        self.assertEqual(self.ask(page, question), [], f"{name} at {width} px: {question}")
                    page.picture(OUT / f"{name}-{width}.png", whole=True)
            finally:
                driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_page_is_readable_in_dark_and_on_paper(self):
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        try:
            for name, file in self.files.items():
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": dark})
                driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
                page = self.look(file)
                page.draw_all()
                self.assertEqual(self.ask(page, "contrast"), [], f"{name} in the dark")
                page.picture(OUT / f"{name}-dark.png", whole=True)
                page.on_paper(self.PAPER)
                for question in ("overflow", "narrow", "covered", "contrast"):
                    self.assertEqual(self.ask(page, question), [], f"{name} on paper: {question}")
                page.picture(OUT / f"{name}-paper.png", whole=True)
        finally:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
            driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_unconfirmed_change_is_not_a_win(self):
        page = self.whole(self.files["better"])
        self.assertEqual(page.run("return document.querySelectorAll('tr.good').length"), 0)
        legends = page.run("return [...document.querySelectorAll('.legendtext')].map(each => each.textContent)")
        self.assertIn("perhaps better", legends)
        self.assertNotIn("better", legends)

    def test_title_appears_once(self):
        for name, file in self.files.items():
            page = self.look(file)
            page.draw_all()
            titles = page.run("return [...document.querySelectorAll('h2, h3:not(.unseen), summary')].filter("
                              "each => !each.querySelector('h2') && each.getClientRects().length).map("
                              "each => each.textContent.trim())")
            self.assertEqual([a for a, b in zip(titles, titles[1:]) if a == b], [], name)

    def test_link_opens_folded_details(self):
        page = self.look(self.files["clear"])
        folded = page.run("return [...document.querySelectorAll('main section')].filter("
                          "each => each.querySelector(':scope > details:not([open])')).map(each => each.id)")
        self.assertEqual(folded, ["distributions", "launches", "numbers", "environment"])
        for chapter in folded:
            page.run("[...document.querySelectorAll('nav a')].find("
                     "each => each.getAttribute('href') === '#' + arguments[0]).click()", chapter)
            page.until(f"document.querySelector('#{chapter} > details').open", chapter)
        page.draw_visible()
        self.quiet(page)

    def test_tie_has_no_bold_text_and_no_colours(self):
        page = self.whole(self.files["tied"])
        self.assertIn("no winner: all 12 overlap", page.run("return document.querySelector('#answer').innerText"))
        weights = page.run("return [...document.querySelectorAll('#overview td')].map("
                           "each => Number(getComputedStyle(each).fontWeight))")
        self.assertLessEqual(max(weights), 400)


class HostileNames(Reports):
    def test_hostile_names_are_text_and_do_nothing(self):
        run = Run(SAMPLE, HOSTILE, config_text=f"name: {HOSTILE}\n" * 3, config_path=HOSTILE, argv=[HOSTILE] * 3)
        run.head["context"] = {f"label.{SCRIPT}": HOSTILE, "host": HOSTILE}
        run.worker["environment"] = dict(run.worker["environment"], **{IMAGE: HOSTILE, "cpu.model": HOSTILE})
        run.sweep("loader.num_workers", "data.path")
        big = "x" * 1_000_000 + SCRIPT
        for workers in range(3):
            run.add({"loader.num_workers": workers, "data.path": HOSTILE}, 50e6 + workers * 1e6, launches=3, steps=20,
                    notes=[HOSTILE], flags={3: 1})
        run.add({"loader.num_workers": 7, "data.path": IMAGE}, outcome="failed", reason=HOSTILE,
                stage=IMAGE, output=big, launches=1, repeat_command=HOSTILE)
        run.add({"loader.num_workers": 8, "data.path": "y" * 1_048_576}, outcome="skipped", reason=HOSTILE, launches=1)
        file = report("hostile", run.write(path("hostile.jsonl")))
        self.assertLess(file.stat().st_size, 12e6)
        page = self.whole(file)
        text = page.run("return document.body.innerText")
        for part in (IMAGE, SCRIPT, LINK):
            self.assertIn(part, text)
        for mark in "\u202e\u2028\u0007":
            self.assertNotIn(mark, text)
        self.assertEqual(page.run("return document.querySelectorAll('script:not([type])').length"), 2)

    def test_hostile_worker_names_are_text(self):
        worker = path("worker")
        worker.write_text(f"#!/bin/sh\ncase $1 in describe) ;; *) printf '%s\\n\\377\\300' '{SCRIPT}{IMAGE}' >&2; "
                          f"head -c 1048576 /dev/zero | tr '\\0' '<' >&2;; esac\nexec '{STUB}' \"$@\"\n")
        worker.chmod(0o755)
        path("hostile.yaml").write_text(json.dumps({
            "name": "hostile", "workload": "stub", "launches": 1, "schedule": {"wait": 0, "warmup": 0, "active": 5},
            "stub": {"marker": str(path("'\"<b>")), "behaviour": "throw_in_step", "at_step": 2}}))
        stepbench("run", "hostile.yaml", "--worker", worker, "--no-lock", "--quiet", "--results", "hostile",
                  "--label", f"why={IMAGE}", status=(0, 1, 3, 4))
        page = self.whole(report("worker", next(path("hostile").iterdir()), status=(0, 4)))
        self.assertIn("scripted exception", page.run("return document.body.innerText"))


class OddRuns(Reports):
    """Each page is complete, quiet and describes its content."""

    def page_of(self, name, run, *words, status=(0,)):
        file = run if isinstance(run, pathlib.Path) else run.write(path(f"{name}.jsonl"))
        page = self.whole(report(name, file, *words, status=status))
        page.picture(OUT / f"{name}.png", whole=True)
        return page, page.run("return document.body.innerText")

    def test_empty_run_has_a_page(self):
        _, text = self.page_of("empty", Run(SAMPLE, "empty"), status=(4,))
        self.assertRegex(text, "(?i)nothing|no launch")

    def test_run_with_only_failures_has_a_page(self):
        run = Run(SAMPLE, "failed")
        run.sweep("loader.num_workers")
        for workers in (0, 2):
            run.add({"loader.num_workers": workers}, outcome="failed", reason="killed by signal 9", launches=2)
        page, text = self.page_of("failed", run, status=(4,))
        self.assertIn("killed by signal 9", text)
        self.assertEqual(shown(path("failed.jsonl"))["cases"][0]["outcome"], "failed")
        self.assertTrue(self.ask(page, "tables"))

    def test_single_launch_has_a_page(self):
        run = Run(SAMPLE, "single")
        run.add({"loader.num_workers": 2}, 40e6, launches=1)
        page, _ = self.page_of("single", run)
        self.estimates_stand_in(page, shown(path("single.jsonl"))["cases"])

    def test_nine_varied_options_have_a_page(self):
        run = Run(SAMPLE, "nine")
        names = ("loader.num_workers", "loader.batch_size", "loader.prefetch_factor", "loader.pin_memory", "seed",
                 "loader.shuffle", "model.kind", "threads.intra_op", "optimizer.lr")
        run.sweep(*names)
        for case in range(40):
            values = (case % 3, 8 << case % 4, [None, 2, 4][case % 3], bool(case % 2), case % 5, bool(case // 2 % 2),
                      ["resnet18", "vit"][case // 4 % 2], 1 + case // 8 % 2, [0.1, 0.01][case // 16 % 2])
            run.add(dict(zip(names, values)), 40e6 + case * 1e6, launches=6, steps=20)
        page, _ = self.page_of("nine", run)
        self.estimates_stand_in(page, shown(path("nine.jsonl"))["cases"])

    def test_two_runs_with_different_columns_have_a_page(self):
        other = Run(SAMPLE, "other")
        other.add({"loader.num_workers": 2, "custom.option": "only here"}, 40e6)
        for row in other.rows:
            if row["kind"] == "samples":
                at = row["columns"].index("forward_ns")
                row["columns"][at] = "think_ns"
        other.write(path("other.jsonl"))
        page = self.whole(report("two", SAMPLE, path("other.jsonl")))
        self.estimates_stand_in(page, shown(SAMPLE, path("other.jsonl"))["cases"])
        page.picture(OUT / "two.png", whole=True)

    def test_chosen_section_without_charts_has_a_page(self):
        page = self.look(report("bare", SAMPLE, "--plotly", "none", "--section", "overview", "--title", IMAGE))
        self.assertEqual(driver.title, IMAGE)
        self.assertEqual(page.run("return document.querySelectorAll('section:not(#answer)').length"), 1)
        self.quiet(page)

    def test_packed_page_is_drawn_alike(self):
        plain, packed = report("plain", SWEEP), report("packed", SWEEP, "--compact")
        self.assertLess(packed.stat().st_size, plain.stat().st_size * 0.7)
        first = self.whole(plain)
        figures, tables, data = first.figures(), self.ask(first, "tables"), self.embedded(first)
        second = self.whole(packed)
        self.assertEqual(second.figures(), figures)
        self.assertEqual(self.ask(second, "tables"), tables)
        self.assertEqual(self.embedded(second)["content"], data["content"])


class OtherSources(Reports):
    def test_verdict_of_ab_has_a_page(self):
        path("ab.yaml").write_text(json.dumps({
            "name": "ab", "workload": "stub", "launches": 5, "schedule": {"wait": 0, "warmup": 1, "active": 5},
            "stub": {"jitter": 0.002, "step_us": 1000}}))
        stepbench("ab", "ab.yaml", "--a", STUB, "--b", STUB, "--b-set", "stub.step_us=1100", "--no-lock", "--quiet",
                  "--results", "ab", "--allow", "load", "--allow", "steal", status=(1,))
        file = next(path("ab").glob("*/verdict.json"))
        step = json.loads(file.read_text())["cases"][0]["metrics"][0]
        page = self.whole(report("verdict", file))
        self.assertEqual(self.embedded(page)["generated_from"]["kind"], "verdict")
        self.assertIn("regression", page.run("return document.body.innerText"))
        drawn = [number for figure in page.figures() for trace in figure["data"] for number in numbers_of(trace)]
        self.assertTrue(any(abs(number - 100 * step["change"]) < 1e-3 for number in drawn), step)

    def test_two_hundred_nights_have_a_page(self):
        files = nights(SAMPLE, path("nights"), 200)
        stepbench("track", "add", *files, "--db", "sqlite:history.db")
        page = self.whole(report("history", "history.db"))
        self.assertEqual(self.embedded(page)["generated_from"]["kind"], "history")
        figures = [figure for figure in page.figures() if any(len(list(numbers_of(trace))) >= 200
                                                              for trace in figure["data"])]
        self.assertGreaterEqual(len(figures), 2, "a series for each case, a point for each night")

    def site(self, name, *words):
        stepbench("track", "report", "--site", name, "--db", "sqlite:nights.db", *words)
        return path(name)

    def tell_of_a_step(self, history, nights):
        """Adds the events of a night with a step between the two."""
        with contextlib.closing(sqlite3.connect(history)) as rows:
            series, = rows.execute("SELECT series_id FROM series WHERE metric = 'step_ns'").fetchone()
            host, begin = rows.execute("SELECT host, started_at FROM run WHERE run_id = ?", nights[1:]).fetchone()
        event = {"schema": "stepbench.event", "version": 1, "seq": 1, "at": begin, "who": "ci@box", "what": "told",
                 "alert": "A1", "from": "", "to": "open", "reason": "",
                 "details": {"night": nights[1], "night_utc": begin, "host": host, "experiment": "train",
                             "series": series, "size": 0.0392, "worse": True, "low": 0.03, "high": 0.05,
                             "last_good": nights[0], "first_bad": nights[1], "likely": nights[1], "usual": 50e6,
                             "value": 52e6, "change": 0.04}}
        pathlib.Path(f"{history}.events.jsonl").write_text(json.dumps(event) + "\n")

    def test_site_of_nights_opens_from_disk_and_server(self):
        files = nights(SAMPLE, path("site-nights"), 24)
        stepbench("track", "add", *files, "--db", "sqlite:nights.db")
        self.tell_of_a_step(path("nights.db"), [json.loads(file.read_text().splitlines()[0])["run_id"]
                                                for file in files[16:18]])
        folder = self.site("site")
        self.site("site", "--title", "Again")  # a site replaces a site
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for address in (folder.as_uri(), f"http://127.0.0.1:{server.server_port}"):
                for file in sorted(folder.glob("*.html")):
                    page = self.look(file, address=f"{address}/{file.name}")
                    self.assertEqual([state for state in page.draw_all() if state != "drawn"], [], page.address)
                    links = page.run("return [...document.querySelectorAll('a')].map(a => a.getAttribute('href'))")
                    for link in links:
                        self.assertTrue(link.startswith("#") or (folder / link).is_file(), f"{file.name}: {link}")
                    self.assertEqual([asked for asked in page.requests() if not asked.startswith(address)], [])
                    self.assertEqual(page.console(), [], page.address)
                    if file.name.startswith("series-"):
                        self.assertEqual(len(page.figures()), 1, file.name)
        finally:
            server.shutdown()
            server.server_close()
        index = self.look(folder / "index.html")
        self.assertEqual(driver.title, "Again")
        rows = [row for table in self.ask(index, "tables") for row in table["rows"]]
        self.assertTrue((folder / "alert-A1.html").is_file())
        self.assertIn("1 alert is open: A1, +4", index.run("return document.body.innerText"))
        self.assertEqual(len(rows), len(list(folder.glob("series-*.html"))) + len(list(folder.glob("alert-*.html"))))
        index.run("document.querySelector('#series td a').click()")
        index.until("location.pathname.includes('/series-')", "the page of a series")

    def test_trace_has_a_page(self):
        subprocess.run([COMPOSE, path("traces")], check=True, stdout=subprocess.DEVNULL)
        trace = next(iter(json.loads(path("traces/expected.json").read_text()).values()))["path"]
        page = self.whole(report("trace", trace))
        self.assertEqual(self.embedded(page)["generated_from"]["kind"], "analysis")

    def test_operations_have_a_page(self):
        page = self.whole(report("profiled", PROFILED, status=(0, 4)))
        page.draw_all()
        sizes = page.run("""
            return [...document.querySelectorAll('.plot .slicetext')].filter(text => text.getClientRects().length).map(
              text => parseFloat(getComputedStyle(text).fontSize) * (text.getCTM() ? text.getCTM().a : 1));""")
        self.assertTrue(sizes)
        self.assertGreaterEqual(min(sizes), 9.5, "what does not fit is hidden")
        self.assertIn("aten::addmm", page.run("return document.body.innerText"))


if __name__ == "__main__":
    for program in missing_programs():
        print(f"{program} is not installed")
        sys.exit(77)
    OUT.mkdir(parents=True, exist_ok=True)
    unittest.main(verbosity=2)
