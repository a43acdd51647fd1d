# SPDX-License-Identifier: Apache-2.0
"""Nights of a group of ranks: group_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import Machine  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
# A program that is slower on some ranks only.
SLOW_RANKS = """\
#!/bin/sh
# {name}
case " {ranks} " in *" $RANK "*) slower={slower};; *) slower=1;; esac
STUB_SLOWER=$(awk "BEGIN {{ print $slower * ${{WEATHER:-1}} }}")
export STUB_SLOWER
exec '{stub}' "$@"
"""


class Groups(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.machine.experiment("nightly", cases="    - {stub.step_us: 1000}\n", launches=3)
        experiment = self.machine.folder / "nightly.yaml"
        experiment.write_text(experiment.read_text() + "distributed: {ranks: 2}\n")
        self.machine.commit("a group of ranks")

    def build(self, name, ranks, slower):
        program = self.machine.folder / name
        program.write_text(SLOW_RANKS.format(name=name, ranks=" ".join(map(str, ranks)), slower=slower, stub=STUB))
        program.chmod(0o755)
        return program

    def night(self, program, status):
        done, verdict = self.machine.verdict(program)
        (series,) = (each for each in verdict["series"] if each["metric"] == "step_ns")
        self.assertEqual(done.status, status, f"{done}\n{series}")
        return series, verdict

    def test_slow_rank_of_a_group_is_found_with_its_size(self):
        good = self.build("good", [], 1)
        self.night(good, 0)
        self.machine.ignore_memory()
        for night in range(3):
            series, _ = self.night(self.build(f"good-{night}", [], 1), 0)
        self.assertEqual(series["state"], "ok", "a group that did not change is silent")
        rows = [json.loads(line) for run in self.machine.runs()[-1:] for file in run.glob("*.jsonl")
                for line in file.read_text().splitlines()]
        launches = [row for row in rows if row["kind"] == "launch"]
        self.assertEqual(sorted((row["arm"], row["launch"], row["rank"]) for row in launches),
                         [(arm, n, r) for arm in ("", "reference") for n in range(4) for r in range(2)])
        series, verdict = self.night(self.build("slow", [1], 1.06), 1)
        self.assertEqual(series["state"], "regression")
        (alert,) = verdict["alerts"]
        (told,) = alert["series"]
        self.assertAlmostEqual(told["change"], 0.06, places=2)
        self.assertIn(" on rank 1 +", json.dumps(verdict))
        self.assertNotIn(" on rank 0 ", json.dumps(verdict), "ranks of the stub do not wait for each other")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Groups.test_{name}" for name in sys.argv[5:])])
