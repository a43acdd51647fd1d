# SPDX-License-Identifier: Apache-2.0
"""loader.engine: iterable: batches of any object returned by loader() of a user's file, and messages about invalid
ones."""
import os
import textwrap

import python_worker
from python_worker import Warmed, given

BATCHES = """
import torch
def batches(n, size=4):
    for i in range(n):
        yield torch.full((size, 3), float(i)), torch.full((size,), i % 2)
"""
ABSENT = "def loader():\n    import no_such_library.parts\n"
GOOD = {  # case: expected columns
    "def loader():\n    for size in (2, 3, 4, 5): yield torch.zeros(size, 3), torch.zeros(size)\n":
        ({}, {"samples": [2, 3, 4, 5]}),
    "def loader():\n    for length in (3, 5, 4, 6): yield torch.zeros(2, length), torch.zeros(2)\n":
        ({}, {"samples": [2] * 4}),
    # A generator is made for each epoch; an endless one has no borders.
    "def loader(): return batches(3)\n": ({"schedule__active": 7}, {"samples": [4] * 7, "begins": [3, 6]}),
    "import itertools\ndef loader(): return itertools.chain.from_iterable(batches(3) for _ in itertools.count())\n":
        ({"schedule__active": 10}, {"begins": []}),
    # Options are passed to the parameters of loader().
    "def loader(batch_size, num_workers, seed, root):\n    assert (num_workers, seed, root) == (2, 5, 'here')\n"
    "    return batches(8, batch_size)\n":
        ({"loader__batch_size": 6, "loader__num_workers": 2, "seed": 5, "python__root": "here"}, {"samples": [6] * 4}),
}
WRONG = (  # source, options, words
    ("def loader(): return batches(3)\n", {"loader__num_workers": 2},
     ("loader.num_workers", "2 is for loader() of my_data.py to take", "no parameter num_workers")),
    ("def loader(): return batches(3)\n", {"loader__batch_size": 4}, ("loader.batch_size",)),
    ("def loader(): return batches(3)\n", {"python__root": "here"}, ("python.root", "loader()")),
    ("def loader(batch_size): return batches(3, batch_size + 1)\n", {"loader__batch_size": 4},
     ("loader.batch_size", "is 4, and batch 0 of loader() has 5 samples")),
    ("def loader(): return batches(0)\n", {}, ("data.path", "my_data.py gave no batch", "ended at once")),
    ("def loader(): return []\n", {}, ("gave no batch: its list ended at once",)),
    ("only = batches(3)\ndef loader(): return only\n", {}, ("the same generator again", "make a new one")),
    ("class Once:\n    left = 2\n    def __iter__(self):\n        while Once.left > 0:\n            Once.left -= 1\n"
     "            yield torch.zeros(2, 3), torch.zeros(2)\ndef loader(): return Once()\n", {},
     ("batches in epoch 0 and none in epoch 1", "begin anew")),
    ("def loader():\n    yield from batches(2)\n    raise ValueError('shard 2 is broken')\n", {},
     ("ValueError: shard 2 is broken (my_data.py, line 8, in loader)",)),
    ("def loader(): return 7\n", {}, ("returned int, which is not an iterable of batches",)),
    ("def loader(): pass\n", {}, ("returned NoneType",)),
    ("def loader(): return ['abc']\n", {}, ("a batch is str",)),
    ("def dataset(): pass\n", {}, ("no function loader()", "batches, dataset")),
    *((f"def loader():\n    yield torch.zeros(2, 3), torch.zeros(2)\n    yield {other}\n", {},
       ("batch 1 of loader() is tuple", "the first one was", "must stay"))
      for other in ("torch.zeros(2, 3), torch.zeros(2), torch.zeros(2)", "torch.zeros(2, 3).int(), torch.zeros(2)",
                    "torch.zeros(2, 3, 1), torch.zeros(2)")),
)


class OnLoader(Warmed):
    alone = False

    def on(self, source, **options):
        path = python_worker.write(self.folder, BATCHES + textwrap.dedent(source))
        return {"data.path": path, "loader.engine": "iterable", "loader.batch_size": "null",
                "loader.epochs": "separate"} | given(options)

    def launch(self, source, **options):
        return self.measured(self.on(source, **options), alone=self.alone)


class Iterables(OnLoader):
    def test_returned_loader_is_measured_unchanged(self):
        for source, (options, expected) in GOOD.items():
            with self.subTest(source):
                columns = self.launch(source, **options)["columns"]
                columns["begins"] = [i for i, flags in enumerate(columns["flags"]) if flags & 1]
                self.assertEqual({name: columns[name] for name in expected}, expected)

    def test_preview_shows_the_first_batches(self):
        shown = self.shown(self.on("def loader(): return batches(3)\n"))
        self.assertEqual([sample["label"] for sample in shown["first_samples"]], [0] * 4 + [1] * 4)
        self.assertEqual((shown["fields"][0]["shape"], shown["samples_read"]), ([4, 3], 8))

    def test_mistake_is_refused_with_its_place(self):
        for source, options, words in WRONG:
            with self.subTest(source):
                self.refused(self.on(source, **options), *words, alone=self.alone)
                if "broken" in source:
                    self.assertIn("Traceback", self.output)
        for source in (ABSENT, ABSENT + "    yield 1\n"):
            self.refused(self.on(source), "needs the module no_such_library", "-m pip install no_such_library",
                         kind="skipped", alone=self.alone)

    def test_restartable_object_has_whole_epochs(self):
        last = self.launch("""
            made = []
            class Loader:
                def __len__(self): return 3
                def __iter__(self): return batches(3)
            def loader():
                made.append(1)
                assert len(made) == 1
                return Loader()
        """, schedule__active=6)
        self.assertEqual(last["schedule"]["epochs"], 2, last["schedule"])

    def test_surviving_threads_are_noted_without_delay(self):
        last = self.launch("""
            import threading
            def loader():
                gate = threading.Event()
                threading.Thread(target=gate.wait, name="reader").start()
                return batches(100)
        """)
        self.assertTrue(any("went on after its iterable was let go of: thread reader" in note for note in last["notes"]),
                        last["notes"])

    def test_unnamed_threads_have_equal_notes_in_launches(self):
        last = self.launch("""
            import _thread, threading
            def loader():
                _thread.start_new_thread(threading.Event().wait, ())
                return batches(100)
        """)
        (note,) = [note for note in last["notes"] if "went on after its iterable" in note]
        self.assertRegex(note, r"let go of: thread [a-z]")

    def test_ended_threads_count_cpu_without_a_note(self):
        last = self.launch("""
            import queue, threading
            def loader():
                full = queue.Queue(2)
                stop = threading.Event()
                def fill():
                    while not stop.is_set():
                        try: full.put((torch.zeros(2, 3), torch.zeros(2)), timeout=0.01)
                        except queue.Full: pass
                threading.Thread(target=fill).start()
                try:
                    while True: yield full.get()
                finally: stop.set()
        """, schedule__active=100)
        self.assertFalse(any("went on" in note for note in last["notes"]), last["notes"])
        if not self.alone:
            self.assertIn("loader_worker_cpu", last["metrics"])

    def test_model_step_runs_on_an_iterable(self):
        python_worker.write(self.folder, "import torch\ndef model(classes): return torch.nn.Linear(3, classes)\n", "net.py")
        options = self.on("def loader(): return batches(100)\n") | {
            "model.kind": "python", "model.path": os.path.join(self.folder, "net.py"), "data.classes": 2, "optimizer.kind": "sgd"}
        self.assertIn("loss", self.measured(options, "train_step", alone=self.alone)["fingerprint"])


class InPython(Iterables):
    """The same with the worker in Python, as in a build without Python.h."""

    alone = True


class IterableAlone(OnLoader):
    def test_step_alone_reads_only_the_kept_batches(self):
        for alone, least, most in (("step", 4, 4), ("none", 26, 1 << 40), ("loader", 26, 1 << 40)):
            with self.subTest(alone=alone):
                options = self.on("""
                    def loader():
                        read = open("read", "wb", buffering=0)
                        while True:
                            read.write(b".")
                            yield torch.zeros(4, 3), torch.zeros(4)
                """) | {"loader.alone": alone, "schedule.warmup": 6, "schedule.active": 20}
                self.measured(options)
                self.assertTrue(least <= (self.folder / "read").stat().st_size <= most, (self.folder / "read").stat().st_size)
