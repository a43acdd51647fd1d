# SPDX-License-Identifier: Apache-2.0
"""Results as DataFrames: frames_test.py STEPBENCH SOURCE_DIR [TEST]..."""
import csv
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

PROGRAM, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
del sys.argv[1:3]
sys.path.insert(0, str(SOURCE / "tools/python"))
os.environ["PATH"] = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
import stepbench  # noqa: E402

SAMPLE = SOURCE / "results/sample"
VERDICT = SOURCE / "tests/corpus/data/ab/verdict.json"


def read_csv(text, schema_overrides, infer_schema_length):
    """The part of polars that is called."""
    assert infer_schema_length is None
    head, *rows = csv.reader(io.StringIO(text.read().decode()))
    return {name: [row[at] for row in rows] for at, name in enumerate(head)} | {"overrides": schema_overrides}


POLARS = types.SimpleNamespace(__name__="polars", DataFrame=lambda columns: columns, String="String", read_csv=read_csv)


def steps_of_sample():
    """Returns the steps from the program's other output."""
    done = subprocess.run([PROGRAM, "show", SAMPLE, "--samples", "--format", "csv"], capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


class Frames(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def same_steps(self, columns):
        """`columns`: lists by name."""
        want = steps_of_sample()
        self.assertEqual(list(columns), [name for name in want[0] if name != "case"])
        for name, values in columns.items():
            self.assertEqual([str(value) for value in values], [row[name] for row in want], name)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_run_has_a_row_per_case_and_per_step(self):
        run = stepbench.load(SAMPLE, library="pandas")
        self.same_steps({name: list(run.steps[name]) for name in run.steps.columns})
        self.assertEqual(list(run.cases["loader.num_workers"]), [0, 1, 2])
        medians = run.steps.groupby(["case_id", "launch"])["step_ns"].mean().groupby("case_id").median()
        for _, case in run.cases.iterrows():
            self.assertAlmostEqual(medians[case["case_id"]] / case["step_ns"], 1, delta=0.01)

    def test_polars_has_the_same_columns(self):
        with mock.patch.dict(sys.modules, polars=POLARS):
            run = stepbench.load(SAMPLE, library="polars")
            with mock.patch.dict(sys.modules, numpy=None):
                again = stepbench.load(SAMPLE, library="polars")
        for steps in (run.steps, again.steps):
            self.same_steps({name: list(values) for name, values in steps.items()})
        self.assertEqual(run.cases["loader.num_workers"], ["0", "1", "2"])
        self.assertEqual(run.cases["overrides"]["case_id"], "String", "hexadecimal digits can look like a number")

    def test_already_imported_library_is_used(self):
        with mock.patch.dict(sys.modules, polars=POLARS):
            sys.modules.pop("pandas", None)
            self.assertIsInstance(stepbench.load(VERDICT).cases, list)

    def test_verdict_has_a_row_per_metric_and_per_cause(self):
        with mock.patch.dict(sys.modules, polars=POLARS):
            told = stepbench.load(VERDICT, library="polars")
        self.assertEqual((told.verdict, told.exit_code), ("regression", 1))
        self.assertEqual([(row["name"], row["verdict"]) for row in told.cases], [("step", "regression"), ("peak_bytes", "ok")])
        self.assertEqual([row["phase"] for row in told.causes][0], "backward")

    def test_history_has_a_row_per_night_of_a_series(self):
        file = self.folder / "history.db"
        subprocess.run([PROGRAM, "track", "add", SAMPLE, "--db", f"sqlite:{file}"], capture_output=True, check=True)
        with mock.patch.dict(sys.modules, polars=POLARS):
            points = stepbench.load(file, library="polars").points
        self.assertEqual(len(set(points["case_id"])), 3)
        self.assertIn("step_ns", points["metric"])

    def test_empty_run_has_no_rows_and_damage_warns(self):
        whole = next(SAMPLE.glob("*.jsonl")).read_text()
        (self.folder / "run.jsonl").write_text(whole[:3000])
        with mock.patch.dict(sys.modules, polars=POLARS), warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            run = stepbench.load(self.folder, library="polars")
        self.assertEqual(run.steps["step_ns"], [])
        self.assertEqual([str(each.message).split(": ")[1][:23] for each in seen], ["line 2 is cut short (71"])
        self.assertEqual(seen[0].filename, __file__)

    def test_unreadable_file_is_named(self):
        (self.folder / "other.json").write_text('{"schema": "of.another"}')
        (self.folder / "broken.json").write_text("{")
        (self.folder / "damaged.jsonl").write_text("no json\n")
        (self.folder / "damaged.db").write_text("no history" * 1000)
        with mock.patch.dict(sys.modules, polars=POLARS):
            for file, error, text in (("none", FileNotFoundError, "there is no such run, verdict or history"),
                                      ("other.json", ValueError, "is of the schema of.another"),
                                      ("broken.json", ValueError, "not a verdict of stepbench"),
                                      ("damaged.jsonl", ValueError, "damaged.jsonl:1: not a stepbench result file"),
                                      ("damaged.db", ValueError, "damaged.db")):
                with self.subTest(file), self.assertRaisesRegex(error, text):
                    stepbench.load(self.folder / file, library="polars")
        with self.assertRaisesRegex(ValueError, "expected one of pandas, polars"):
            stepbench.load(SAMPLE, library="numpy")
        with mock.patch.dict(sys.modules, {"pandas": None, "polars": None}), \
                self.assertRaisesRegex(ModuleNotFoundError, "makes DataFrames of pandas or polars, which is not installed"):
            stepbench.load(SAMPLE)

    def test_missing_program_is_named(self):
        with mock.patch.dict(os.environ, PATH=str(self.folder)), self.assertRaisesRegex(FileNotFoundError, "nor on PATH"):
            stepbench.load(SAMPLE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
