# SPDX-License-Identifier: Apache-2.0
"""data.kind: webdataset on addresses, through the real command: rows, what is told beside them, and that nothing which must
stay secret is written anywhere. Faults one by one are remote_reads.py.

    python remote_shards.py STEPBENCH LOADING_WORKER
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shard_server as server
from shard_server import ShardServer

STEPBENCH, WORKER = (os.path.abspath(argument) for argument in (sys.argv.pop(1), sys.argv.pop(1)))
CLEAN = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.startswith("AWS_")}
SIGNED = {"AWS_ACCESS_KEY_ID": server.KEY, "AWS_SECRET_ACCESS_KEY": server.SECRET, "AWS_SESSION_TOKEN": server.TOKEN}
SHARDS = 4
CONFIG = """
name: remote
workload: loader
device: cpu
launches: 1
schedule: {{wait: 0, warmup: 1, active: 12}}
data: {{kind: webdataset, path: "{path}", image_size: 16, remote_retries: 2}}
loader: {{batch_size: 4, num_workers: 2}}
"""


class RemoteShards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.made.cleanup)
        subprocess.run([STEPBENCH, "data", "make", "webdataset", "--out", cls.made.name + "/set", "--images", "48", "--shards",
                        str(SHARDS), "--width", "40", "--height", "30"], check=True, capture_output=True)
        cls.shards = {path.name: path.read_bytes() for path in pathlib.Path(cls.made.name, "set").glob("*.tar")}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, prefix="", region=None):
        served = ShardServer({f"{prefix}/{name}": body for name, body in self.shards.items()}, region)
        self.addCleanup(served.close)
        return served

    def call(self, *arguments, status=0, environment=None):
        done = subprocess.run([STEPBENCH, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=600,
                              env={**CLEAN, **(environment or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def run_on(self, path, *more, status=0, environment=None):
        (self.folder / "file.yaml").write_text(CONFIG.format(path=path))
        return self.call("run", "file.yaml", "--worker", WORKER, "--no-lock", "--results", "results", *more, status=status,
                         environment=environment)

    def metric(self, name):
        """Of the one launch, as its file has it."""
        rows = next((self.folder / "results").rglob("*.jsonl")).read_text()
        return float(re.search(f'"{name}":([0-9.]+)', rows)[1])

    def written(self):
        return "".join(path.read_text(errors="replace") for path in self.folder.rglob("*") if path.is_file())

    def test_shards_are_measured_and_their_bytes_are_those_of_the_network(self):
        served = self.serve()
        said = self.run_on(served.url + "/shard-{000000..000003}.tar")
        images = sum(map(len, self.shards.values())) / 48
        self.assertGreater(self.metric("loader_storage_bytes"), 4 * images / 2)
        self.assertEqual(self.metric("loader_retries"), 0)
        self.assertNotIn("page cache", said)
        self.assertNotIn("fit in memory", said)
        self.assertNotIn("made again", said)
        self.assertEqual({path for path, _, _ in served.requests}, {"/" + name for name in self.shards})

    def test_processes_read_them_too(self):
        self.run_on(self.serve().url + "/shard-{000000..000003}.tar", "--set", "loader.engine=fork")

    def test_what_was_asked_again_is_told_beside_the_row(self):
        served = self.serve()
        for name in self.shards:
            served.script["/" + name] = [None, server.status(503)] * 40  # its first answer holds, each second one does not
        said = self.run_on(served.url + "/shard-{000000..000003}.tar", "--set", "loader.epochs=separate")
        self.assertGreater(self.metric("loader_retries"), 0)
        self.assertRegex(said, r"requests? over the network (was|were) made again, \d+ for an answer that was an error")

    def test_a_shard_that_is_not_there_fails_the_row_with_its_name(self):
        said = self.run_on(self.serve().url + "/shard-{000000..000004}.tar", status=4)
        self.assertIn("shard-000004.tar: offset 0: the server answered 404 (NoSuchKey): there is no such shard", " ".join(said.split()))

    def test_with_skip_the_next_shard_takes_its_place(self):
        said = self.run_on(self.serve().url + "/shard-{000000..000004}.tar", "--set", "data.on_error=skip", "--set",
                           "schedule.active=24")
        self.assertIn("samples/s", said)
        self.assertGreater(self.metric("loader_skipped_samples"), 0)

    def test_a_server_that_says_nothing_fails_the_row_and_nothing_hangs(self):
        served = self.serve()
        for name in self.shards:
            served.script["/" + name] = [server.silent] * 9
        said = self.run_on(served.url + "/shard-{000000..000003}.tar", "--set", "data.remote_timeout_s=0.5", status=4)
        self.assertIn("given up after 3 attempts; the last: no answer in 500 ms (data.remote_timeout_s)", " ".join(said.split()))

    def test_control_c_ends_a_run_that_waits_for_a_server(self):
        served = self.serve()
        for name in self.shards:
            served.script["/" + name] = [server.silent] * 99
        (self.folder / "file.yaml").write_text(CONFIG.format(path=served.url + "/shard-{000000..000003}.tar"))
        run = subprocess.Popen([STEPBENCH, "run", "file.yaml", "--worker", WORKER, "--no-lock", "--results", "results", "--set",
                                "data.remote_timeout_s=3600"],
                               cwd=self.folder, env=CLEAN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            served.asked.wait(600)
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=600)[0]
        finally:
            run.kill()
        self.assertEqual(run.returncode, 128 + signal.SIGINT, said)

    def test_an_object_store_is_read_and_no_credential_is_written(self):
        served = self.serve("/photos/train", region="us-east-1")
        address = "s3://photos/train/shard-{000000..000003}.tar"
        said = self.run_on(address, "--set", f"data.s3_endpoint={served.url}", environment=SIGNED)
        shown = self.call("data", "show", "file.yaml", "--set", f"data.s3_endpoint={served.url}", environment=SIGNED)
        self.assertIn(address, shown)
        for secret in (server.KEY, server.SECRET, server.TOKEN):
            self.assertNotIn(secret, said + shown + self.written())

    def test_wrong_credentials_fail_the_row_and_are_not_written(self):
        served = self.serve("/photos/train", region="us-east-1")
        wrong = {"AWS_ACCESS_KEY_ID": "AKIAWRONGWRONGWRONG0", "AWS_SECRET_ACCESS_KEY": "wrongSecretwrongSecretwrong"}
        said = self.run_on("s3://photos/train/shard-{000000..000003}.tar", "--set", f"data.s3_endpoint={served.url}", status=4,
                           environment=wrong)
        self.assertIn("the server answered 403 (SignatureDoesNotMatch)", said)
        for secret in wrong.values():
            self.assertNotIn(secret, said + self.written())

    def test_missing_credentials_fail_the_row_in_one_sentence(self):
        said = self.run_on("s3://photos/train/shard-000000.tar", status=4)
        self.assertIn("s3:// needs credentials, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set in the environment",
                      " ".join(said.split()))

    def test_an_address_with_a_password_is_refused_without_printing_it(self):
        for address in ("https://me:plantedPassword@example.invalid/a.tar", "https://example.invalid/a.tar?X-Amz-Signature=plantedPassword"):
            said = self.run_on(address, status=2)
            self.assertIn("must hold no user, password, signature or token", " ".join(said.split()))
            self.assertNotIn("plantedPassword", said)


if __name__ == "__main__":
    unittest.main()
