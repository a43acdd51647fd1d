# SPDX-License-Identifier: Apache-2.0
"""Nights whose history is on a PostgreSQL server that goes away: server_test.py STEPBENCH STUB_WORKER DATED SOURCE_DIR
[TEST]..."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1])]
from kept_port import kept_port  # noqa: E402
from nights import HOLDS, PATIENCE_S, Machine, start_night, wait_until_held  # noqa: E402

PROGRAM, STUB, DATED, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
PROGRAMS = "usr/lib/postgresql/15/bin"
LAUNCHES = 10  # per night


def server_programs():
    """Returns the programs of an installed package, else of Debian's package unpacked into the build folder."""
    if (pathlib.Path("/") / PROGRAMS / "initdb").exists():
        return pathlib.Path("/") / PROGRAMS
    unpacked = PROGRAM.parents[2] / "postgres"
    if not (unpacked / PROGRAMS / "initdb").exists():
        done = subprocess.run([SOURCE / "tests/fleet/unpack_postgres.sh", unpacked], capture_output=True, text=True)
        if done.returncode != 0:
            raise unittest.SkipTest("no PostgreSQL server is installed, and Debian's cannot be unpacked: " + done.stderr)
    return unpacked / PROGRAMS


class Server:
    """A server in a temporary folder, on a free port of the loopback."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.programs = server_programs()
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        self.run("initdb --no-sync -A trust -U bench -E UTF8 --locale=C -D data")
        self.kept = contextlib.ExitStack()
        self.port = self.kept.enter_context(kept_port())
        self.url = f"postgresql://bench@127.0.0.1:{self.port}/postgres"
        self.start()

    def run(self, command):
        """The server refuses to run as root."""
        libraries = self.programs.parents[2] / "x86_64-linux-gnu"
        line = f"cd {self.folder} && LD_LIBRARY_PATH={libraries}:$LD_LIBRARY_PATH {self.programs}/{command}"
        words = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        subprocess.run([*words, "sh", "-c", line], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       timeout=PATIENCE_S)

    def start(self):
        self.run(f"pg_ctl -D data -w -t 120 -l log -o '-p {self.port} -c listen_addresses=127.0.0.1 "
                 "-c unix_socket_directories= -c fsync=off' start")

    def stop(self):
        """Stops without shutdown, like a power loss."""
        self.run("pg_ctl -D data -w -m immediate stop")

    def close(self):
        self.stop()
        self.kept.close()
        self.temporary.cleanup()


class Servers(unittest.TestCase):
    def setUp(self):
        self.machine = Machine(PROGRAM, STUB, DATED)
        self.addCleanup(self.machine.close)
        self.server = Server()
        self.addCleanup(self.server.close)
        self.history = ("--db", self.server.url)

    def build_held(self, name, launch, slower=1.0):
        hold = self.machine.folder / f"{name}-hold"
        return self.machine.build(name, slower, HOLDS.format(hold=hold, launch=launch)), hold

    def lose_server(self, program, hold, *words):
        """Stops the server while this night's program is held at a launch; the night ends by itself."""
        hold.touch()
        night = start_night(self.machine, program, *self.history, *words)
        wait_until_held(night, hold)
        self.server.stop()
        hold.unlink()
        out, err = night.communicate(timeout=PATIENCE_S)
        self.assertEqual(night.returncode, 2, out + err)
        self.assertIn("no connection", err)
        self.assertIn("measurements are saved; the same command resumes this night", err)
        self.server.start()

    def launches(self, pattern):
        rows = []
        for file in (self.machine.folder / "results").glob(pattern + "/*.jsonl"):
            rows += [json.loads(line) for line in file.read_text().splitlines() if line.startswith('{"kind":"launch"')]
        return Counter((row["case_id"], row["arm"], row["pass"], row["launch"]) for row in rows)

    def ignore_memory(self):
        for series in json.loads(self.machine.run("track", "check", *self.history, "--format",
                                                  "json").out)["series"]:
            if series["metric"] != "step_ns":
                self.machine.run("track", "note", *self.history, series["id"], "--as", "ignored", "not scripted",
                                 status=0)

    def test_lost_server_while_measuring_costs_no_launch(self):
        good, hold = self.build_held("good", launch=4)
        self.lose_server(good, hold, "--verdict", "verdict.json")
        self.assertEqual(self.launches("*-nightly").total(), LAUNCHES, "all were measured")
        verdict = json.loads((self.machine.folder / "verdict.json").read_text())
        self.assertEqual((verdict["exit_code"], verdict["verdict"]), (2, "error"))
        again = self.machine.night(good, *self.history, status=0)
        self.assertIn("no verdict", again.out)
        self.assertEqual(self.launches("*-nightly"), Counter(set(self.launches("*-nightly"))), "nothing twice")
        self.assertEqual(len(self.machine.runs()), 1)
        listed = self.machine.run("track", "list", *self.history, status=0)
        self.assertRegex(listed.out, r"step_us=1000 +step +1 ")

    def test_lost_server_in_fresh_pairs_costs_no_launch(self):
        self.machine.night(self.machine.build("good"), *self.history, status=0)
        self.ignore_memory()
        for name in ("better", "best"):
            self.machine.night(self.machine.build(name), *self.history, status=0)
        slow, hold = self.build_held("slow", launch=2 * 4 + 2, slower=1.2)
        self.lose_server(slow, hold)
        self.assertIn("no alert is open", self.machine.run("track", "show", *self.history, status=0).out)
        told = self.machine.night(slow, *self.history, "--on-alert", "cat >> told", status=1)
        self.assertRegex(told.out, "A1, new tonight: 2 series worse")
        (news,) = map(json.loads, (self.machine.folder / "told").read_text().splitlines())
        self.assertEqual(news["id"], "A1")
        launches = self.launches(self.machine.runs()[-1].name)
        self.assertEqual(launches, Counter(set(launches)), "nothing twice")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *(f"Servers.test_{name}" for name in sys.argv[5:])])
