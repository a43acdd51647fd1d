# SPDX-License-Identifier: Apache-2.0
"""Shards behind addresses, read from servers on loopback whose faults are scripted: what is asked again, what is refused,
and that nothing waits for ever. The real command on such servers is remote_shards.py.

    python remote_reads.py READ_REMOTE
"""
import hashlib
import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shard_server as server
from shard_server import ShardServer

PROGRAM = os.path.abspath(sys.argv.pop(1))
BODY = bytes(range(256)) * 4096 + b"the end"  # 1 MiB and a little
CLEAN = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.startswith("AWS_")}
SIGNED = {"AWS_ACCESS_KEY_ID": server.KEY, "AWS_SECRET_ACCESS_KEY": server.SECRET, "AWS_REGION": "eu-west-3"}


class RemoteReads(unittest.TestCase):
    def serve(self, files=None, region=None):
        served = ShardServer({"/a.tar": BODY} if files is None else files, region)
        self.addCleanup(served.close)
        return served

    def read(self, *addresses, retries=2, timeout=60_000, environment=None, status=0, more=()):
        done = subprocess.run([PROGRAM, f"--retries={retries}", f"--timeout={timeout}", *more, *addresses], capture_output=True,
                              text=True, timeout=600, env={**CLEAN, **(environment or {})})
        self.assertEqual(done.returncode, status, done.stderr)
        for secret in (server.SECRET, server.TOKEN):
            self.assertNotIn(secret, done.stdout + done.stderr)
        if status:
            return done.stderr
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return rows if len(addresses) > 1 or "{" in addresses[0] else rows[0]

    def expect_whole(self, row, body=BODY, **counts):
        self.assertEqual(row["error"], "")
        self.assertEqual(row["sha256"], hashlib.sha256(body).hexdigest())
        self.assertEqual({name: row[name] for name in ("refused", "broken", "late")},
                         {"refused": 0, "broken": 0, "late": 0, **counts})

    def test_a_shard_is_read_whole_and_its_bytes_are_counted(self):
        row = self.read(self.serve().url + "/a.tar")
        self.expect_whole(row)
        self.assertEqual(row["received"], len(BODY))

    def test_shards_in_braces_come_one_after_another_over_one_connection(self):
        served = self.serve({f"/s-{i:03}.tar": BODY[: 1000 * i] for i in range(4)})
        rows = self.read(served.url + "/s-{000..003}.tar")
        for i, row in enumerate(rows):
            self.expect_whole(row, BODY[: 1000 * i])
        self.assertEqual(len({port for _, _, port in served.requests}), 1)

    def test_an_error_that_may_pass_is_asked_again(self):
        served = self.serve()
        served.script["/a.tar"] = [server.status(500), server.status(503)]
        self.expect_whole(self.read(served.url + "/a.tar"), refused=2)

    def test_an_error_that_stays_is_told_with_its_answer_and_how_often_it_was_asked(self):
        served = self.serve()
        served.script["/a.tar"] = [server.status(503)] * 9
        row = self.read(served.url + "/a.tar")
        self.assertIn("given up after 3 attempts; the last: the server answered 503 (SlowDown)", row["error"])
        self.assertIn(served.url + "/a.tar", row["error"])
        self.assertEqual(len(served.requests), 3)

    def test_without_retries_the_first_error_is_told(self):
        served = self.serve()
        served.script["/a.tar"] = [server.status(500)]
        self.assertRegex(self.read(served.url + "/a.tar", retries=0)["error"], r": the server answered 500 \(SlowDown\)$")

    def test_what_cannot_pass_is_told_at_once(self):
        served = self.serve()
        self.assertIn("the server answered 404 (NoSuchKey): there is no such shard", self.read(served.url + "/none.tar")["error"])
        served.script["/a.tar"] = [server.status(403)]
        self.assertIn("403 (SlowDown): it wants credentials", self.read(served.url + "/a.tar")["error"])
        self.assertEqual(len(served.requests), 2)

    def test_a_connection_that_is_reset_in_the_middle_goes_on_where_it_ended(self):
        served = self.serve()
        served.script["/a.tar"] = [server.reset_after(300_000), server.reset_after(700_000)]
        row = self.read(served.url + "/a.tar")
        self.expect_whole(row, broken=2)
        self.assertTrue(served.requests[-1][1]["range"].startswith("bytes="))
        self.assertEqual(row["received"], len(BODY))

    def test_a_body_that_is_cut_off_goes_on_where_it_ended(self):
        served = self.serve()
        served.script["/a.tar"] = [server.truncated(100_000)]
        self.expect_whole(self.read(served.url + "/a.tar"), broken=1)

    def test_a_body_that_ends_at_the_same_place_each_time_is_told(self):
        served = self.serve()
        served.script["/a.tar"] = [server.truncated(100_000)] * 9
        row = self.read(served.url + "/a.tar")
        self.assertIn("given up after 3 attempts", row["error"])
        self.assertIn("100000", row["error"])

    def test_a_server_without_ranges_begins_anew_and_what_comes_twice_is_counted_twice(self):
        served = self.serve()
        served.script["/a.tar"] = [server.truncated(400_000), server.whole(ranges=False)]
        row = self.read(served.url + "/a.tar")
        self.expect_whole(row, broken=1)
        self.assertEqual(row["received"], len(BODY) + 400_000)

    def test_a_shard_that_changes_while_it_is_read_is_told(self):
        served = self.serve()
        served.script["/a.tar"] = [server.truncated(400_000), server.whole(etag='"two"')]
        self.assertIn("the shard has changed while it was read", self.read(served.url + "/a.tar")["error"])

    def test_a_server_that_says_nothing_is_given_up_in_time(self):
        served = self.serve()
        served.script["/a.tar"] = [server.silent] * 9
        row = self.read(served.url + "/a.tar", retries=1, timeout=300)
        self.assertIn("given up after 2 attempts; the last: no answer in 300 ms (data.remote_timeout_s)", row["error"])
        self.assertEqual(row["late"], 2)

    def test_a_server_that_is_silent_once_is_asked_again(self):
        served = self.serve()
        served.script["/a.tar"] = [server.silent]
        row = self.read(served.url + "/a.tar", timeout=500, retries=50)
        self.assertGreaterEqual(row["late"], 1)
        self.expect_whole({**row, "late": 1}, late=1)

    def test_a_server_that_trickles_is_given_up_in_time(self):
        served = self.serve()
        served.script["/a.tar"] = [server.trickle] * 9
        row = self.read(served.url + "/a.tar", retries=1, timeout=400)
        self.assertIn("less than 64 KiB came in 400 ms", row["error"])

    def test_waiting_ends_when_the_loader_stops(self):
        served = self.serve()
        served.script["/a.tar"] = [server.silent]
        reading = subprocess.Popen([PROGRAM, "--timeout=3600000", "--stop-at-end", served.url + "/a.tar"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, env=CLEAN, text=True)
        served.asked.wait(600)
        self.assertEqual(json.loads(reading.communicate(timeout=600)[0])["error"], "stopped")

    def test_nobody_at_the_address_is_told(self):
        served = self.serve()
        served.close()
        row = self.read(served.url + "/a.tar", retries=1)
        self.assertIn("given up after 2 attempts", row["error"])
        self.assertEqual(row["broken"], 2)

    def test_redirects_are_followed_a_few_times(self):
        served = self.serve()
        served.script["/b.tar"] = [server.redirect("/a.tar")]
        self.expect_whole(self.read(served.url + "/b.tar"))
        served.script["/loop.tar"] = [server.redirect("/loop.tar")] * 20
        self.assertIn("redirects more than 5 times", self.read(served.url + "/loop.tar")["error"])
        served.script["/file.tar"] = [server.redirect("file:///etc/hostname")]
        self.assertNotEqual(self.read(served.url + "/file.tar")["error"], "")

    def test_objects_are_asked_for_with_a_signature_that_holds(self):
        served = self.serve({"/photos/train/a b+c.tar": BODY}, region="eu-west-3")
        address = "s3://photos/train/a b+c.tar"
        endpoint = [f"--endpoint={served.url}"]
        self.expect_whole(self.read(address, environment=SIGNED, more=endpoint))
        self.expect_whole(self.read(address, environment={**SIGNED, "AWS_SESSION_TOKEN": server.TOKEN}, more=endpoint))
        self.expect_whole(self.read(address, environment={**SIGNED, "AWS_ENDPOINT_URL": served.url + "/"}))

    def test_a_signed_request_is_asked_again_from_where_it_ended(self):
        served = self.serve({"/photos/a.tar": BODY}, region="eu-west-3")
        served.script["/photos/a.tar"] = [server.truncated(300_000), server.status(503)]
        self.expect_whole(self.read("s3://photos/a.tar", environment=SIGNED, more=[f"--endpoint={served.url}"]),
                          broken=1, refused=1)

    def test_a_wrong_secret_is_refused_and_neither_is_printed(self):
        served = self.serve({"/photos/a.tar": BODY}, region="eu-west-3")
        row = self.read("s3://photos/a.tar", environment={**SIGNED, "AWS_SECRET_ACCESS_KEY": "another"},
                        more=[f"--endpoint={served.url}"])
        self.assertIn("the server answered 403 (SignatureDoesNotMatch): it wants credentials, or other ones", row["error"])

    def test_an_object_store_that_sends_elsewhere_is_not_followed_with_the_token(self):
        other = self.serve()
        served = self.serve({"/photos/a.tar": BODY}, region="eu-west-3")
        served.script["/photos/a.tar"] = [server.redirect(other.url + "/a.tar", 307)]
        row = self.read("s3://photos/a.tar", environment={**SIGNED, "AWS_SESSION_TOKEN": server.TOKEN},
                        more=[f"--endpoint={served.url}"])
        self.assertIn("307 : the bucket lies elsewhere; set AWS_REGION".replace(" :", ":"), row["error"])
        self.assertEqual(other.requests, [])

    def test_missing_credentials_are_one_sentence(self):
        said = self.read("s3://photos/a.tar", environment={"AWS_ACCESS_KEY_ID": server.KEY}, status=2)
        self.assertEqual(said, "data.path: s3:// needs credentials, and AWS_SECRET_ACCESS_KEY is not set in the environment; a "
                               "public bucket is read by its https:// address without any\n")


if __name__ == "__main__":
    unittest.main()
