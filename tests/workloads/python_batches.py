# SPDX-License-Identifier: Apache-2.0
"""What reaches the worker's C++ from loader.engine: python: numbers, types, forms of a batch, what a launch reports.

    python python_batches.py WORKER
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import torch

import python_worker

WORKER = sys.argv.pop(1)

ALL_TYPES = """
    import torch
    from stepbench_types import TYPES
    class Numbers(torch.utils.data.Dataset):
        classes = ["even", "odd"]
        def __len__(self): return 10
        def __getitem__(self, i):
            return {str(t).replace("torch.", ""): torch.full((2, 3), i % 2 + 1).to(t) for t in TYPES}
    def dataset(): return Numbers()
"""


class Batches(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def shown(self, source, **options):
        """What `stepbench data show --json` prints of the first two batches."""
        path = python_worker.write(self.folder.name, source)
        given = python_worker.SMALL | {"data.path": path} | {n.replace("__", "."): v for n, v in options.items()}
        case = {"kind": "case", "protocol": [1, 3], "case_id": "0000000000000001", "workload": "loader", "options": given}
        request = {"kind": "data", "samples": 8, "batches": 2, "json": True}
        text = json.dumps(case) + "\n" + json.dumps(request) + "\n"
        done = subprocess.run([WORKER, "data"], input=text.encode(), capture_output=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout.decode().splitlines()[-1])

    def test_every_type_arrives_with_its_numbers_under_the_keys_of_a_dict(self):
        python_worker.write(self.folder.name, """
            import torch
            TYPES = [torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
                     torch.float64]
        """, "stepbench_types.py")
        shown = self.shown(ALL_TYPES, loader__num_workers=2)
        fields = {field["name"]: field for field in shown["fields"]}
        self.assertEqual(list(fields), ["bool", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"])
        for name, field in fields.items():
            self.assertEqual(field["dtype"], name)
            expected = (1, 1, 1) if name == "bool" else (1, 2, 1.5)
            self.assertEqual((field["min"], field["max"], round(field["mean"], 9)), expected, name)

    def test_the_users_functions_shape_the_batches(self):
        shown = self.shown("""
            import torch
            class Numbers(torch.utils.data.Dataset):
                def __init__(self, n): self.n = n
                def __len__(self): return self.n
                def __getitem__(self, i): return i
            def dataset(n): return Numbers(n)
            def collate(samples): return torch.tensor(samples).float().t(), torch.tensor(samples) % 2
            def sampler(data): return list(reversed(range(len(data))))
        """, python__n="20")
        field = shown["fields"][0]
        self.assertEqual((field["name"], field["min"], field["max"]), ("input", 12, 19))

    def test_a_batch_sampler_of_the_users_decides_which_samples_a_batch_holds(self):
        source = """
            import torch
            class Numbers(torch.utils.data.Dataset):
                def __len__(self): return 12
                def __getitem__(self, i): return torch.tensor([float(i)]), i
            def dataset(): return Numbers()
            def batch_sampler(data): return [[11, 3, 5], [7], [9, 8, 6, 10]]
        """
        for workers in (0, 1):
            field = self.shown(source, loader__num_workers=workers)["fields"][0]
            self.assertEqual((field["min"], field["max"], field["mean"]), (3, 11, 7.375), field)

    ORDERED = """
        import torch
        class Numbers(torch.utils.data.Dataset):
            def __len__(self): return 12
            def __getitem__(self, i): return torch.rand(1) + i, i
        def dataset(): return Numbers()
    """

    def test_data_show_tells_the_order_of_the_users_sampler_as_it_is_drawn(self):
        generator = torch.Generator().manual_seed(5)
        torch.empty((), dtype=torch.int64).random_(generator=generator)  # of the workers, which iter() draws first
        order = torch.randperm(12, generator=generator).tolist()
        source = self.ORDERED + """
        class Shuffled:
            def __init__(self, data): self.size = len(data)
            def __len__(self): return self.size
            def __iter__(self): return iter(torch.randperm(self.size).tolist())
        def sampler(data): return Shuffled(data)
        """
        for workers in (0, 2):
            shown = self.shown(source, loader__num_workers=workers, seed=5)
            self.assertEqual(shown["order"], "as sampler() of my_data.py draws it, seed 5")
            self.assertEqual(shown["first_indices"][:8], order[:8])
            self.assertEqual([sample["index"] for sample in shown["first_samples"]], order[:8])
            self.assertEqual([sample["label"] for sample in shown["first_samples"]], order[:8])
            self.assertEqual((shown["epoch_samples"], shown["batches_per_epoch"], shown["last_batch"]), (12, 3, 4))

    def test_data_show_tells_the_batches_of_the_users_batch_sampler(self):
        shown = self.shown(self.ORDERED + """
        def batch_sampler(data): return [[11, 3, 5], [7], [9, 8, 6, 10]]
        """)
        self.assertEqual(shown["order"], "as batch_sampler() of my_data.py draws it, seed 0")
        self.assertEqual(shown["first_indices"][:4], [11, 3, 5, 7])
        self.assertEqual((shown["batch_size"], shown["epoch_samples"], shown["batches_per_epoch"]), (None, None, 3))
        self.assertEqual(shown["fields"][0]["shape"], [3, 1])

    def test_items_that_are_batches_are_handed_out_as_they_are(self):
        source = """
            import torch
            class Packed(torch.utils.data.Dataset):
                def __len__(self): return 5
                def __getitem__(self, i): return torch.full((i + 2, 3), float(i)), torch.full((i + 2,), i)
            def dataset(): return Packed()
        """
        for workers in (0, 2):
            shown = self.shown(source, loader__batch_size="null", loader__num_workers=workers)
            self.assertEqual((shown["batch_size"], shown["samples_read"], shown["batches_per_epoch"]), (None, 9, 5))
            self.assertEqual([sample["label"] for sample in shown["first_samples"]], [0, 0, 1, 1, 1, 2, 2, 2])
            path = python_worker.write(self.folder.name, source)
            options = {"data.path": path, "loader.batch_size": "null", "loader.num_workers": workers, "schedule.active": 5}
            last, output = python_worker.run(WORKER, self.folder.name, options)
            self.assertEqual(last["kind"], "launch", f"{last}\n{output}")
            columns = dict(zip(last["samples"][0]["columns"], last["samples"][0]["values"]))
            self.assertEqual(columns["samples"], [2, 3, 4, 5, 6])

    def test_a_model_is_given_the_input_and_the_target_of_a_dict_and_the_rest_is_told(self):
        path = python_worker.write(self.folder.name, """
            import torch
            class Texts(torch.utils.data.Dataset):
                num_classes = 3
                def __len__(self): return 32
                def __getitem__(self, i):
                    return {"attention_mask": torch.ones(6), "labels": i % 3, "input_ids": torch.full((6,), float(i % 3))}
            def dataset(): return Texts()
            def model(classes): return torch.nn.Linear(6, classes)
        """)
        options = {"data.path": path, "model.kind": "python", "model.path": path}
        last, output = python_worker.run(WORKER, self.folder.name, options, "train_step")
        self.assertEqual(last["kind"], "launch", f"{last}\n{output}")
        note, = (note for note in last["notes"] if "left out" in note)
        self.assertIn("forward() takes 'input_ids' and the loss 'labels'; 'attention_mask' of each batch is read, and then "
                      "left out", note)

    def test_a_data_set_that_changes_the_folder_is_read_as_any_other(self):
        source = self.ORDERED.replace("return torch.rand", "__import__('os').chdir('/'); return torch.rand")
        python_worker.write(self.folder.name, source)
        last, output = python_worker.run(WORKER, self.folder.name, {"data.path": "my_data.py"})
        self.assertEqual(last["kind"], "launch", f"{last}\n{output}")
        self.assertRegex(last["effective"]["data.digest"], "^[0-9a-f]{16}-12$")

    def launch(self, body, **options):
        path = python_worker.write(self.folder.name, f"""
            import torch
            class Numbers(torch.utils.data.Dataset):
                classes = list("ab")
                def __len__(self): return 64
                def __getitem__(self, i):
                    {body}
                    return torch.zeros(3, 8, 8), i % 2
            def dataset(): return Numbers()
        """)
        given = {"data.path": path} | {name.replace("__", "."): value for name, value in options.items()}
        workload = "train_step" if "model.kind" in given else "loader"
        last, output = python_worker.run(WORKER, self.folder.name, given, workload)
        self.assertEqual(last["kind"], "launch", f"{last}\n{output}")
        return last

    def test_a_launch_says_what_the_workers_did_and_which_python_it_was(self):
        last = self.launch("__import__('time').sleep(0.002)", loader__num_workers=2, loader__persistent_workers=True,
                           schedule__warmup=4, schedule__active=12)
        self.assertEqual(last["effective"]["python.version"], sys.version.split()[0])
        self.assertEqual(os.path.realpath(last["effective"]["python.executable"]), os.path.realpath(sys.executable))
        self.assertRegex(last["effective"]["data.digest"], "^[0-9a-f]{16}-64$")
        metrics = last["metrics"]
        # Four samples of 2 ms. The window's first batches may have been read before it: two by each of two workers.
        self.assertGreater(metrics["loader_fetch_ns"], 8_000_000 * (12 - 4) / 12)
        self.assertGreater(metrics["loader_collate_ns"], 0)
        self.assertGreater(metrics["python_import_ns"], 0)

    def test_epochs_end_unless_told_otherwise_and_what_a_border_costs_is_found(self):
        options = {"loader__num_workers": 2, "schedule__warmup": 16, "schedule__active": 48}
        last = self.launch("pass", **options)  # 16 batches in an epoch
        self.assertEqual(last["schedule"]["epochs"], 3, last["schedule"])
        self.assertGreater(last["metrics"]["loader_epoch_begin_ns"], 0)
        self.assertIn("loader.epoch_gap", [finding["id"] for finding in last["findings"]])
        self.assertEqual(self.launch("pass", loader__epochs="joined", **options)["schedule"]["epochs"], 0)

    def test_a_model_of_ours_trains_on_a_data_set_of_the_users(self):
        first, second = (
            self.launch("pass", model__kind="mlp", model__size="tiny", loader__num_workers=workers, loader__shuffle=True)
            for workers in (0, 1)
        )
        self.assertIsNotNone(first["fingerprint"]["loss"])
        self.assertEqual(first["fingerprint"], second["fingerprint"])


if __name__ == "__main__":
    unittest.main()
