# SPDX-License-Identifier: Apache-2.0
"""data.kind: webdataset on addresses, read by a worker inside an interpreter: it has the credentials of its environment."""
import subprocess

import python_worker
import shard_server as server
from python_hosted import STEPBENCH
from python_worker import Warmed

NET = """
import torch
def model(): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 16 * 16, 1000))
"""


class Remote(Warmed):
    def test_a_worker_inside_an_interpreter_has_the_credentials_too(self):
        made = self.folder / "set"
        subprocess.run([STEPBENCH, "data", "make", "webdataset", "--out", made, "--images", "16", "--shards", "2", "--width", "40",
                        "--height", "30"], check=True, capture_output=True)
        shards = {f"/photos/train/{path.name}": path.read_bytes() for path in made.glob("*.tar")}
        served = server.ShardServer(shards, "us-east-1")
        self.addCleanup(served.close)
        signed = {"AWS_ACCESS_KEY_ID": server.KEY, "AWS_SECRET_ACCESS_KEY": server.SECRET, "AWS_SESSION_TOKEN": server.TOKEN}
        path = python_worker.write(self.folder, NET, "net.py")
        last = self.measured(
            {"data.kind": "webdataset", "data.path": "s3://photos/train/shard-{000000..000001}.tar", "data.image_size": 16,
             "data.s3_endpoint": served.url, "loader.engine": "thread", "loader.num_workers": 1, "model.kind": "python",
             "model.path": path}, "train_step", environment=signed)
        self.assertEqual(last["columns"]["samples"], [4] * 4)
        self.assertTrue(served.requests)
