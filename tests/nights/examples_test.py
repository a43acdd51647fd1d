# SPDX-License-Identifier: Apache-2.0
"""Runs the advice of tools/examples/nightly: examples_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import threading
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import PATIENCE_S, Machine  # noqa: E402

PROGRAM, STUB, DATED, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
EXAMPLES = SOURCE / "tools/examples/nightly"
WARMING_UP = 0
REGRESSION = 1
UNDECIDED = 3
ALERT = {"schema": "stepbench.alert", "version": "1.0.0", "id": "A1", "state": "regression", "host": "bench1",
         "text": "A1 on bench1: it's 3.2 % slower \"now\"", "show": "stepbench track show A1",
         "series": [{"experiment": "nightly", "case": "kind=mlp", "metric": "step_ns", "change": 0.0324}]}


def without_numbers(line):
    line = re.sub(r"\d{4}-\d\d-\d\d", "DATE", line)
    return re.sub(r"\d+(\.\d+)?", "N", re.sub(r"\b[0-9a-f]{8}\b", "HASH", line))


class Examples(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.folder = self.machine.folder
        for script in EXAMPLES.glob("*.sh"):
            shutil.copy(script, self.folder)
        self.bin = self.folder / "opt"
        self.script(self.bin / "stepbench", f'command=$1; shift; exec {PROGRAM} "$command" --worker {STUB} "$@"')

    def script(self, file, body):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def placed(self, text):
        """Replaces the examples' paths by those of this machine."""
        return text.replace("/opt/stepbench/bin", str(self.bin)).replace("/srv/nightly", str(self.folder))

    def run_shell(self, command, shell=("sh", "-c"), **variables):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **variables}
        return subprocess.run([*shell, command], cwd=self.folder, env=environment, text=True, capture_output=True,
                              timeout=PATIENCE_S)

    def expect_a_night(self, done, results):
        self.assertEqual(done.returncode, WARMING_UP, done.stdout + done.stderr)
        self.assertTrue((results / "history.db").exists(), done.stdout + done.stderr)
        self.assertEqual(done.stderr, "", "a quiet night says nothing on standard error")

    def test_cron_line_measures_a_night(self):
        lines = [line for line in (EXAMPLES / "crontab").read_text().splitlines() if line and not line.startswith("#")]
        variables = dict(line.split("=", 1) for line in lines[:-1])
        schedule = re.match(r"(\S+) (\S+) (\S+) (\S+) (\S+) (.*)", lines[-1])
        self.assertTrue(all(re.fullmatch(r"[\d*/,-]+", field) for field in schedule.groups()[:5]))
        self.assertNotIn("%", schedule[6], "cron would end the line there")
        done = self.run_shell(self.placed(schedule[6]), shell=(variables["SHELL"], "-c"),
                              PATH=self.placed(variables["PATH"]))
        self.expect_a_night(done, self.folder / "results")

    def test_systemd_unit_measures_a_night(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        for name in ("stepbench-nightly.service", "stepbench-nightly.timer"):
            (self.folder / name).write_text(self.placed((EXAMPLES / name).read_text()))
        units = [str(self.folder / f"stepbench-nightly.{kind}") for kind in ("service", "timer")]
        verified = subprocess.run(["systemd-analyze", "verify", *units], text=True, capture_output=True, timeout=PATIENCE_S)
        ours = [line for line in verified.stderr.splitlines() if "stepbench-nightly" in line]
        self.assertEqual((verified.returncode, ours), (0, []), verified.stderr)
        service = (self.folder / "stepbench-nightly.service").read_text()
        command = re.search(r"(?m)^ExecStart=(.*)$", service)[1]
        done = self.run_shell(" ".join(map(shlex.quote, shlex.split(command))))
        self.expect_a_night(done, self.folder / "results")
        self.assertIn(str(UNDECIDED), re.search(r"(?m)^SuccessExitStatus=(.*)$", service)[1].split())

    def check_out(self):
        """Makes the files that a checkout has after its build."""
        tools = self.folder / "build/ci/tools/stepbench"
        self.script(tools / "stepbench", f'exec {self.bin / "stepbench"} "$@"')
        (self.folder / "configs").mkdir()
        shutil.copy(self.folder / "nightly.yaml", self.folder / "configs")
        shutil.copytree(EXAMPLES, self.folder / "tools/examples/nightly")
        (self.folder / "runner").mkdir()
        home = self.folder / "home"
        home.mkdir()
        return home

    def test_github_and_gitlab_jobs_measure_a_night(self):
        home = self.check_out()
        steps = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["nightly"]["steps"]
        (measure,) = [step for step in steps if step.get("name") == "Measure"]
        summary = self.folder / "summary.md"
        done = self.run_shell(measure["run"], shell=("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"),
                              HOME=str(home), GITHUB_STEP_SUMMARY=str(summary), GITHUB_REF_NAME="main")
        self.expect_a_night(done, home / "stepbench/results")
        self.assertIn("no verdict", summary.read_text())
        self.assertEqual(json.loads((self.folder / "night.json").read_text())["exit_code"], WARMING_UP)
        kept = [step for step in steps if "upload-artifact" in step.get("uses", "")][0]["with"]["path"].split()
        for file in kept:
            self.assertTrue((self.folder / file).exists(), file)
        job = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())["nightly"]
        for file in job["artifacts"]["paths"]:
            (self.folder / file).unlink(missing_ok=True)
        done = self.run_shell(job["script"][-1], HOME=str(self.folder / "runner"), CI_COMMIT_REF_NAME="main")
        self.expect_a_night(done, self.folder / "runner/stepbench/results")
        self.assertIn(UNDECIDED, job["allow_failure"]["exit_codes"])
        for file in job["artifacts"]["paths"]:
            self.assertTrue((self.folder / file).exists(), file)

    def test_readme_night_works_as_printed(self):
        """Its lines are those of a night like it, but for numbers, dates and hashes."""
        page = (SOURCE / "README.md").read_text()
        chapter = page.partition("## Did last night's build make it slower?\n")[2]
        told = [re.search(r"(?m)^\$ stepbench nightly .*\n(.*)\n", page)[1],
                *re.search(r"```\n(.*?)```", chapter, re.DOTALL)[1].splitlines()]
        self.machine.experiment("nightly", cases="    - {stub.step_us: 10000}\n")
        self.machine.commit("one case")
        for night in range(13):
            self.machine.night(self.machine.build(f"built-{night}"), status=WARMING_UP)
            if night == 0:
                self.machine.ignore_memory()
        self.machine.commit("Read each image twice")
        done = self.machine.night(self.machine.build("slow", slower=1.06), status=REGRESSION)
        seen = list(map(without_numbers, done.out.splitlines()))
        for line in map(without_numbers, told):
            self.assertIn(line, seen, done)
            seen = seen[seen.index(line) + 1:]

    def tell(self, script, **variables):
        environment = {**os.environ, **variables}
        return subprocess.run([self.folder / script], input=json.dumps(ALERT) + "\n", env=environment, text=True,
                              capture_output=True, timeout=PATIENCE_S)

    def test_webhook_sends_a_sentence(self):
        for program in ("curl", "jq"):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")
        received, answers = [], [200, 404]

        class Chat(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(answers[len(received) - 1])
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Chat) as chat:
            threading.Thread(target=chat.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{chat.server_port}/hook"
            sent = self.tell("webhook.sh", WEBHOOK_URL=address, no_proxy="127.0.0.1")
            refused = self.tell("webhook.sh", WEBHOOK_URL=address, no_proxy="127.0.0.1")
            chat.shutdown()
        self.assertEqual((sent.returncode, sent.stderr), (0, ""))
        self.assertEqual(received[0], {"text": ALERT["text"] + "\n" + ALERT["show"]})
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("404", refused.stderr)
        self.assertIn("WEBHOOK_URL", self.tell("webhook.sh", WEBHOOK_URL="").stderr)

    def test_mail_has_a_subject_and_the_sentence(self):
        if shutil.which("jq") is None:
            self.skipTest("jq is not installed")
        self.script(self.bin / "sendmail", f"echo \"$@\" > {self.folder}/arguments; cat > {self.folder}/mail")
        sent = self.tell("mail.sh", MAIL_TO="team@example.com", PATH=f"{self.bin}:{os.environ['PATH']}")
        self.assertEqual((sent.returncode, sent.stderr), (0, ""))
        head, body = (self.folder / "mail").read_text().split("\n\n", 1)
        self.assertEqual(head.splitlines()[:2], ["To: team@example.com",
                                                 "Subject: stepbench: regression A1 on bench1"])
        self.assertIn(ALERT["text"], body)
        self.assertIn("nightly kind=mlp step_ns: 3.24 %", body)
        self.assertEqual((self.folder / "arguments").read_text().strip(), "-t")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Examples.test_{name}" for name in sys.argv[5:])])
