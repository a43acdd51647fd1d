# SPDX-License-Identifier: Apache-2.0
"""Runs the advice of tools/examples/ci: ci_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR [TEST]..."""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse
import xml.etree.ElementTree as xml

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from nights import PATIENCE_S  # noqa: E402

PROGRAM, STUB, _, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
EXAMPLES = SOURCE / "tools/examples/ci"
BUILT = "build/ci/tools/stepbench"
EXPERIMENT = """\
name: quick
workload: stub
schedule: {wait: 0, warmup: 1, active: 5}
stub: {jitter: 0.002, step_us: 1000}
"""
# Enough to prove a change of a half; other load on this machine does not matter here.
AB = "--pairs 8 --metric step --no-lock " + " ".join(f"--allow {what}" for what in ("load", "steal", "throttling", "clocks"))


class Recipes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        shutil.copytree(EXAMPLES, self.folder / "tools/examples/ci")
        (self.folder / "configs").mkdir()
        (self.folder / "configs/quickstart.yaml").write_text(EXPERIMENT)
        self.script(self.folder / BUILT / "stepbench",
                    'command=$1; shift; set -- $(for word; do [ "$word" = --wait-lock ] || echo "$word"; done)\n'
                    f'[ "$command" != ab ] || set -- "$@" {AB}\nexec {PROGRAM} "$command" "$@"')
        self.worker("old", 1.0)
        self.worker(".", 1.0)

    def script(self, file, body):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)

    def worker(self, tree, slower):
        self.script(self.folder / tree / BUILT / "stepbench-worker",
                    f'# {tree}\nSTUB_SLOWER={slower} exec {STUB} "$@"')

    def run_shell(self, command, **variables):
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command], cwd=self.folder,
                              env={**os.environ, **variables}, text=True, capture_output=True, timeout=PATIENCE_S)

    def expect_regression(self, done):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        bench = self.folder / "bench"
        self.assertIn("regression", (bench / "comment.md").read_text())
        self.assertEqual(json.loads((bench / "verdict.json").read_text())["exit_code"], 1)
        self.assertEqual(xml.parse(bench / "report.xml").getroot().get("failures"), "1")

    def test_github_pull_request_gets_its_verdict(self):
        self.worker(".", 1.5)
        shutil.move(self.folder / "old", self.folder / "runner-old")
        workflow = yaml.safe_load((EXAMPLES / "github.yml").read_text())
        (measure,) = [step for step in workflow["jobs"]["measure"]["steps"] if step.get("name") == "Measure"]
        temporary = self.folder / "temporary"
        temporary.mkdir()
        shutil.move(self.folder / "runner-old", temporary / "old")
        summary = self.folder / "summary.md"
        done = self.run_shell(measure["run"], RUNNER_TEMP=str(temporary), GITHUB_STEP_SUMMARY=str(summary))
        self.expect_regression(done)
        self.assertIn("::error title=regression", done.stdout)
        self.assertIn("regression", summary.read_text())
        kept = [step for step in workflow["jobs"]["measure"]["steps"] if "upload-artifact" in step.get("uses", "")]
        for file in kept[0]["with"]["path"].split():
            self.assertTrue((self.folder / file).exists(), file)
        self.script(self.folder / BUILT / "stepbench-worker", "exit 3")
        kept_comment = (self.folder / "bench/comment.md").rename(self.folder / "comment.md")
        broken = self.run_shell(measure["run"], RUNNER_TEMP=str(temporary), GITHUB_STEP_SUMMARY=str(summary))
        self.assertNotEqual(broken.returncode, 0)
        self.assertFalse((self.folder / "bench/comment.md").exists(), "no old comment is left")
        kept_comment.rename(self.folder / "bench/comment.md")
        (comment,) = [step for step in workflow["jobs"]["comment"]["steps"] if step.get("name") == "Comment"]
        for known in ("", "17"):
            self.script(self.folder / "bin/gh", f'echo "$@" >> {self.folder}/asked\n'
                                                f'case "$*" in *--paginate*) echo {known} ;; esac')
            done = self.run_shell(comment["run"], NUMBER="5", GITHUB_REPOSITORY="me/mine",
                                  PATH=f"{self.folder}/bin:{os.environ['PATH']}")
            self.assertEqual(done.returncode, 0, done.stderr)
        posted, patched = [line for line in (self.folder / "asked").read_text().splitlines() if "--method" in line]
        self.assertIn("POST repos/me/mine/issues/5/comments", posted)
        self.assertIn("PATCH repos/me/mine/issues/comments/17", patched)

    def test_comment_of_a_pull_request_runs_no_program(self):
        if shutil.which("jq") is None:
            self.skipTest("jq is not installed")
        self.script(self.folder / "bin/gh", f'''echo "$@" >> {self.folder}/asked
            case "$*" in *--paginate*) echo '[{{"id": 3, "body": "hello"}}]' | jq -r "$5" ;; esac''')
        # The job that writes the comment has a token, and the comment's text is made by the pull request's programs.
        for first, status in (('<!-- stepbench")), {id: env.GH_TOKEN}, select("" | startswith("', 0), ("", 2), ("hello", 2)):
            (self.folder / "comment.md").write_text(first + "\nwords\n")
            done = self.run_shell("tools/examples/ci/comment_github.sh comment.md 5", GITHUB_REPOSITORY="me/mine",
                                  GH_TOKEN="of-the-job", PATH=f"{self.folder}/bin:{os.environ['PATH']}")
            self.assertEqual(done.returncode, status, done.stderr)
            asked = (self.folder / "asked").read_text()
            self.assertEqual((asked.count("POST"), asked.count("PATCH")), (1, 0), asked)

    def test_gitlab_merge_request_gets_its_verdict(self):
        for program in ("curl", "jq"):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")
        asked, notes = [], [{"id": 3, "body": "hello"}]

        class Notes(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                asked.append((self.command, self.path, urllib.parse.parse_qs(body).get("body", [""])[0]))
                if self.command == "POST":
                    notes.append({"id": 4, "body": asked[-1][2]})
                self.send_response(200 if self.headers["PRIVATE-TOKEN"] == "secret" else 401)
                self.end_headers()
                self.wfile.write(json.dumps(notes).encode())

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        job = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())["benchmark"]
        with http.server.HTTPServer(("127.0.0.1", 0), Notes) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            variables = {"CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}", "CI_PROJECT_ID": "1",
                         "CI_MERGE_REQUEST_IID": "2", "STEPBENCH_TOKEN": "secret", "no_proxy": "127.0.0.1"}
            first = self.run_shell(job["script"][-1], **variables)
            self.worker(".", 1.5)
            second = self.run_shell(job["script"][-1], **variables)
            server.shutdown()
        self.assertIn(first.returncode, (0, *job["allow_failure"]["exit_codes"]), first.stdout + first.stderr)
        self.expect_regression(second)
        self.assertEqual([(method, path.split("?")[0]) for method, path, _ in asked],
                         [("GET", "/projects/1/merge_requests/2/notes"), ("POST", "/projects/1/merge_requests/2/notes"),
                          ("GET", "/projects/1/merge_requests/2/notes"),
                          ("PUT", "/projects/1/merge_requests/2/notes/4")])
        self.assertTrue(asked[1][2].startswith("<!-- stepbench-verdict -->"))
        for file in (*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()):
            self.assertTrue((self.folder / file).exists(), file)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Recipes.test_{name}" for name in sys.argv[5:])])
