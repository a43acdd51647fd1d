# SPDX-License-Identifier: Apache-2.0
"""Finds the Python lines in which reading batches spends time: a thread samples the reader's stack.

Each reading process appends its counts to one file in memory; the training process adds them up.
"""
import collections
import json
import linecache
import multiprocessing.util
import os
import random
import sys
import threading
import time

from torch.utils.data._utils import fetch as torch_fetch

from stepbench_user_code import timing

# Mean time between two samples. They are taken at independent random moments (a Poisson process): with a fixed or a
# minimum period, repeating work would be sampled at the same place again and again.
PERIOD_S = 0.01
# A thread that computes in Python releases the GIL after this time. With Python's own 5 ms, samples would be biased
# towards moments at which it releases the GIL by itself, such as reading a file.
SWITCH_S = 0.0005
FLUSH_S = 0.5
DEEPEST = 100
MOST_BYTES = 64 << 20  # of the file
MOST_ROWS = 2000


class Watch:
    """Samples the thread that is inside timing's fetch, in this process, from its second batch on: the first one
    includes imports and empty caches."""

    def __init__(self, path):
        self.path = path
        self.busy = None  # the thread inside fetch
        self.fetches = 0
        self.counts = collections.Counter()
        self.codes = {}  # keeps the code objects alive, so that their ids stay unique
        self.lock = threading.Lock()

    def start(self):
        sys.setswitchinterval(SWITCH_S)
        multiprocessing.util.Finalize(self, self.flush, exitpriority=10)
        threading.Thread(target=self.run, name="stepbench-stacks", daemon=True).start()

    def enter(self):
        self.fetches += 1
        if self.fetches > 1:
            self.busy = threading.get_ident()

    def leave(self):
        self.busy = None

    def run(self):
        flushed = time.monotonic()
        due = flushed + random.expovariate(1 / PERIOD_S)
        while True:
            time.sleep(max(0, due - time.monotonic()))
            # A call that holds the GIL delays this thread: all samples that were due during it belong to it.
            now, looks = time.monotonic(), 0
            while due <= now:
                due += random.expovariate(1 / PERIOD_S)
                looks += 1
            thread = self.busy
            if thread is not None:
                frame = sys._current_frames().get(thread)
                if frame is not None and self.busy == thread:
                    self.look(frame, looks)
                del frame  # it would keep the user's objects alive
            if time.monotonic() - flushed > FLUSH_S:
                self.flush()
                flushed = time.monotonic()

    def look(self, frame, looks):
        lines = []
        part = "fetch"
        while frame is not None and len(lines) < DEEPEST:
            code = frame.f_code
            if code.co_filename == timing.__file__:
                part = "collate" if code.co_name == "timed_collate" else "fetch"
                break
            if code.co_filename != torch_fetch.__file__:
                if id(code) not in self.codes:
                    function = getattr(code, "co_qualname", code.co_name)  # since Python 3.11
                    name = f"{frame.f_globals.get('__name__', '')}.{function}"
                    self.codes[id(code)] = (code, code.co_filename, name)
                lines.append((id(code), frame.f_lineno))
            frame = frame.f_back
        with self.lock:
            self.counts[part, tuple(reversed(lines))] += looks

    def flush(self):
        with self.lock:
            counts, self.counts = self.counts, collections.Counter()
        if not counts:
            return
        text = "".join(
            json.dumps([part, [(*self.codes[code][1:], line) for code, line in lines], count]) + "\n"
            for (part, lines), count in counts.items()
        )
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            if os.fstat(file).st_size < MOST_BYTES:
                os.write(file, text.encode())
        finally:
            os.close(file)


class Stacks:
    """The counts of all processes. `path`: the file that they write to; it ends with this process."""

    def __init__(self):
        self.file = os.memfd_create("stepbench-stacks")
        self.path = f"/proc/{os.getpid()}/fd/{self.file}"
        self.watch = None

    def watch_here(self):
        """Returns the Watch for num_workers 0."""
        if self.watch is None:
            self.watch = Watch(self.path)
            self.watch.start()
        return self.watch

    def counts(self):
        """Returns samples by part and lines, outermost first."""
        if self.watch is not None:
            self.watch.flush()
        counts = collections.Counter()
        with open(self.path, encoding="utf-8") as file:
            for line in file:
                if not line.endswith("\n"):
                    break  # written by a process that was killed
                part, lines, count = json.loads(line)
                counts[part, tuple(map(tuple, lines))] += count
        return counts

    def rows(self):
        """Returns (part, place, code, calls, stack, samples), most samples first."""
        return [
            (part, *described(lines), ";".join(f"{shown(file)}:{line} {short(name)}" for file, name, line in lines), count)
            for (part, lines), count in self.counts().most_common(MOST_ROWS)
        ]

    def close(self):
        os.close(self.file)


def short(name):
    """Returns just the function: __getitem__."""
    return name.rpartition(".")[2]


def shown(file):
    """Returns the path relative to the folder that it was imported from."""
    folders = [folder for folder in sys.path if folder and file.startswith(folder + os.sep)]
    return file[len(max(folders, key=len)) + 1 :] if folders else os.path.basename(file)


def is_users(file):
    libraries = (os.path.dirname(os.__file__), sys.prefix + os.sep, sys.base_prefix + os.sep)
    return "site-packages" not in file and "dist-packages" not in file and not file.startswith((*libraries, "<"))


def described(lines):
    """Returns place, source text and callee: of the user's innermost line, else of the outermost line."""
    if not lines:
        return "(torch's own fetch)", "", ""
    own = [at for at, (file, _, _) in enumerate(lines) if is_users(file)]
    at = own[-1] if own else 0
    file, name, line = lines[at]
    code = linecache.getline(file, line).strip()
    calls = lines[at + 1][1] if at + 1 < len(lines) else ""
    return f"{shown(file)}:{line} in {short(name)}", code, calls
