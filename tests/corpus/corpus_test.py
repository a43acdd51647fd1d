# SPDX-License-Identifier: Apache-2.0
"""Replays recorded command lines and shows which of them answer otherwise:
corpus_test.py STEPBENCH DATED SOURCE_DIR OUT [--approve] [--against OTHER_STEPBENCH] [SCENE]...

A scene is a file scenes/*.txt: command lines of a shell, run one after the other in an empty folder in which `in` holds
the inputs (inputs.py), each followed by what it printed: `|` standard output, `!` standard error, `>` a file that it
wrote, `[2]` its exit status. Of a long text stand the first lines and a digest of all; all of it is left under OUT.
"""
import argparse
import concurrent.futures
import datetime
import difflib
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from inputs import make_inputs

NOW = datetime.datetime(2026, 12, 1, 12, tzinfo=datetime.timezone.utc)  # of every command line
TEXT = {".html", ".json", ".jsonl", ".csv", ".md", ".xml", ".prom", ".txt", ".npy"}
WHOLE_LINES, WHOLE_CHARACTERS, FIRST_LINES, FIRST_COLUMNS = 200, 20_000, 20, 200


def readable(text):
    """The lines of a text as a person compares them: those that a page shows, the values of an object one by one."""
    if text.startswith("<!DOCTYPE html>"):
        shown = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]*>", "\n", text)
        return [line for line in map(str.strip, shown.split("\n")) if line]
    if text.startswith("{") and text.count("\n") == 1 and len(text) > FIRST_COLUMNS:
        try:
            return json.dumps(json.loads(text), indent=1, ensure_ascii=False).split("\n")
        except ValueError:
            pass
    return None


def clipped(text, mark):
    """The lines that are recorded of a text."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    elif text:
        lines[-1] += " (no newline)"
    size = f"{len(lines)} lines, {len(text)} characters"
    other = readable(text)
    lines = other or lines
    cut = len(lines) > WHOLE_LINES or sum(map(len, lines)) > WHOLE_CHARACTERS
    if cut:
        lines = [line[:FIRST_COLUMNS] for line in lines[:FIRST_LINES]]
    if cut or other:
        lines.append(f"... {size}, digest {hashlib.sha256(text.encode('utf-8')).hexdigest()[:16]}")
    return [mark + line for line in lines]


class Program:
    """The program in a folder of its own, where it finds the script that draws charts, and no worker."""

    def __init__(self, path, plotly, dated, folder):
        self.folder, self.dated = folder, dated
        folder.mkdir()
        shutil.copy(path, folder / "stepbench")
        self.plotly = plotly.read_text(encoding="utf-8") if plotly.exists() else ""
        if self.plotly:
            (folder / "plotly.min.js").symlink_to(plotly)


class Folder:
    """An empty folder in which command lines are run with one program."""

    def __init__(self, program, inputs, source):
        self.program, self.source = program, source
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name).resolve()
        self.work = self.path / "work"
        self.work.mkdir()
        (self.work / "in").symlink_to(inputs)
        self.seen = {}

    def plain(self, text):
        """Without what differs between two machines."""
        if self.program.plotly:
            text = text.replace(self.program.plotly, "PLOTLY")
        for path, name in ((self.path, "/FOLDER"), (self.program.folder, "/PROGRAMS"), (self.source, "/SOURCE")):
            text = text.replace(str(path), name)
        text = re.sub(r"(?m)^note: num_workers \d+ exceeds the \d+ cores? .*\n", "", text)
        text = re.sub(rf"(somebody@|this machine, ){re.escape(os.uname().nodename)}\b", r"\1HOST", text)
        return re.sub(rf"{NOW:%Y-%m-%d}([T ]){NOW:%H:%M}:\d\d", rf"{NOW:%Y-%m-%d}\1{NOW:%H:%M:%S}", text)

    def written(self):
        """Texts of files that are new or changed, by name."""
        found = {}
        for path in sorted(self.work.rglob("*")):
            if path.suffix not in TEXT or not path.is_file() or "in" in path.relative_to(self.work).parts:
                continue
            content = path.read_bytes()
            if self.seen.get(path) != content:
                self.seen[path] = content
                found[str(path.relative_to(self.work))] = content
        return found

    def run(self, command):
        """What is recorded, and the same with every text whole."""
        moved = math.ceil((NOW - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
        environment = {"PATH": f"{self.program.folder}:/usr/bin:/bin", "HOME": str(self.path), "USER": "somebody",
                       "LC_ALL": "C.UTF-8", "TZ": "UTC", "CUDA_VISIBLE_DEVICES": "", "DATED_SECONDS": str(moved),
                       "LD_PRELOAD": str(self.program.dated),
                       "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=environment, capture_output=True, timeout=600,
                              stdin=subprocess.DEVNULL)
        texts = [("|", done.stdout), ("!", done.stderr)]
        for name, content in self.written().items():
            texts += [(">", f"file {name}\n".encode()), (">", content)]
        recorded, whole = [], []
        for mark, content in texts:
            try:
                text = self.plain(content.decode("utf-8"))
            except UnicodeDecodeError:
                text = f"{len(content)} bytes, digest {hashlib.sha256(content).hexdigest()[:16]}\n"
            recorded += clipped(text, mark)
            whole += [mark + line for line in text.split("\n")]
        status = [f"[{done.returncode}]"] if done.returncode else []
        return recorded + status, whole + status


class Scene:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.parts = []  # (lines before, line number, command, recorded lines)
        before, recorded = [], None
        text = path.read_bytes().decode("utf-8")
        for number, line in enumerate(text.split("\n")[:-1], 1):
            if line.startswith("$ "):
                recorded = []
                self.parts.append((before, number, line[2:], recorded))
                before = []
            elif recorded is not None and line[:1] in ("|", "!", ">", "["):
                recorded.append(line)
            else:
                before.append(line)

    def write(self, answers):
        lines = []
        for (before, _, command, _), (recorded, _) in zip(self.parts, answers):
            lines += [*before, f"$ {command}", *recorded]
        self.path.write_bytes(("\n".join(lines) + "\n").encode("utf-8"))

    def answers(self, *of_folder):
        folder = Folder(*of_folder)
        return [folder.run(command) for _, _, command, _ in self.parts]


def differences(scene, answers, others, out):
    """A diff for each command line that answers otherwise than before."""
    found = []
    for at, (_, number, command, recorded) in enumerate(scene.parts):
        before, now = (others[at][1], answers[at][1]) if others else (recorded, answers[at][0])
        if before == now:
            continue
        out.mkdir(parents=True, exist_ok=True)
        whole = out / f"{scene.name}-{number}.txt"
        whole.write_bytes(("\n".join(answers[at][1]) + "\n").encode("utf-8"))
        diff = [line[:FIRST_COLUMNS] for line in difflib.unified_diff(before, now, "before", "now", lineterm="", n=2)]
        more = [f"... {len(diff) - 60} lines more"] if len(diff) > 60 else []
        found.append("\n".join([f"{scene.path.name}:{number}: $ {command}", *diff[2:62], *more, f"whole: {whole}", ""]))
    return found


def main():
    parser = argparse.ArgumentParser()
    for name in ("stepbench", "dated", "source", "out"):
        parser.add_argument(name, type=lambda word: pathlib.Path(word).resolve())
    parser.add_argument("--approve", action="store_true", help="record what the program answers now")
    parser.add_argument("--against", type=lambda word: pathlib.Path(word).resolve(),
                        help="in place of the recorded answers: those of this program, whole")
    parser.add_argument("scenes", nargs="*")
    arguments = parser.parse_args()
    scenes = [Scene(path) for path in sorted(pathlib.Path(__file__).parent.glob("scenes/*.txt"))
              if not arguments.scenes or path.stem in arguments.scenes]
    with tempfile.TemporaryDirectory() as path, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(path).resolve()
        (folder / "in").mkdir()
        make_inputs(arguments.source, folder / "in")

        def replay(path, name):
            plotly = arguments.stepbench.parent / "plotly.min.js"
            program = Program(path, plotly, arguments.dated, folder / name)
            return list(pool.map(lambda scene: scene.answers(program, folder / "in", arguments.source), scenes))

        answers = replay(arguments.stepbench, "bin")
        others = replay(arguments.against, "other") if arguments.against else [None] * len(scenes)
    number = sum(len(scene.parts) for scene in scenes)
    if arguments.approve:
        for scene, each in zip(scenes, answers):
            scene.write(each)
        print(f"recorded {number} command lines of {len(scenes)} scenes")
        return 0
    found = [text for scene, each, other in zip(scenes, answers, others)
             for text in differences(scene, each, other, arguments.out)]
    print("\n".join(found), f"{len(found)} of {number} command lines answer otherwise", sep="\n")
    return 1 if found or not number else 0


sys.exit(main())
