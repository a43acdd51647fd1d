# SPDX-License-Identifier: Apache-2.0
"""The scripts that draw the charts, in Chromium: what they make of pages' data, held against the data, and of odd input.

usage: charts_test.py STEPBENCH SOURCE_DIR [TEST]...
"""
import gzip
import base64
import datetime
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

try:
    from browser import browser, missing_programs
except ImportError as missing:
    print(f"selenium is not installed: {missing}")
    sys.exit(77)
from compose import BEGIN, Run

sys.path.append(str(pathlib.Path(__file__).parents[1] / "corpus"))
from inputs import make_traces  # noqa: E402

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
SAMPLE = SOURCE / "results/sample"
DATA = SOURCE / "tests/unit/report/data"
FOLDER = SOURCE / "harness/report/internal/html"
CHARTS = ("words", "shapes", "charts_cases", "charts_run", "charts_verdict", "charts_nights", "charts_trace")
SCRIPTS = "\n".join((FOLDER / f"{name}.js").read_text() for name in CHARTS)


def setUpModule():
    global folder, driver
    folder = tempfile.TemporaryDirectory()
    driver = browser()
    driver.get("about:blank")


def tearDownModule():
    driver.quit()
    folder.cleanup()


def evaluated(expression, *arguments):
    return driver.execute_script(f"{SCRIPTS}\nreturn {expression};", *arguments)


def page_of(*words, status=(0, 4)):
    file = pathlib.Path(folder.name) / "page.html"
    done = subprocess.run([PROGRAM, "report", *words, "--output", file], capture_output=True, text=True, cwd=SOURCE)
    assert done.returncode in status, done.stderr
    return file.read_text()


def embedded(page):
    """Returns the page's data, and the title and the request of each figure."""
    texts = {}
    for name, packed, text in re.findall(r'<script type="application/json" id="([\w-]+)"(.*?)>(.*?)</script>', page, re.S):
        texts[name] = json.loads(gzip.decompress(base64.b64decode(text)) if packed else text)
    titles = re.findall(r'<h3[^>]*id="(figure-\d+)-title">(.*?)</h3>', page)
    return texts["stepbench-data"], [(html.unescape(title), texts[f"{name}-data"]) for name, title in titles]


def drawn(*words):
    """Returns (data of the page, [(title, request, figure of Plotly with the view's name)])."""
    data, figures = embedded(page_of(*words))
    made = evaluated("""arguments[1].map(({chart, ...asked}) =>
        (charts[chart].views?.(asked, arguments[0]) ?? [""]).map((name, view) =>
          ({name, ...charts[chart](asked, arguments[0], view)})))""", data, [asked for _, asked in figures])
    return data, [(title, asked, view) for (title, asked), views in zip(figures, made) for view in views]


def of_chart(figures, chart):
    return [figure for _, asked, figure in figures if asked["chart"] == chart]


def of_view(figures, view):
    return [figure for _, _, figure in figures if figure["name"].startswith(view)]


def named(figure, name):
    return next((trace for trace in figure["data"] if trace.get("name", "").startswith(name)), None)


class PageScripts(unittest.TestCase):
    def test_scripts_execute_no_text(self):
        """A text may become an element, an attribute's value or JSON; never markup or code."""
        for file in sorted(FOLDER.glob("*.js")):
            code = re.sub(r"//.*", "", file.read_text())
            for word in (r"\binnerHTML\b", r"\bouterHTML\b", r"\binsertAdjacentHTML\b", r"document\.write", r"\beval\b",
                         r"\bFunction\s*\(", r"\bimport\s*\(", r"\bfetch\s*\(", r"XMLHttpRequest"):
                self.assertIsNone(re.search(word, code), f"{file.name}: {word}")

    def test_scripts_never_close_their_element(self):
        for file in FOLDER.glob("*.js"):
            self.assertIsNone(re.search(r"</script|<!--", file.read_text(), re.I), file.name)


class Words(unittest.TestCase):
    def test_words_equal_those_of_the_tables(self):
        for expression, text in (
                ("significant(0.00123456)", "0.00123"), ("significant(9.996)", "10.0"), ("significant(1234567)", "1,234,567"),
                ("significant(0)", "0"),
                ("interval(41.2, 44.9)", "[41.2, 44.9]"), ("interval(1195, 1209)", "[1,195 to 1,209]"),
                ("interval(53.21, 53.24)", "[53.21, 53.24]"), ("duration(12345678)", "12.3 ms"), ("duration(0)", "0 ns"),
                ("signedDuration(-1234)", "-1.23 us"), ("bytes(5 * 2 ** 20)", "5.00 MiB"), ("bytes(12)", "12.0 B"),
                ("percent(0.1234)", "12.3 %"), ("percent(0.0025)", "0.25 %"), ("percent(1)", "100 %"), ("percent(0)", "0 %"),
                ("change(0.0123)", "+1.23 %"), ("change(-0.123)", "-12.3 %"), ("change(null)", "?"),
                ("changes(0.01, 0.02)", "[+1.00, +2.00]"), ("changes(0.01, null)", "-"),
                ("counted(1, 'launch')", "1 launch"), ("counted(12345, 'launch')", "12,345 launches"),
                ("amount(53e6, 'ns')", "53.0 ms"), ("amount(1230, 'samples/s')", "1,230 samples/s")):
            self.assertEqual(evaluated(f"words.{expression}"), text, expression)


class Shapes(unittest.TestCase):
    def test_markup_is_shown_as_text(self):
        for text, shown in (("<b>a</b> & <a href='javascript:x'>", "&lt;b&gt;a&lt;/b&gt; &amp; &lt;a href='javascript:x'&gt;"),
                            ("&lt; %{x} 5 %", "&amp;lt; &#37;{x} 5 %"), ("a\u202e\n\u2028", "a\\u202e\\n\\u2028")):
            self.assertEqual(evaluated("shapes.plain(arguments[0])", text), shown)
        self.assertEqual(evaluated("shapes.plain('äöüäöü', 4)"), "äöü…")
        self.assertLess(len(evaluated("shapes.plain('<'.repeat(1 << 20))")), 1000)
        self.assertEqual(evaluated("shapes.hover('a<br>', '', null, ['b', false])"), "a&lt;br&gt;<br>b")

    def test_infinite_ends_are_not_drawn(self):
        self.assertEqual(evaluated("shapes.intervals([10, 10, 10], [[9, 12], null, [8, Infinity]])"),
                         {"type": "data", "symmetric": False, "array": [2, None, None], "arrayminus": [1, None, 2]})
        self.assertIsNone(evaluated("shapes.intervals([1], [null])"))

    def test_very_many_names_are_thinned(self):
        axis = evaluated("shapes.axis({names: Array.from({length: 1000}, () => 'x')})")
        self.assertEqual((len(axis["ticktext"]), axis["tickvals"][1]), (50, 20))

    def test_thinning_keeps_ends_and_extremes(self):
        kept = evaluated("shapes.thinned(Array.from({length: 9999}, (_, i) => i === 4321 ? 99 : i % 7), 50)")
        self.assertLessEqual(len(kept), 50)
        self.assertEqual((kept[0], kept[-1], 4321 in kept, kept == sorted(set(kept))), (0, 9998, True, True))
        self.assertEqual(evaluated("shapes.thinned([3, 1, 2], 4)"), [0, 1, 2])

    def test_colours_contrast_with_both_backgrounds(self):
        def luminance(colour):
            channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
            return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear)) + 0.05
        for colour in evaluated("[...colours.series, colours.best, colours.bad]"):
            self.assertGreaterEqual(1.05 / luminance(colour), 3, colour)
            self.assertGreaterEqual(luminance(colour) / 0.06, 3, colour)


class RunCharts(unittest.TestCase):
    def test_sample_charts_have_its_numbers(self):
        data, figures = drawn(SAMPLE)
        cases = data["content"]["cases"]
        line, = of_view(figures, "step")[0]["data"]
        for i, case in enumerate(cases):
            self.assertAlmostEqual(line["y"][i], case["step_ns"] / 1e6, 3)
            self.assertAlmostEqual(line["y"][i] + line["error_y"]["array"][i], case["high_ns"] / 1e6, 3)
        self.assertEqual(line["hovertext"][0], "num_workers=0<br>case f672f0<br>step [ms] 65.4, range (n=3) [64.7, 70.2]<br>"
                         f"samples/s 245, range (n=3) [228, 247]<br>3 launches<br>stepbench show {SAMPLE} --case f672f0")
        times, shares = of_chart(figures, "anatomy")
        for figure, whole in ((times, lambda case: case["step_host_ns"] / 1e6), (shares, lambda _: 100)):
            for i, case in enumerate(cases):
                lengths = sum(trace["x"][trace["y"].index(i)] for trace in figure["data"] if trace["type"] == "bar")
                self.assertAlmostEqual(lengths, whole(case), 3)
        self.assertEqual(named(times, "data_wait")["marker"]["pattern"]["shape"], "/")
        for asked, figure in ((asked, figure) for _, asked, figure in figures if asked["chart"] == "distribution"):
            case = cases[asked["case"]]
            self.assertEqual([shape["x0"] for shape in figure["layout"]["shapes"]],
                             [case["step_p50_ns"] / 1e6, case["step_p90_ns"] / 1e6], "20 steps tell no p99")
            self.assertEqual(figure["data"][0]["x"], sorted(figure["data"][3]["y"]))
            self.assertEqual(figure["data"][0]["y"][-1], 100)
        launches = of_chart(figures, "launches")[0]
        self.assertEqual(named(launches, "warm-up or drift")["x"], ["2026-11-22T03:16:02"])

    def test_failed_is_a_cross_and_unplanned_a_gap(self):
        _, figures = drawn(DATA / "sweep.jsonl")
        heat = of_view(figures, "heat map")[0]
        cells, crosses = heat["data"]
        self.assertEqual(cells["z"][1][0], None)
        self.assertEqual([(crosses["x"], crosses["y"])], [([3], [0])])
        self.assertIn("failed: killed by signal 9", crosses["hovertext"][0])
        self.assertEqual(cells["z"][0][2], cells["z"][1][2], "those that tie with the best share its colour")
        self.assertEqual(cells["text"][1][2], "52.9 *")

    def run_of(self, cases):
        run = Run(SAMPLE, "made")
        run.sweep(*{name: None for options, _ in cases for name in options})
        for options, row in cases:
            run.add(options, **row)
        return drawn(run.write(pathlib.Path(folder.name) / "made.jsonl"))[1]

    def test_hostile_names_are_shown_as_text(self):
        figures = self.run_of([({"loader.engine": name}, {"step_ns": 50e6, "steps": 5}) for name in ("<b>x</b>", "%{y}", "z")])
        dots = of_chart(figures, "sweep")[0]
        self.assertEqual(dots["layout"]["yaxis"]["ticktext"], ["engine=&lt;b&gt;x&lt;/b&gt;", "engine=&#37;{y}", "engine=z"])
        self.assertNotIn("<b>", json.dumps([figure for _, _, figure in figures]), "no text of a run is markup")

    def test_nearly_equal_cases_look_equal(self):
        def scale(last):
            return of_view(self.run_of([({"a": i // 2, "b": i % 2}, {"step_ns": last if i == 3 else 50e6, "noise": 0.0001})
                                        for i in range(6)]), "heat map")[0]["layout"]["coloraxis"]
        tied = scale(50.1e6)
        self.assertAlmostEqual(tied["cmin"] / tied["cmax"], 0.8)
        self.assertNotIn("cmin", scale(80e6))

    def test_four_options_are_parallel_axes_in_quarters(self):
        figures = self.run_of([({"a": i % 2, "b": i // 2 % 2, "c": i // 4 % 2, "d": i // 8}, {"step_ns": (40 + 4 * i) * 1e6,
                                "steps": 5}) for i in range(16)])
        parallel = of_chart(figures, "sweep")[0]
        self.assertEqual(len(parallel["layout"]["xaxis"]["ticktext"]), 5)
        self.assertEqual([trace["name"].split(",")[0] for trace in parallel["data"]],
                         ["slowest quarter", "middle half", "fastest quarter", "best *"])

    def views_of(self, cases, **row):
        figures = self.run_of([(options, {"step_ns": 50e6, "steps": 5, "launches": 2, **row}) for options in cases])
        return {figure["name"]: figure for figure in of_chart(figures, "sweep")}

    def test_one_option_is_a_line_or_dots(self):
        line = self.views_of([{"a": value} for value in (8, 1, 4, 2)])["step"]
        self.assertEqual((line["data"][0]["x"], line["layout"]["xaxis"]["type"]), ([1, 2, 4, 8], "log"))
        dots = self.views_of([{"a": value} for value in ("fork", "thread", "inline")])["step"]
        self.assertEqual(dots["layout"]["yaxis"]["ticktext"], ["a=fork", "a=thread", "a=inline"], "in the order of the table")
        self.assertIn("not at 0", dots["note"])

    def test_options_changing_together_share_an_axis(self):
        line = self.views_of([{"a": value, "b": value / 10} for value in (8, 16, 32)])["step"]
        self.assertEqual((line["layout"]["xaxis"]["title"]["text"], line["layout"]["xaxis"]["ticktext"][0]),
                         ("a / b", "8 / 0.8"))

    def test_three_options_are_small_multiples(self):
        views = self.views_of([{"a": i // 6, "b": i % 6 // 2, "c": not i % 2} for i in range(24)])
        self.assertEqual(list(views), [f"{way}: {number}" for number in ("step", "samples/s")
                                       for way in ("heat map", "lines", "best cases")])
        heat = views["heat map: step"]
        self.assertEqual((heat["layout"]["xaxis"]["title"]["text"], heat["layout"]["yaxis"]["title"]["text"]), ("a", "b"))
        self.assertEqual([each["text"] for each in heat["layout"]["annotations"]], ["c=true", "c=false"])
        self.assertEqual(len(views["best cases: step"]["layout"]["yaxis"]["ticktext"]), 24)

    def test_unset_options_and_failures_are_labelled(self):
        cases = [({"a": i % 2, "b": i // 2 % 2, "c": None if i % 3 else "x", "d": i // 8},
                  {"outcome": "failed", "reason": "no"} if i == 7 else {"step_ns": 50e6, "steps": 5}) for i in range(16)]
        parallel = of_chart(self.run_of(cases), "sweep")[0]
        self.assertIn("1 case without a number", parallel["note"])
        self.assertIn("not set", [each["text"] for each in parallel["layout"]["annotations"]])

    def test_very_many_cases_state_what_is_drawn(self):
        figures = self.run_of([({"a": i // 60, "b": i % 60}, {"step_ns": (40 + i) * 1e6, "launches": 1, "steps": 1})
                               for i in range(2100)])
        self.assertIn("the 2,000 best of 2,100 cases", of_chart(figures, "sweep")[0]["note"])
        self.assertIn("About 2,000 of 2,100 launches", of_chart(figures, "launches")[0]["note"])

    def test_flagged_steps_are_marked(self):
        figures = self.run_of([({"a": 1}, {"step_ns": 50e6, "steps": 5, "launches": 6, "flags": {2: 1, 3: 32}})])
        steps, = of_chart(figures, "distribution")
        self.assertEqual(named(steps, "epoch border, 6 steps")["x"], [2] * 6)
        self.assertEqual(named(steps, "unknown flag, 6 steps")["x"], [3] * 6)

    def test_launch_charts_mark_doubts_and_failures(self):
        launches = of_chart(self.run_of([({"a": 1}, {"step_ns": 50e6}), ({"a": 2}, {"outcome": "failed", "reason": "<i>no</i>",
                                          "launches": 1})]), "launches")[0]
        failed = named(launches, "failed: no number")
        self.assertEqual((failed["yaxis"], failed["y"]), ("y2", [0.02]))
        self.assertIn("failed: &lt;i&gt;no&lt;/i&gt;", failed["hovertext"][0])

    def test_profile_charts_sum_to_the_step(self):
        data, figures = drawn(DATA / "profiled.jsonl")
        profile = data["charts"]["profiles"][0]
        areas = of_chart(figures, "areas")[0]["data"][0]
        ops = profile["host_ops"]
        self.assertAlmostEqual(sum(areas["values"]), (sum(ops["ns"]) + ops["outside_ns"]) / profile["steps"] / 1e6, 3)
        self.assertEqual(areas["parents"].count(""), 1)

    def test_module_charts_fold_the_smallest_ops(self):
        ops = {"module": ["a.b", "a.b", "a", "", "c"] + ["c"] * 700, "name": ["x", "y", "x", "x", "x"] + [f"o{i}" for i in range(700)],
               "ns": [4, 1, 8, 2, 16] + [1] * 700, "calls": [1] * 705, "outside_ns": 5}
        areas = evaluated("areasOf(arguments[0])", ops)
        self.assertEqual(sum(area["ns"] for area in areas), sum(ops["ns"]) + 5)
        at = {area.get("path", area["label"]): i for i, area in enumerate(areas)}
        self.assertEqual((areas[at["a.b"]]["parent"], areas[at["a"]]["parent"]), (at["a"], at["(model)"]))
        self.assertNotEqual(areas[at["a"]]["colour"], areas[at["c"]]["colour"], "the first level with several modules")
        others, = (area for area in areas if area["label"] == "(others)")
        self.assertEqual((others["parent"], others["ns"]), (at["c"], 105))

    def test_call_charts_sum_to_the_step_by_phase(self):
        calls = {"name": ["step", "forward", "<b>", "backward", "(others)"], "parent": [-1, 0, 1, 0, 3],
                 "calls": [2, 2, 4, 2, 9], "host_ns": [2e6, 1.5e6, 4e5, 3e5, 1e5], "device_ns": [1e5, 1e5, 1e5, 0, 0]}
        flame = evaluated("charts.flame({profile: 0}, {charts: {profiles: [{steps: 2, calls: arguments[0]}]}})",
                          calls)["data"][0]
        self.assertEqual(flame["type"], "icicle")
        self.assertEqual(flame["values"], [0.1, 0.55, 0.2, 0.1, 0.05], "by itself, of two steps")
        self.assertEqual(flame["labels"], ["step", "forward", "&lt;b&gt;", "backward", "(others)"])
        dim, first, below, second, others = flame["marker"]["colors"]
        self.assertEqual((first, dim), (below, others))
        self.assertNotEqual(first, second)
        self.assertIn("device time from it: 50.0 us per step", flame["hovertext"][2])


class VerdictCharts(unittest.TestCase):
    def test_every_change_has_its_interval_and_margin(self):
        data, figures = drawn(SOURCE / "tests/corpus/data/ab/verdict.json")
        metrics = data["content"]["cases"][0]["metrics"]
        forest, = of_chart(figures, "forest")
        seen = 0
        for trace in forest["data"][1:]:
            for at, change in zip(trace["y"], trace["x"]):
                seen += 1
                self.assertAlmostEqual(change, 100 * metrics[at]["change"], 6)
                self.assertAlmostEqual(change + trace["error_x"]["array"][trace["y"].index(at)],
                                       100 * metrics[at]["change_high"], 6)
        self.assertEqual(seen, len(metrics))
        margins = forest["data"][0]
        self.assertEqual([-base for base in margins["base"]], [100 * metric["margin"] for metric in metrics])
        self.assertEqual(named(forest, "worse")["y"], [0])
        low, high = forest["layout"]["xaxis"]["range"]
        self.assertTrue(low < 0 < 10 < high < 20, "what changed decides the axis, not a wide margin")
        cause, = of_chart(figures, "cause")
        self.assertEqual(cause["data"][0]["x"], [change["change_ns"] / 1e6 for change in data["content"]["cases"][0]["cause"]])

    def test_very_many_metrics_show_the_largest_changes(self):
        metrics = [{"name": f"m{i}", "verdict": "regression" if i == 69 else "ok", "change": 0.01, "change_low": None,
                    "change_high": None, "margin": 0.02, "decides": True, "corrected_change": None, "p_adjusted": None,
                    "pairs": 3, "unit": "ns", "base_median": 1, "candidate_median": 1} for i in range(70)]
        comparison = {"aa_control": {}, "confidence": 0.95, "cases": [{"metrics": metrics + [{**metrics[0], "change": None}]}]}
        forest = evaluated("charts.forest({comparison: 0, names: ['a<b']}, {content: arguments[0]})", comparison)
        self.assertEqual(forest["layout"]["yaxis"]["ticktext"][0], "a&lt;b, m69")
        for words in ("The 60 of 70 rows", "1 row without a change", "60 rows without an interval"):
            self.assertIn(words, forest["note"])

    def test_night_charts_have_every_series_at_its_change(self):
        data, figures = drawn(SOURCE / "tests/unit/report/nights/data/eventful.json")
        night, = of_chart(figures, "night")
        xs = sorted(x for trace in night["data"] for x in trace["x"])
        expected = sorted(100 * series["change"] for series in data["content"]["series"] if series["change"] is not None)
        for x, change in zip(xs, expected, strict=True):
            self.assertAlmostEqual(x, change, 6)
        low, high = night["layout"]["xaxis"]["range"]
        self.assertTrue(low < min(xs) and high > max(xs) and low < -1 and high > 1)
        series = of_chart(figures, "series")
        self.assertEqual(len(series), 3, "those that moved")
        self.assertEqual(named(series[0], "alert")["x"], ["2026-01-26T02:00:00Z"])
        self.assertIsNotNone(named(series[0], "usual then"))
        self.assertEqual(len(named(series[0], "value")["y"]), 26)

    def test_single_night_has_an_axis_of_days(self):
        run = Run(SAMPLE, "single", BEGIN + datetime.timedelta(days=1))
        run.add({"loader.num_workers": 2}, 50e6, launches=3, steps=5)
        file = run.write(pathlib.Path(folder.name) / "single.jsonl")
        subprocess.run([PROGRAM, "track", "add", file, "--db", "sqlite:single.db"], cwd=folder.name, check=True,
                       capture_output=True)
        _, figures = drawn(pathlib.Path(folder.name) / "single.db")
        first, last = of_chart(figures, "series")[0]["layout"]["xaxis"]["range"]
        self.assertEqual((first[:10], last[:10]), ("2026-01-31", "2026-02-03"))

    def test_night_with_an_unknown_alert_is_drawn(self):
        figure = evaluated("charts.series({id: 's', title: 'step'}, {content: {id: 's', unit: 'ns', nights: arguments[0]}})",
                           [{"run_id": "r", "started_utc": "2026-01-01T02:00:00Z", "value": 1e6, "low": 9e5, "high": 2e6,
                             "launches": 3, "alert": "A9", "note": "<b>", "waited_for_cpu_share": 0.62, "state": "suspect"}])
        self.assertEqual([trace["name"] for trace in figure["data"]],
                         ["value with its interval", "suspect", "alert", "busy machine", "note"])
        self.assertIn("waited 62.0 %", figure["data"][0]["hovertext"][0])
        self.assertIn("&lt;b&gt;", figure["data"][0]["hovertext"][0])

    def test_long_history_states_its_start_and_omissions(self):
        def note(*values):
            nights = [{"run_id": "r", "started_utc": f"2026-01-0{day}T02:00:00Z", "value": value, "launches": 3}
                      for day, value in enumerate(values, 1)]
            return evaluated("charts.series({id: 's', title: 'step'}, {content: {id: 's', unit: 'ns', nights: arguments[0]}})",
                             nights)["note"]
        self.assertEqual(note(1e6, None, 1.1e6), "1 night without a value is left out. The axis does not begin at 0.")
        self.assertEqual(note(1e5, 9e6), "")


class TraceCharts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.traces = pathlib.Path(folder.name) / "traces"
        make_traces(SOURCE / "tests/fuzz/corpus/trace", cls.traces)

    def test_trace_charts_sum_to_each_step(self):
        data, figures = drawn(self.traces / "sync.json")
        steps, = of_chart(figures, "trace_steps")
        for i, wall in enumerate(data["content"][0]["idle"][0]["wall_ns"]):
            self.assertAlmostEqual(sum(trace["y"][i] for trace in steps["data"]), wall / 1e6, 6)
        self.assertEqual(steps["layout"]["barmode"], "stack")

    def test_trace_charts_name_the_slow_rank(self):
        data, figures = drawn(self.traces / "ranks")
        ranks, = of_chart(figures, "ranks")
        self.assertEqual(ranks["layout"]["xaxis"]["ticktext"], ["0", "1", "2 (straggler)"])
        rows = data["content"][-1]["ranks"]["rows"]
        self.assertEqual(ranks["data"][1]["y"], [row["wait_ns"] / 1e6 for row in rows])
        lanes, = of_chart(figures, "lanes")
        self.assertEqual([trace["name"] for trace in lanes["data"]], ["own work", "waiting for others", "exchanging"])


if __name__ == "__main__":
    for program in missing_programs():
        print(f"{program} is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
