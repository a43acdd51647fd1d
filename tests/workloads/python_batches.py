# SPDX-License-Identifier: Apache-2.0
"""Output of loader.engine: python in the worker's C++: numbers, types, forms of a batch, reports of a launch."""
import os
import sys

import torch

import python_worker
from python_worker import Warmed, given

ALL_TYPES = """
    import torch
    TYPES = [torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
             torch.float64]
    class Numbers(torch.utils.data.Dataset):
        classes = ["even", "odd"]
        def __len__(self): return 10
        def __getitem__(self, i):
            return {str(t).replace("torch.", ""): torch.full((2, 3), i % 2 + 1).to(t) for t in TYPES}
    def dataset(): return Numbers()
"""
ORDERED = """
    import torch
    class Numbers(torch.utils.data.Dataset):
        def __init__(self, n=12): self.n = n
        def __len__(self): return self.n
        def __getitem__(self, i): return torch.rand(1) + i, i
    def dataset(n=12): return Numbers(n)
"""
SHUFFLED = """
    class Shuffled:
        def __init__(self, data): self.size = len(data)
        def __len__(self): return self.size
        def __iter__(self): return iter(torch.randperm(self.size).tolist())
    def sampler(data): return Shuffled(data)
"""
PACKED = """
    import torch
    class Packed(torch.utils.data.Dataset):
        def __len__(self): return 5
        def __getitem__(self, i): return torch.full((i + 2, 3), float(i)), torch.full((i + 2,), i)
    def dataset(): return Packed()
"""


class Batches(Warmed):
    def on(self, source, **options):
        return {"data.path": python_worker.write(self.folder, source)} | given(options)

    def shown(self, source, **options):
        return super().shown(self.on(source, **options))

    def test_every_type_arrives_under_its_dict_key(self):
        fields = {field["name"]: field for field in self.shown(ALL_TYPES, loader__num_workers=2)["fields"]}
        self.assertEqual(list(fields), ["bool", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"])
        for name, field in fields.items():
            self.assertEqual(field["dtype"], name)
            expected = (1, 1, 1) if name == "bool" else (1, 2, 1.5)
            self.assertEqual((field["min"], field["max"], round(field["mean"], 9)), expected, name)

    def test_user_functions_get_arguments_and_shape_batches(self):
        shown = self.shown(ORDERED + """
    def collate(samples): return torch.tensor([i for _, i in samples]).float().t(), torch.tensor([i for _, i in samples]) % 2
    def sampler(data): return list(reversed(range(len(data))))
        """, python__n="20")
        field = shown["fields"][0]
        self.assertEqual((field["name"], field["min"], field["max"]), ("input", 12, 19))

    def test_preview_shows_the_user_samplers_order(self):
        generator = torch.Generator().manual_seed(5)
        torch.empty((), dtype=torch.int64).random_(generator=generator)  # of the workers, which iter() draws first
        order = torch.randperm(12, generator=generator).tolist()
        for workers in (0, 2):
            shown = self.shown(ORDERED + SHUFFLED, loader__num_workers=workers, seed=5)
            self.assertEqual(shown["order"], "as sampler() of my_data.py draws it, seed 5")
            self.assertEqual(shown["first_indices"][:8], order[:8])
            self.assertEqual([sample["index"] for sample in shown["first_samples"]], order[:8])
            self.assertEqual([sample["label"] for sample in shown["first_samples"]], order[:8])
            self.assertEqual((shown["epoch_samples"], shown["batches_per_epoch"], shown["last_batch"]), (12, 3, 4))

    def test_sampler_without_length_deals_single_items(self):
        shown = self.shown(PACKED + """
    class Endless:
        def __iter__(self): return iter([3, 1, 2])
    def sampler(data): return Endless()
        """, loader__batch_size="null")
        self.assertEqual([sample["label"] for sample in shown["first_samples"]], [3] * 5 + [1] * 3)

    def test_user_batch_sampler_decides_the_samples(self):
        for workers in (0, 1):
            shown = self.shown(ORDERED.replace("torch.rand(1)", "torch.zeros(1)") + """
    def batch_sampler(data): return [[11, 3, 5], [7], [9, 8, 6, 10]]
            """, loader__num_workers=workers)
            field = shown["fields"][0]
            self.assertEqual((field["min"], field["max"], field["mean"]), (3, 11, 7.375))
            self.assertEqual(shown["order"], "as batch_sampler() of my_data.py draws it, seed 0")
            self.assertEqual(shown["first_indices"][:4], [11, 3, 5, 7])
            self.assertEqual((shown["batch_size"], shown["epoch_samples"], shown["batches_per_epoch"]), (None, None, 3))
            self.assertEqual(field["shape"], [3, 1])

    def test_whole_batches_pass_unchanged(self):
        for workers in (0, 2):
            options = {"loader__batch_size": "null", "loader__num_workers": workers}
            shown = self.shown(PACKED, **options)
            self.assertEqual((shown["batch_size"], shown["samples_read"], shown["batches_per_epoch"]), (None, 9, 5))
            self.assertEqual([sample["label"] for sample in shown["first_samples"]], [0, 0, 1, 1, 1, 2, 2, 2])
            last = self.measured(self.on(PACKED, schedule__active=5, **options))
            self.assertEqual(last["columns"]["samples"], [2, 3, 4, 5, 6])

    def test_model_gets_input_and_target_of_a_dict(self):
        options = self.on("""
            import torch
            class Texts(torch.utils.data.Dataset):
                num_classes = 3
                def __len__(self): return 32
                def __getitem__(self, i):
                    return {"attention_mask": torch.ones(6), "labels": i % 3, "input_ids": torch.full((6,), float(i % 3))}
            def dataset(): return Texts()
            def model(classes): return torch.nn.Linear(6, classes)
        """)
        last = self.measured(options | {"model.kind": "python", "model.path": options["data.path"]}, "train_step")
        note, = (note for note in last["notes"] if "left out" in note)
        self.assertIn("forward() takes 'input_ids' and the loss 'labels'; 'attention_mask' of each batch is read, and then "
                      "left out", note)

    def test_data_set_that_changes_folder_is_read(self):
        self.on(ORDERED.replace("return torch.rand", "__import__('os').chdir('/'); return torch.rand"))
        last = self.measured({"data.path": "my_data.py"})
        self.assertRegex(last["effective"]["data.digest"], "^[0-9a-f]{16}-12$")

    def launch(self, body, **options):
        return self.measured(self.on(f"""
            import torch
            class Numbers(torch.utils.data.Dataset):
                classes = list("ab")
                def __len__(self): return 64
                def __getitem__(self, i):
                    {body}
                    return torch.zeros(3, 8, 8), i % 2
            def dataset(): return Numbers()
        """, **options), "train_step" if "model__kind" in options else "loader")

    def test_launch_records_workers_and_python(self):
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

    def test_epochs_end_and_border_cost_is_found(self):
        options = {"loader__num_workers": 2, "schedule__warmup": 16, "schedule__active": 48}
        last = self.launch("pass", **options)  # 16 batches in an epoch
        self.assertEqual(last["schedule"]["epochs"], 3, last["schedule"])
        self.assertGreater(last["metrics"]["loader_epoch_begin_ns"], 0)
        self.assertIn("loader.epoch_gap", [finding["id"] for finding in last["findings"]])
        self.assertEqual(self.launch("pass", loader__epochs="joined", **options)["schedule"]["epochs"], 0)

    def test_built_in_model_trains_on_user_data(self):
        first, second = (
            self.launch("pass", model__kind="mlp", model__size="tiny", loader__num_workers=workers, loader__shuffle=True)
            for workers in (0, 1)
        )
        self.assertIsNotNone(first["fingerprint"]["loss"])
        self.assertEqual(first["fingerprint"], second["fingerprint"])
