# SPDX-License-Identifier: Apache-2.0
"""loader.engine: iterable: batches of whatever loader() of a user's file returns, and what is said of one that is wrong.

    python python_iterable.py WORKER [TEST]...
"""
import os
import pathlib
import sys
import tempfile
import unittest

import python_worker

WORKER = pathlib.Path(sys.argv.pop(1)).resolve()

BATCHES = """
    import torch
    def batches(n, size=4):
        for i in range(n):
            yield torch.full((size, 3), float(i)), torch.full((size,), i % 2)
"""


class Iterables(unittest.TestCase):
    worker = WORKER

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, source, workload="loader", **options):
        path = python_worker.write(self.folder.name, python_worker.textwrap.dedent(BATCHES) +
                                   python_worker.textwrap.dedent(source))
        given = {"data.path": path, "loader.engine": "iterable", "loader.batch_size": "null", "loader.epochs": "separate"}
        given |= {name.replace("__", "."): value for name, value in options.items()}
        last, self.output = python_worker.run(self.worker, self.folder.name, given, workload)
        return last

    def measured(self, source, **options):
        last = self.run_on(source, **options)
        self.assertEqual(last.get("kind"), "launch", f"{last}\n{self.output}")
        last["columns"] = dict(zip(last["samples"][0]["columns"], last["samples"][0]["values"]))
        return last

    def refused(self, source, *words, kind="failed", **options):
        last = self.run_on(source, **options)
        self.assertEqual(last.get("kind"), kind, f"{last}\n{self.output}")
        message = last["message" if kind == "failed" else "reason"]
        for word in words:
            self.assertIn(word, message)
        self.assertNotIn("\n", message)

    def test_a_generator_is_made_anew_for_each_epoch(self):
        last = self.measured("def loader(): return batches(3)\n", schedule__active=7)
        self.assertEqual(last["columns"]["samples"], [4] * 7)
        self.assertEqual([i for i, flags in enumerate(last["columns"]["flags"]) if flags & 1], [3, 6], last["columns"])

    def test_an_object_that_begins_anew_is_kept_and_its_length_makes_whole_epochs(self):
        last = self.measured("""
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

    def test_batches_may_be_of_any_size_and_each_is_counted_as_it_is(self):
        last = self.measured("""
            def loader():
                for size in (2, 3, 4, 5): yield torch.zeros(size, 3), torch.zeros(size)
        """)
        self.assertEqual(last["columns"]["samples"], [2, 3, 4, 5])

    def test_an_iterable_that_never_ends_has_no_borders(self):
        last = self.measured("""
            import itertools
            def loader(): return itertools.chain.from_iterable(batches(3) for _ in itertools.count())
        """, schedule__active=10)
        self.assertFalse(any(flags & 1 for flags in last["columns"]["flags"]))

    def test_options_of_the_loader_reach_the_parameters_that_loader_has(self):
        last = self.measured("""
            def loader(batch_size, num_workers, seed, root):
                assert (num_workers, seed, root) == (2, 5, "here")
                return batches(8, batch_size)
        """, loader__batch_size=6, loader__num_workers=2, seed=5, python__root="here")
        self.assertEqual(last["columns"]["samples"], [6] * 4)

    def test_an_option_that_loader_does_not_take_is_refused(self):
        self.refused("def loader(): return batches(3)\n", "loader.num_workers", "2 is for loader() of my_data.py to take",
                     "no parameter num_workers", loader__num_workers=2)
        self.refused("def loader(): return batches(3)\n", "loader.batch_size", loader__batch_size=4)
        self.refused("def loader(): return batches(3)\n", "python.root", "loader()", python__root="here")

    def test_a_batch_larger_than_asked_for_is_refused(self):
        self.refused("def loader(batch_size): return batches(3, batch_size + 1)\n", "loader.batch_size",
                     "is 4, and batch 0 of loader() has 5 samples", loader__batch_size=4)

    def test_one_that_ends_at_once_is_said_so(self):
        self.refused("def loader(): return batches(0)\n", "data.path", "my_data.py gave no batch", "ended at once")
        self.refused("def loader(): return []\n", "gave no batch: its list ended at once")

    def test_a_generator_that_is_not_made_anew_is_said_so(self):
        self.refused("only = batches(3)\ndef loader(): return only\n", "the same generator again", "make a new one")

    def test_an_epoch_without_batches_after_others_is_said_so(self):
        self.refused("""
            class Once:
                left = 2
                def __iter__(self):
                    while Once.left > 0:
                        Once.left -= 1
                        yield torch.zeros(2, 3), torch.zeros(2)
            def loader(): return Once()
        """, "batches in epoch 0 and none in epoch 1", "begin anew")

    def test_one_that_raises_in_the_middle_gives_its_place(self):
        self.refused("""
            def loader():
                yield from batches(2)
                raise ValueError("shard 2 is broken")
        """, "ValueError: shard 2 is broken (my_data.py, line 9, in loader)")
        self.assertIn("Traceback", self.output)

    def test_what_is_no_iterable_or_no_batch_is_described(self):
        self.refused("def loader(): return 7\n", "returned int, which is no iterable of batches")
        self.refused("def loader(): pass\n", "returned NoneType")
        self.refused("def loader(): return ['abc']\n", "a batch is str")
        self.refused("def dataset(): pass\n", "no function loader()", "batches, dataset")

    def test_batches_of_another_kind_than_the_first_are_refused_and_longer_ones_are_not(self):
        for other in ("torch.zeros(2, 3), torch.zeros(2), torch.zeros(2)", "torch.zeros(2, 3).int(), torch.zeros(2)",
                      "torch.zeros(2, 3, 1), torch.zeros(2)"):
            self.refused(f"""
                def loader():
                    yield torch.zeros(2, 3), torch.zeros(2)
                    yield {other}
            """, "batch 1 of loader() is tuple", "the first one was", "must stay")
        last = self.measured("""
            def loader():
                for length in (3, 5, 4, 6): yield torch.zeros(2, length), torch.zeros(2)
        """)
        self.assertEqual(last["columns"]["samples"], [2] * 4)

    def test_a_library_that_is_absent_skips_the_case_with_what_to_install(self):
        for source in ("def loader():\n    import no_such_library.parts\n",
                       "def loader():\n    import no_such_library.parts\n    yield 1\n"):
            self.refused(source, "needs the module no_such_library", "-m pip install no_such_library", kind="skipped")

    def test_threads_that_outlive_the_loop_are_noted_and_hold_nobody_up(self):
        last = self.measured("""
            import threading
            def loader():
                gate = threading.Event()
                threading.Thread(target=gate.wait, name="reader").start()
                return batches(100)
        """)
        self.assertTrue(any("went on after its iterable was let go of: thread reader" in note for note in last["notes"]),
                        last["notes"])

    def test_threads_that_end_with_their_iterable_are_not_noted_and_their_cpu_is(self):
        last = self.measured("""
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
        if self.worker == WORKER:
            self.assertIn("loader_worker_cpu", last["metrics"])

    def test_a_model_step_runs_on_it(self):
        python_worker.write(self.folder.name, "import torch\ndef model(classes): return torch.nn.Linear(3, classes)\n", "net.py")
        last = self.run_on("def loader(): return batches(100)\n", workload="train_step",
                           **{"model.kind": "python", "model.path": os.path.join(self.folder.name, "net.py"),
                              "data.classes": 2, "optimizer.kind": "sgd"})
        self.assertEqual(last.get("kind"), "launch", f"{last}\n{self.output}")
        self.assertIn("loss", last["fingerprint"])


class InPython(Iterables):
    """The same of the worker in Python, as a build without Python.h has it."""

    @classmethod
    def setUpClass(cls):
        cls.worker = python_worker.without_module(cls, WORKER)


if __name__ == "__main__":
    unittest.main()
