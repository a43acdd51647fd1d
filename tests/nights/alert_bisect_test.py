# SPDX-License-Identifier: Apache-2.0
"""From a night's alert to the commit: alert_bisect_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import Machine  # noqa: E402

PROGRAM, STUB, DATED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
BUILD = "sh build.yaml"  # a name that git does not ignore there
MAKE = """\
slower=$(cat slower.yaml)
mkdir -p out
printf '#!/bin/sh\\n# %s\\nSTUB_SLOWER=%s exec {stub} "$@"\\n' "$(git rev-parse HEAD)" "$slower" > out/stepbench-worker
chmod +x out/stepbench-worker
"""


class AlertBisect(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        (self.machine.folder / "build.yaml").write_text(MAKE.format(stub=STUB))

    def commits(self, slower, title):
        for number, factor in enumerate(slower):
            (self.machine.folder / "slower.yaml").write_text(f"{factor}\n")
            self.machine.commit(f"{title} {number}")

    def test_alert_bisects_to_its_commit(self):
        """Four quiet nights, a slower program of the same commit, six commits in a day of which the third is slower."""
        self.commits([1], "good")
        good = self.machine.build("good")
        self.machine.night(good)
        self.machine.ignore_memory()
        for night in range(3):
            self.machine.night(self.machine.build(f"good-{night}"), status=0)
        self.machine.night(self.machine.build("flags", slower=1.1), status=1)
        done = self.machine.run("track", "bisect", "A1", "--build", BUILD, "--no-lock", status=2)
        self.assertRegex(done.err, "both nights are of commit [0-9a-f]{12}: the program did not change")
        self.machine.run("track", "note", "A1", "--as", "accepted", "other flags", status=0)
        self.commits([1, 1, 1.05, 1.05, 1.05, 1.05], "day")
        self.machine.night(self.machine.build("slow", slower=1.1 * 1.05), status=1)
        self.machine.weather = 1.0
        done = self.machine.run("track", "bisect", "A2", "--build", BUILD, "--no-lock", "--format", "json", status=0)
        answer = json.loads(done.out)
        self.assertEqual(answer["culprit"]["title"], "day 2", done)
        self.assertAlmostEqual(answer["culprit"]["change"]["change"], 0.05, delta=0.01)
        self.assertAlmostEqual(answer["size"], 0.05, delta=0.02)
        self.assertEqual(len(answer["commits"]), 1 + 6)
        self.assertEqual(answer["metric"], "step")
        # Invalid arguments.
        for words, said in [(["A9"], "no alert 'A9' (did you mean 'A"),
                            (["A2", "--series", "nosuch"], "--series: expected one of ")]:
            done = self.machine.run("track", "bisect", *words, "--build", BUILD, "--no-lock", status=2)
            self.assertIn(said, done.err)
        self.assertIn("--build: expected the command", self.machine.run("track", "bisect", "A2", status=2).err)


if __name__ == "__main__":
    tests = [f"AlertBisect.test_{name}" for name in sys.argv[5:]]
    unittest.main(argv=[sys.argv[0], *tests], verbosity=2)
