# SPDX-License-Identifier: Apache-2.0
"""The wheel on a bare Debian 13 with Debian's torch, which has no CUDA: debian_test.py SOURCE_DIR BUILD_DIR

Enters a folder with that system (2 GB, downloaded, removed at the end) with chroot. Exits with 77 if this user is not
root or debootstrap is not installed."""
import json
import os
import shutil
import subprocess
import sys
import unittest

import built_wheel
from built_wheel import SHORT, STEP, STEP_YAML, Wheel, output

RELEASE = "trixie"
PACKAGES = ("python3-venv", "python3-torch")
# All mounts end with the process.
ENTER = """\
mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; mount --rbind /sys "$1/sys"
mount -t tmpfs -o size=2g shm "$1/dev/shm"
exec chroot "$@"
"""


class OnDebian(Wheel):
    def setUp(self):
        self.root = self.folder / "debian"
        output("debootstrap", "--variant=minbase", "--include=ca-certificates", RELEASE, self.root)
        for file in ("/etc/resolv.conf", "/etc/hosts"):
            shutil.copy(file, self.root / file[1:])
        self.inside("apt-get", "-qq", "install", "-y", "--no-install-recommends", *PACKAGES)

    def inside(self, *words):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
                       "DEBIAN_FRONTEND": "noninteractive"}
        return output("unshare", "--mount", "--propagation", "private", "sh", "-euc", ENTER, "sh", self.root, *words,
                      env=environment)

    def launches(self, results):
        file, = (self.root / "root" / results).glob("*/*.jsonl")
        return [row for row in map(json.loads, file.read_text().splitlines()) if row["kind"] == "launch"]

    def test_wheel_measures_with_debians_torch(self):
        shutil.copy(self.wheel, self.root / "root")
        for name, text in (("step.py", STEP), ("step.yaml", STEP_YAML)):
            (self.root / "root" / name).write_text(text)
        self.inside("python3", "-m", "venv", "--system-site-packages", "/venv")
        self.inside("/venv/bin/pip", "install", "-q", "--no-index", "--no-deps", f"/root/{self.wheel.name}")
        site, = (self.root / "venv").glob("lib/python3*/site-packages")
        examples = "/" + str(site.relative_to(self.root) / "stepbench/examples")
        stepbench = ("env", "-C", "/root", "/venv/bin/stepbench", "run")
        output_of = {
            "script": self.inside(*stepbench, "--python", f"{examples}/python/train.py", *SHORT, "--results", "script"),
            "step": self.inside(*stepbench, "step.yaml", *SHORT, "--results", "step"),
        }
        for name, said in output_of.items():
            self.assertIn("+debian", said)
            self.assertEqual({launch["outcome"] for launch in self.launches(name)}, {"measured"}, said)
        self.assertIn("measured by stepbench's worker in Python", output_of["step"])
        self.inside("python3", "-c", "import torch; assert torch.version.cuda is None")


if __name__ == "__main__":
    if os.geteuid() != 0 or shutil.which("debootstrap") is None or subprocess.run(
            ["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        print("this needs root and debootstrap")
        sys.exit(77)
    built_wheel.main()
