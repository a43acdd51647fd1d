# SPDX-License-Identifier: Apache-2.0
"""Commands of `stepbench` that are cut off at some moment, and conditions that must hold then and after a
repetition."""
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time

PATIENCE_S = 600  # anything slower hangs, on any machine
CASES = "sweep: {matrix: {stub.samples: [1, 2]}}\n"
CONFIG = "name: storm\nworkload: stub\nlaunches: %d\nschedule: {wait: 0, warmup: 1, active: 3}\n"


class Broken(Exception):
    """A required condition does not hold."""


def require(holds, what):
    if not holds:
        raise Broken(what)


class Ground:
    """The programs, and folders for commands to work in."""

    def __init__(self, build):
        build = pathlib.Path(build).resolve()
        self.stepbench = build / "tools/stepbench/stepbench"
        self.stub = build / "tests/stub_worker/stub-worker"
        self.killed_at = build / "tests/storm/killed_at"
        self.shim = build / "tests/storm/libstorm_shim.so"
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="stepbench-storm-"))
        self.finished = self.home / "finished"  # a run to copy
        with self.folder() as folder:
            scene = Run(self, folder)
            done = scene.call(scene.command())
            require(done.returncode == 0, f"a run by itself fails: {done.stderr}")
            shutil.copytree(scene.run_folder(), self.finished)

    def close(self):
        shutil.rmtree(self.home)

    @contextlib.contextmanager
    def folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.home))
        (folder / "tmp").mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class Scene:
    name = ""
    fine = (0,)  # exit status without failures

    def __init__(self, ground, folder):
        self.ground, self.folder = ground, folder
        self.results = folder / "results"
        self.mark = f"STEPBENCH_STORM_FOLDER={folder}"
        self.set_up()

    def set_up(self):
        pass

    def environment(self, **more):
        name, _, value = self.mark.partition("=")
        return {**os.environ, name: value, "TMPDIR": str(self.folder / "tmp"),
                "XDG_CACHE_HOME": str(self.folder / "cache"), "XDG_STATE_HOME": str(self.folder / "state"),
                "HOME": str(self.folder), **more}

    def call(self, words, **more):
        return subprocess.run([str(word) for word in words], cwd=self.folder, env=self.environment(**more),
                              capture_output=True, text=True, errors="replace", timeout=PATIENCE_S)

    def stepbench(self, *words):
        done = self.call([self.ground.stepbench, *words])
        require(done.returncode not in (70, 134, 139) and done.returncode >= 0,
                f"{words[0]} ended with {done.returncode}: {done.stderr}")
        return done

    def succeed(self, *words):
        done = self.stepbench(*words)
        require(done.returncode == 0, f"{' '.join(map(str, words))}: {done.returncode}: {done.stderr}")
        return done

    def after_cut(self):
        """Checks conditions that hold after any cut."""

    def complete(self):
        """Repeats the command."""

    def whole(self):
        """Checks conditions that hold after the command has finished."""

    def processes(self):
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self.mark.encode() in (process / "environ").read_bytes() and int(process.name) != os.getpid():
                    found.append(f"process {process.name}: {(process / 'comm').read_text().strip()}")
        return found

    def no_process(self):
        deadline = time.monotonic() + PATIENCE_S / 10
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.01)
        require(not left, f"left behind: {left}")

    def nothing_left(self):
        self.no_process()
        left = [path for path in (self.folder / "tmp").iterdir()]
        left += [path for path in self.folder.rglob("*.part*")]
        left += [path for path in pathlib.Path("/dev/shm").glob(f"stepbench-*-{self.folder.name}")]
        require(not left, f"left behind: {[str(path) for path in left]}")


class Run(Scene):
    """A run whose worker leaves a segment in shared memory for its controller to remove."""
    name = "run"
    launches = 4
    again = False  # a finished launch may be measured again

    def set_up(self):
        (self.folder / "config.yaml").write_text(CONFIG % 2 + CASES)
        self.worker = self.folder / "worker"
        self.worker.write_text(f"#!/bin/sh\n[ \"${{1#--control}}\" = \"$1\" ] || "
                               f": > /dev/shm/stepbench-$PPID-{self.folder.name}\nexec {self.ground.stub} \"$@\"\n")
        self.worker.chmod(0o755)
        self.lines = {}

    def command(self, *more):
        return [self.ground.stepbench, "run", "config.yaml", "--worker", self.worker, "--no-lock", "--quiet",
                *(more or ("--results", self.results))]

    def run_folder(self):
        folders = list(self.results.iterdir()) if self.results.exists() else []
        require(len(folders) <= 1, f"several runs: {folders}")
        return folders[0] if folders else None

    def rows(self):
        """Returns whole lines by file."""
        folder = self.run_folder()
        files = folder.glob("*.jsonl") if folder else []
        return {file: text[:text.rfind("\n") + 1] for file in files if (text := file.read_text()) is not None}

    def after_cut(self):
        self.no_process()
        self.lines = self.rows()
        if any(self.lines.values()):
            self.stepbench("show", self.run_folder())

    def complete(self):
        folder = self.run_folder()
        more = ("--resume", folder) if folder else ()
        self.succeed(*self.command(*more)[1:])

    def whole(self):
        rows = self.rows()
        for file, text in self.lines.items():
            require(rows.get(file, "").startswith(text), f"{file.name}: lines that were on disk changed")
        launches = [json.loads(line) for text in rows.values() for line in text.splitlines()
                    if line.startswith('{"kind":"launch"')]
        keys = {(each["case_id"], each.get("arm"), each["launch"]) for each in launches}
        # A cut-off half of a pair is measured again together with the other one, as another attempt.
        tries = {(each["case_id"], each.get("arm"), each["launch"], each.get("attempt")) for each in launches}
        require(len(keys) == self.launches, f"{len(keys)} launches of {self.launches}")
        require(len(tries) == len(launches) and (self.again or len(tries) == len(keys)),
                f"{len(launches)} launch lines for {len(keys)} launches")
        require(all(each.get("outcome", "measured") == "measured" for each in launches), "a launch was not measured")
        self.nothing_left()


class Ab(Run):
    name = "ab"
    launches = 8
    again = True
    fine = (3,)  # so few pairs decide nothing

    def set_up(self):
        super().set_up()
        (self.folder / "config.yaml").write_text(CONFIG % 1)

    def command(self, *more):
        return [self.ground.stepbench, "ab", "config.yaml", "--a", self.worker, "--b", self.worker, "--no-lock",
                "--quiet", "--pairs", "4", "--allow", "load", "--allow", "steal",
                *(more or ("--results", self.results))]

    def complete(self):
        folder = self.run_folder()
        done = self.stepbench(*self.command(*(("--resume", folder) if folder else ()))[1:])
        require(done.returncode in self.fine, f"ab: {done.returncode}: {done.stderr}")

    def whole(self):
        super().whole()
        require((self.run_folder() / "verdict.json").exists(), "there is no verdict")


class History(Scene):
    """Commands that write into a database."""

    def tables(self):
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            require(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the database is damaged")
            names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: database.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in names}

    def after_cut(self):
        self.no_process()
        if self.database.exists():
            self.tables()

    def complete(self):
        self.succeed(*self.command()[1:])


class Import(History):
    name = "import"

    def set_up(self):
        self.database = self.folder / "history.db"

    def command(self):
        return [self.ground.stepbench, "track", "add", self.ground.finished, "--db", f"sqlite:{self.database}"]

    def whole(self):
        before = self.tables()
        done = self.succeed(*self.command()[1:])
        require("0 launches added" in done.stdout, f"added again: {done.stdout}")
        require(before == self.tables() and before["run"] == 1, f"rows: {before}, then {self.tables()}")
        self.succeed("track", "list", "--db", f"sqlite:{self.database}")
        self.nothing_left()


class Night(History):
    name = "night"

    def set_up(self):
        self.database = self.results / "history.db"
        (self.folder / "config.yaml").write_text(CONFIG % 2 + CASES)

    def command(self):
        return [self.ground.stepbench, "nightly", "config.yaml", "--worker", self.ground.stub, "--no-lock", "--quiet",
                "--results", self.results, "--verdict", self.folder / "night.json"]

    def whole(self):
        rows = self.tables()
        require(rows["run"] in (1, 2), f"{rows['run']} nights")  # a second one if the first was finished
        require(json.loads((self.folder / "night.json").read_text())["exit_code"] == 0, "the night is not well")
        self.nothing_left()


class Export(Scene):
    name = "export"
    old = "case_id,of before\n"

    def set_up(self):
        self.output = self.folder / "steps.csv"
        self.output.write_text(self.old)
        self.expected = self.succeed("export", self.ground.finished, "--format", "csv").stdout

    def command(self):
        return [self.ground.stepbench, "export", self.ground.finished, "--output", self.output]

    def after_cut(self):
        self.no_process()
        require(self.output.read_text() in (self.old, self.expected), "the file is neither the old one nor the new one")

    def complete(self):
        self.succeed(*self.command()[1:])

    def whole(self):
        require(self.output.read_text() == self.expected, "another export than before")
        self.nothing_left()


class Site(History):
    """The pages of a history, each old or new, never partial."""
    name = "site"

    def set_up(self):
        self.database = self.folder / "history.db"
        self.site = self.folder / "site"
        self.succeed("track", "add", self.ground.finished, "--db", f"sqlite:{self.database}")

    def command(self):
        return [self.ground.stepbench, "track", "report", "--site", self.site, "--db", f"sqlite:{self.database}",
                "--plotly", "none"]

    def after_cut(self):
        super().after_cut()
        for page in self.site.glob("*.html"):
            require(page.read_text().rstrip().endswith("</html>"), f"{page.name} is half a page")

    def whole(self):
        self.after_cut()
        pages = [page.name for page in self.site.glob("*.html")]
        require("index.html" in pages and len(pages) > 2, f"pages: {pages}")
        self.nothing_left()


class Search(Scene):
    """Long searches in their own folder, which continue after a cut."""
    answer_file = ""

    def complete(self):
        folders = list(self.results.iterdir()) if self.results.exists() else []
        require(len(folders) <= 1, f"several searches: {folders}")
        done = self.stepbench(*self.command(*(("--resume", folders[0]) if folders else ()))[1:])
        require(done.returncode in self.fine, f"{self.name}: {done.returncode}: {done.stderr}")

    def after_cut(self):
        self.no_process()

    def answer(self):
        return json.loads(next(self.results.glob(f"*/{self.answer_file}")).read_text())


class Tune(Search):
    name = "tune"
    answer_file = "tuning.json"
    fine = (0, 3)

    def set_up(self):
        (self.folder / "config.yaml").write_text(CONFIG % 1 + CASES)

    def command(self, *more):
        return [self.ground.stepbench, "tune", "config.yaml", "--worker", self.ground.stub, "--no-lock", "--quiet", "--seed",
                "7", "--no-confirm", "--results", self.results, *more]

    def whole(self):
        require(len(self.answer()["points"]) == 3, "another answer")
        self.nothing_left()


class Bisect(Search):
    """Two commits, in a folder whose name a shell must not read."""
    name = "bisect"
    answer_file = "bisect.json"

    def set_up(self):
        self.repository = self.folder / "pr-7$(touch $STORM_MARK) x"
        self.repository.mkdir()
        self.results = self.repository / "results"
        self.git("init", "-q", "-b", "main")
        (self.repository / ".gitignore").write_text("results\n")
        (self.repository / "config.yaml").write_text(
            "name: storm\nworkload: stub\nlaunches: 1\nstub: {step_us: 1000, jitter: 0.01}\n"
            "schedule: {wait: 0, warmup: 1, active: 3}\n")
        for slower in ("1", "1.5"):
            (self.repository / "slower").write_text(slower)
            self.git("add", "-A")
            self.git("-c", "user.name=A", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "commit", "-qm", slower)

    def environment(self, **more):
        return super().environment(STORM_MARK=str(self.folder / "mark"), **more)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.repository, env=self.environment(), check=True, text=True,
                              capture_output=True).stdout

    def call(self, words, **more):
        return subprocess.run([str(word) for word in words], cwd=self.repository, env=self.environment(**more),
                              capture_output=True, text=True, errors="replace", timeout=PATIENCE_S)

    def command(self, *more):
        build = (f"sleep 0.05; printf '#!/bin/sh\\nexport STUB_SLOWER=%s\\nexec {self.ground.stub} \"$@\"\\n' $(cat slower) "
                 "> {worktree}/stepbench-worker && chmod +x \"{worktree}/stepbench-worker\"")
        return [self.ground.stepbench, "bisect", "HEAD~1", "HEAD", "config.yaml", "--build", build, "--no-lock", "--quiet",
                "--seed", "7", "--results", self.results, *more]

    def after_cut(self):
        super().after_cut()
        require(not (self.folder / "mark").exists(), "a shell ran the folder's name")

    def whole(self):
        self.after_cut()
        require(self.answer()["answer"] == "found", f"the answer is {self.answer()['answer']}")
        require(len(self.git("worktree", "list").splitlines()) == 1, "trees are left in the repository")
        require(not self.git("status", "--porcelain"), "the user's tree is another one")
        self.nothing_left()


PRECIOUS = "import stepbench_worker  # nobody wants to lose this\n"


def spares_files_of_others(ground, preload=None):
    """Writes outputs over files that stepbench did not write, and through links to other folders. Returns the number
    of cases."""
    with ground.folder() as folder:
        scene = Run(ground, folder)
        away = folder / "away"
        away.mkdir()
        commands = [(command, option) for command, options in {
            ("export", ground.finished): ("--output",), ("report", ground.finished): ("--output",),
            ("show", ground.finished): ("--output",),
            ("compare", ground.finished, ground.finished): ("--verdict", "--junit", "--openmetrics", "--markdown", "--report"),
        }.items() for option in options]
        for command, option in commands:
            for name, text in (("helper.py", PRECIOUS), ("link.csv", "")):
                file, target = folder / name, away / "target"
                target.write_text(text)
                shutil.copy(target, file) if text else file.symlink_to(target)
                done = scene.call([ground.stepbench, *command, option, file], **(preload or {}))
                require(done.returncode == 2 and done.stderr, f"{option} {name}: {done.returncode}: {done.stderr}")
                require((file if text else target).read_text() == text, f"{command[0]} {option} replaced a file of others")
                file.unlink()
        return 2 * len(commands)


SCENES = {scene.name: scene for scene in (Run, Ab, Import, Night, Export, Site, Tune, Bisect)}
