# SPDX-License-Identifier: Apache-2.0
"""Replays recorded command lines and shows those whose output changed:
corpus_test.py STEPBENCH DATED SOURCE_DIR OUT [--approve] [--against OTHER_STEPBENCH] [SCENE]...

A scene is a file scenes/*.txt: shell command lines, run one after the other in an empty folder with the inputs
(inputs.py) in `in`, each followed by its output: `|` standard output, `!` standard error, `>` a written file, `[2]`
its exit status. Lines that are already in a scene are omitted from later outputs (`~ 12 lines`); the first of the
remaining lines are recorded, or all if `# whole` ends the command line or begins the file. A digest covers the omitted
lines: it changes with any of them, and `against` shows which. Complete outputs are left under OUT.
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
import textwrap

from inputs import make_inputs

NOW = datetime.datetime(2026, 12, 1, 12, tzinfo=datetime.timezone.utc)  # for every command line
TEXT = {".html", ".json", ".jsonl", ".csv", ".md", ".xml", ".prom", ".txt", ".npy"}
# Lines of a text: short enough to record whole; new lines to record whole; first new lines otherwise; at most; columns.
SHORT_LINES, KEPT_LINES, FIRST_LINES, WHOLE_LINES, WIDTH = 4, 24, 9, 200, 200


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


def compact(value, indent=""):
    """Formats a JSON value as lines: short lists and objects on one line, others part by part."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + line) <= 110 or not isinstance(value, (dict, list)) or not value:
        return [indent + line]
    if not any(isinstance(part, (dict, list, str)) for part in value):  # numbers
        return textwrap.wrap(line, 110, initial_indent=indent, subsequent_indent=indent + " ", break_on_hyphens=False)
    parts = value.items() if isinstance(value, dict) else [(None, part) for part in value]
    lines = []
    for key, part in parts:
        first, *rest = compact(part, indent + " ")
        lines += [first if key is None else f"{indent} {json.dumps(key)}: {first.lstrip()}", *rest]
        lines[-1] += ","
    return [indent + line[0], *lines[:-1], lines[-1][:-1], indent + line[-1]]


def readable(text):
    """Splits a text into lines for comparison: the lines of a page, the values of an object."""
    if text.startswith("<!DOCTYPE html>"):
        shown = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]*>", "\n", text)
        return [line for line in map(str.strip, shown.split("\n")) if line]
    if text.startswith("{") and len(text) > WIDTH:
        try:
            return compact(json.loads(text))
        except ValueError:
            pass
    return None


def clipped(text, mark, known, whole):
    """Returns the lines to record for a text, without those in `known`; adds the recorded ones to it."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    elif text:
        lines[-1] += " (no newline)"
    size = f"... {len(lines)} lines, {len(text)} characters, digest {digest(text.encode('utf-8'))}"
    shown = [line[:WIDTH] for line in readable(text) or lines]
    if shown == lines and len(lines) <= SHORT_LINES:
        known.update(shown)
        return [mark + line for line in shown]
    new = sum(line not in known for line in shown)
    most = WHOLE_LINES if whole else KEPT_LINES if new <= KEPT_LINES and mark != ">" else FIRST_LINES
    recorded, at = [], 0
    while at < len(shown) and most > 0:
        run = next((n for n, line in enumerate(shown[at:]) if line not in known), len(shown) - at)
        if run > 1:
            recorded.append(f"{mark}~ {run} lines")
        else:
            run = 1
            recorded.append(mark + shown[at])
            known.add(shown[at])
        at, most = at + run, most - 1
    return recorded + ([mark + size] if recorded != [mark + line for line in lines] else [])


def stands(recorded):
    """Returns the recorded lines without their marks."""
    return {line[1:] for line in recorded if line[0] in "|!>" and not line[1:].startswith(("~ ", "... "))}


class Program:
    """The program in its own folder, with the script that draws charts and no worker."""

    def __init__(self, path, plotly, dated, folder):
        self.folder, self.dated = folder, dated
        folder.mkdir()
        shutil.copy(path, folder / "stepbench")
        self.plotly = plotly.read_text(encoding="utf-8") if plotly.exists() else ""
        if self.plotly:
            (folder / "plotly.min.js").symlink_to(plotly)


class Folder:
    """An empty folder for the command lines of one program."""

    def __init__(self, program, inputs, source):
        self.program, self.source = program, source
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name).resolve()
        self.work = self.path / "work"
        self.work.mkdir()
        (self.work / "in").symlink_to(inputs)
        self.seen = {}

    def plain(self, text):
        """Removes differences between machines."""
        if self.program.plotly:
            text = text.replace(self.program.plotly, "PLOTLY")
        for path, name in ((self.path, "/FOLDER"), (self.program.folder, "/PROGRAMS"), (self.source, "/SOURCE")):
            text = text.replace(str(path), name)
        text = re.sub(r"(?m)^note: num_workers \d+ exceeds the \d+ cores? .*\n", "", text)
        text = re.sub(rf"(somebody@|this machine, ){re.escape(os.uname().nodename)}\b", r"\1HOST", text)
        return re.sub(rf"{NOW:%Y-%m-%d}([T ]){NOW:%H:%M}:\d\d", rf"{NOW:%Y-%m-%d}\g<1>{NOW:%H:%M:%S}", text)

    def written(self):
        """Returns texts of new or changed files by name."""
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
        """Returns output and written files, each with its mark, and the exit status."""
        moved = math.ceil((NOW - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
        environment = {"PATH": f"{self.program.folder}:/usr/bin:/bin", "HOME": str(self.path), "USER": "somebody",
                       "LC_ALL": "C.UTF-8", "TZ": "UTC", "CUDA_VISIBLE_DEVICES": "", "DATED_SECONDS": str(moved),
                       "LD_PRELOAD": str(self.program.dated),
                       "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}
        done = subprocess.run(["bash", "-c", command], cwd=self.work, env=environment, capture_output=True, timeout=600,
                              stdin=subprocess.DEVNULL)
        texts = [("|", done.stdout), ("!", done.stderr)]
        for name, content in self.written().items():
            if "stepbench" in command:
                texts += [(">", f"file {name}\n".encode()), (">", content)]
        return [(mark, self.text(content)) for mark, content in texts], done.returncode

    def text(self, content):
        try:
            return self.plain(content.decode("utf-8"))
        except UnicodeDecodeError:
            return f"{len(content)} bytes, digest {digest(content)}\n"


def recorded_form(answer, known, whole):
    """Returns the lines recorded for an output."""
    texts, status = answer
    known = known | {""}
    lines = [line for mark, text in texts for line in clipped(text, mark, known, whole)]
    return lines + ([f"[{status}]"] if status else [])


def whole_form(answer):
    texts, status = answer
    return [mark + line for mark, text in texts for line in text.split("\n")] + ([f"[{status}]"] if status else [])


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

    def is_whole(self, command):
        return command.endswith("# whole") or "# whole" in self.parts[0][0]

    def write(self, answers, known):
        lines = []
        for (before, _, command, _), answer in zip(self.parts, answers):
            recorded = recorded_form(answer, known, self.is_whole(command))
            known |= stands(recorded)
            lines += [*before, f"$ {command}", *recorded]
        self.path.write_bytes(("\n".join(lines) + "\n").encode("utf-8"))

    def answers(self, *of_folder):
        folder = Folder(*of_folder)
        return [folder.run(command) for _, _, command, _ in self.parts]


def differences(scene, answers, others, known, out):
    """Returns a diff for each command line whose output changed."""
    found = []
    for at, (_, number, command, recorded) in enumerate(scene.parts):
        if others:
            before, now = whole_form(others[at]), whole_form(answers[at])
        else:
            before, now = recorded, recorded_form(answers[at], known, scene.is_whole(command))
            known |= stands(recorded)
        if before == now:
            continue
        out.mkdir(parents=True, exist_ok=True)
        whole = out / f"{scene.name}-{number}.txt"
        whole.write_bytes(("\n".join(whole_form(answers[at])) + "\n").encode("utf-8"))
        diff = [line[:WIDTH] for line in difflib.unified_diff(before, now, "before", "now", lineterm="", n=2)][2:]
        more = [f"... {len(diff) - 60} lines more"] if len(diff) > 60 else []
        if all(line[1:].lstrip("|!>").startswith("... ") for line in diff if line[0] in "+-"):
            more = [f"what differs is not among the recorded lines: tests/corpus/against BUILD {scene.name} shows it"]
        found.append("\n".join([f"{scene.path.name}:{number}: $ {command}", *diff[:60], *more, f"whole: {whole}", ""]))
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
    every = [Scene(path) for path in sorted(pathlib.Path(__file__).parent.glob("scenes/*.txt"))]
    scenes = [scene for scene in every if not arguments.scenes or scene.name in arguments.scenes]
    with tempfile.TemporaryDirectory() as path, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(path).resolve()
        (folder / "in").mkdir()
        make_inputs(arguments.source, folder / "in")

        def replay(path, name):
            plotly = arguments.stepbench.parent / "plotly.min.js"
            program = Program(path, plotly, arguments.dated, folder / name)
            return list(pool.map(lambda scene: scene.answers(program, folder / "in", arguments.source), scenes))

        answers = dict(zip(scenes, replay(arguments.stepbench, "bin")))
        others = dict(zip(scenes, replay(arguments.against, "other"))) if arguments.against else {}
    number, known, found = sum(len(scene.parts) for scene in scenes), set(), []
    for scene in every:
        if scene not in answers:
            known |= stands(line for _, _, _, recorded in scene.parts for line in recorded)
        elif arguments.approve:
            scene.write(answers[scene], known)
        else:
            found += differences(scene, answers[scene], others.get(scene), known, arguments.out)
    if arguments.approve:
        print(f"recorded {number} command lines of {len(scenes)} scenes")
        return 0
    print("\n".join(found), f"{len(found)} of {number} command lines answer otherwise", sep="\n")
    return 1 if found or not number else 0


sys.exit(main())
