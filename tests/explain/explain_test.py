# SPDX-License-Identifier: Apache-2.0
"""`stepbench explain` on two machines of known speed: explain_test.py STEPBENCH SAMPLE [TEST]...

A machine is the committed sample of a real run, each launch of it several times a little apart, and controls beside it;
another one is the same with phases and controls that take so many times as long."""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

STEPBENCH, SAMPLE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])

LAUNCHES = 8
CONTROLS = {"gemm": 30e6, "memory": 60e6, "launch": 1.5e6, "decode": 80e6, "fork": 4e6, "gemm_threads": 20e6,
            "memory_threads": 50e6}


class Explain(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.rows = [json.loads(line) for line in SAMPLE.read_text().splitlines()]

    def run_of(self, name, slower=None, controls=None, launches=LAUNCHES, workers=0, environment=None, spread=0.004):
        """A file of a machine on which phases take `slower` times as long, with the controls of it: factors, or None of
        one that was not measured; no controls: {}."""
        draw = random.Random(name)
        lines = []
        for row in self.rows:
            row = copy.deepcopy(row)
            if row["kind"] == "run":
                row["context"]["host"] = name
                row["context"].update(self.controls(controls, prefix="control."))
            if row["kind"] == "worker":
                row["environment"].update({"host": name, **(environment or {})})
            if row["kind"] in ("run", "columns", "worker"):
                lines.append(row)
        kept = {}
        for row in self.rows:
            if row["kind"] in ("samples", "launch") and row["launch"] == 0:
                kept.setdefault(row["case_id"], []).append(row)
        for rows in kept.values():
            if rows[1]["options"]["loader.num_workers"] != workers:
                continue
            for launch in range(launches):
                factor = 1 + spread * draw.gauss(0, 1)
                for row in copy.deepcopy(rows):
                    row["launch"] = launch
                    if row["kind"] == "samples":
                        self.slow_down(row, slower or {}, factor)
                    else:
                        times = (slower or {}).get("data_wait", (slower or {}).get("all", 1)) * factor
                        row["metrics"]["loader_decode_ns"] *= times
                    lines.append(row)
        path = self.folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in lines))
        return path

    @staticmethod
    def slow_down(row, slower, factor):
        columns = dict(zip(row["columns"], row["values"]))
        step = [0] * row["steps"]
        for name, values in columns.items():
            if not name.endswith("_ns") or name == "step_ns":
                continue
            times = slower.get(name[:-3], slower.get("all", 1)) * factor
            values[:] = [round(value * times) for value in values]
            step = [a + b for a, b in zip(step, values)]
        columns["step_ns"][:] = step

    @staticmethod
    def controls(factors, prefix=""):
        if factors == {}:
            return {}
        fields = {"measured_utc": "2026-01-31T12:00:00Z", "torch": "2.11.0", "threads": 2, "cores": 2}
        for name, ns in CONTROLS.items():
            factor = (factors or {}).get(name, 1)
            if factor is not None:
                fields.update({f"{name}_ns": ns * factor, f"{name}_sd": 0.005, f"{name}_launches": 8})
        return {prefix + name: value for name, value in fields.items()}

    def explain(self, *words, status=0):
        done = subprocess.run([STEPBENCH, "explain", *map(str, words)], text=True, capture_output=True,
                              env={"HOME": str(self.folder), "NO_COLOR": "1", "COLUMNS": "200"})
        self.assertEqual(done.returncode, status, f"{done.args}\n{done.stdout}{done.stderr}")
        return done

    def answer(self, *words, status=0):
        """Of the only case, and its phases by name."""
        (case,) = json.loads(self.explain(*words, "--format", "json", status=status).stdout)["cases"]
        return case, {phase["phase"]: phase for phase in case["phases"]}

    def test_a_machine_of_the_same_or_another_speed_is_explained_whole(self):
        a = self.run_of("a")
        for times in (1, 1.7):
            b = self.run_of(f"b{times}", {"all": times}, dict.fromkeys(CONTROLS, times))
            case, phases = self.answer(a, b)
            for name in ("data_wait", "forward", "backward", "optimizer"):
                self.assertEqual(phases[name]["told"], "as_predicted", phases[name])
            self.assertAlmostEqual(case["predicted_ns"], case["b_ns"] - case["a_ns"], delta=0.02 * case["b_ns"])
            self.assertLess(abs(case["rest_ns"]), 0.02 * case["b_ns"])
        self.assertNotIn("of what the controls predict", self.explain(a, self.run_of("b")).stdout)

    def test_a_phase_that_is_as_slow_as_its_control_is_explained(self):
        a, b = self.run_of("a"), self.run_of("b", {"data_wait": 1.5}, {"decode": 1.5})
        case, phases = self.answer(a, b)
        wait = phases["data_wait"]
        self.assertEqual((wait["told"], wait["controls"]), ("as_predicted", ["decode"]))
        self.assertAlmostEqual(wait["predicted"]["value"], 1.5, delta=0.001)
        self.assertAlmostEqual(wait["ratio"]["value"], 1.5, delta=0.02)
        self.assertAlmostEqual(case["predicted_ns"], 0.5 * wait["a_ns"], delta=0.01 * case["a_ns"])
        self.assertLess(abs(case["rest_ns"]), 0.02 * case["a_ns"])
        done = self.explain(a, b)
        self.assertRegex(" ".join(done.stdout.split()), r"a step takes 1\.\d+x .* on B .*: the controls predict [+]7\.\d+ ms .*, the rest is")

    def test_what_the_control_does_not_predict_is_named_with_its_size(self):
        a = self.run_of("a")
        for factor, told in [(2.0, "slower"), (1.2, "faster")]:
            with self.subTest(factor):
                b = self.run_of("b", {"data_wait": factor}, {"decode": 1.5})
                case, phases = self.answer(a, b)
                self.assertEqual(phases["data_wait"]["told"], told)
                self.assertAlmostEqual(phases["data_wait"]["rest"]["value"], factor / 1.5, delta=0.02)
                self.assertAlmostEqual(case["rest_ns"], (factor - 1.5) * phases["data_wait"]["a_ns"],
                                       delta=0.02 * case["a_ns"])
                self.assertEqual(phases["forward"]["told"], "as_predicted")
                self.assertIn("data_wait takes ", self.explain(a, b).stdout)

    def test_a_phase_of_several_kinds_of_work_has_a_range(self):
        a = self.run_of("a")
        b = self.run_of("b", {"forward": 1.2}, {"gemm": 1.4})
        _, phases = self.answer(a, b)
        self.assertEqual(phases["forward"]["told"], "within", "anything between 1 and 1.4 is possible")
        self.assertAlmostEqual(phases["forward"]["predicted"]["low"], 1, delta=0.02)
        self.assertAlmostEqual(phases["forward"]["predicted"]["high"], 1.4, delta=0.03)
        b = self.run_of("b", {"forward": 1.8}, {"gemm": 1.4})
        _, phases = self.answer(a, b)
        self.assertEqual(phases["forward"]["told"], "slower", "whatever its parts are")
        self.assertEqual(phases["backward"]["told"], "within")
        self.assertEqual(phases["optimizer"]["told"], "as_predicted", "it multiplies no matrices")

    def test_what_cannot_be_told_is_said(self):
        a = self.run_of("a")
        for words, text, status in [
                ([a, self.run_of("b", controls={})], "there are no controls of B: `stepbench doctor --measure` on b", 3),
                ([a, self.run_of("few", launches=5)], "A has 8 launches and B 5; intervals take 6 of each", 3),
                ([self.run_of("w", {"data_wait": 50}, workers=2), self.run_of("v", {"data_wait": 60}, workers=2)],
                 "what a step waits for is what workers that read ahead leave over", 0),
                ([a, self.run_of("c", controls={"decode": None})], "the control decode was not measured on both machines", 0),
        ]:
            with self.subTest(text):
                done = self.explain(*words, status=status)
                self.assertIn(text, " ".join(done.stdout.replace("|", " ").split()), done.stdout)

    def test_what_differs_besides_the_machine_is_said(self):
        a = self.run_of("a")
        b = self.run_of("b", environment={"torch": "2.8.0", "cpu.model": "Another"})
        out = " ".join(self.explain(a, b).stdout.split())
        self.assertIn("B ran with torch 2.8.0, its controls with 2.11.0", out)
        self.assertIn("not the machine: torch is 2.11.0 on A, 2.8.0 on B: what that changes is in the rest", out)
        self.assertNotIn("cpu.model is", out)

    def test_more_threads_are_predicted_by_the_controls_on_all_cores(self):
        a = self.run_of("a")
        b = self.run_of("b", {"backward": 0.7, "forward": 0.7}, environment={"intra_op_threads": 2})
        case, phases = self.answer(a, b)
        # From work on one thread, 1x, to matrices in two, 20 ms for 30 ms.
        self.assertAlmostEqual(phases["forward"]["predicted"]["low"], 0.667, delta=0.02)
        self.assertAlmostEqual(phases["forward"]["predicted"]["high"], 1, delta=0.02)
        self.assertIn("gemm_threads", phases["forward"]["controls"])
        self.assertNotIn("intra_op_threads is", self.explain(a, b).stdout)
        b = self.run_of("b", {"backward": 0.5}, environment={"intra_op_threads": 2})
        _, phases = self.answer(a, b)
        self.assertEqual(phases["backward"]["told"], "faster")

    def test_controls_come_from_a_file_too(self):
        a, b = self.run_of("a", controls={}), self.run_of("b", {"data_wait": 1.5}, {})
        for name, factors in [("a", None), ("b", {"decode": 1.5})]:
            fields = self.controls(factors)
            kept = {"schema": "stepbench.machine", "version": "1.1.0", "controls": fields}
            (self.folder / f"machine-{name}.json").write_text(json.dumps(kept if name == "a" else {"measured": kept}))
        self.explain(a, b, status=3)
        words = [a, b, "--a-controls", self.folder / "machine-a.json", "--b-controls", self.folder / "machine-b.json"]
        _, phases = self.answer(*words)
        self.assertEqual(phases["data_wait"]["told"], "as_predicted")
        self.assertAlmostEqual(phases["data_wait"]["predicted"]["value"], 1.5, delta=0.001)
        self.assertIn("| data_wait |", self.explain(*words, "--format", "markdown").stdout)

    def test_mistakes_are_answered(self):
        a, b = self.run_of("a"), self.run_of("b", workers=2)
        (self.folder / "old.json").write_text('{"schema": "stepbench.machine", "version": "1.0.0"}')
        (self.folder / "broken.json").write_text("{")
        for words, text in [
                ([a, "nosuch"], "nosuch"), ([a], "RUN_B"), ([a, b], "has no case that"),
                ([a, a, "--case", "zz"], "no case on both sides begins with zz"),
                ([a, a, "--ignore", "loader.nosuch"], "nosuch"),
                ([a, a, "--a-controls", self.folder / "none.json"], "none.json"),
                ([a, a, "--a-controls", self.folder / "old.json"], "holds no controls"),
                ([a, a, "--b-controls", self.folder / "broken.json"], "broken.json"),
        ]:
            with self.subTest(words):
                self.assertIn(text, self.explain(*words, status=2).stderr)


if __name__ == "__main__":
    tests = [f"Explain.test_{name}" for name in sys.argv[3:]]
    unittest.main(argv=[sys.argv[0], *tests], verbosity=2)
