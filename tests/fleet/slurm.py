# SPDX-License-Identifier: Apache-2.0
"""A Slurm of two nodes on this machine, on the loopback, in its own folder: as root, with Debian's slurmctld, slurmd
and munged."""
from __future__ import annotations

import os
import pathlib
import shutil
import socket
import subprocess
import time

PATIENCE_S = 60.0


def missing() -> str:
    """Returns what is not installed; empty if nothing is missing."""
    absent = [name for name in ("slurmctld", "slurmd", "srun", "salloc", "munged") if shutil.which(name) is None]
    if absent:
        return f"no {', '.join(absent)}: apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "Slurm's daemons need root here"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Cluster:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        for name in ("state", "run", "spool-n1", "spool-n2"):
            (self.folder / name).mkdir(parents=True)
        host = socket.gethostname().partition(".")[0]
        here, cpus = self.folder, os.cpu_count() or 1
        munge = here / "run/munge.socket"
        (here / "slurm.conf").write_text("\n".join((
            "ClusterName=stepbench", f"SlurmctldHost={host}(127.0.0.1)", "SlurmUser=root", "SlurmdUser=root",
            "AuthType=auth/munge", "CredType=cred/munge", f"AuthInfo=socket={munge}",
            "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny", f"SlurmctldPort={free_port()}",
            f"StateSaveLocation={here}/state", f"SlurmdSpoolDir={here}/spool-%n", f"SlurmctldPidFile={here}/run/ctld.pid",
            f"SlurmdPidFile={here}/run/slurmd-%n.pid", f"SlurmctldLogFile={here}/run/ctld.log",
            f"SlurmdLogFile={here}/run/slurmd-%n.log", "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
            "MpiDefault=none", "JobAcctGatherType=jobacct_gather/none", "AccountingStorageType=accounting_storage/none",
            "SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "ReturnToService=2",
            *(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs={cpus} RealMemory=500"
              for node in ("n1", "n2")),
            "PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4", "")))
        os.environ["SLURM_CONF"] = str(here / "slurm.conf")
        key = here / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start("munged", "--foreground", "--force", f"--socket={munge}", f"--key-file={key}",
                    f"--log-file={here}/run/munged.log", f"--pid-file={here}/run/munged.pid",
                    f"--seed-file={here}/run/munged.seed")
        self._start("slurmctld", "-D", "-c", "-f", str(here / "slurm.conf"))
        for node in ("n1", "n2"):
            self._start("slurmd", "-D", "-c", "-N", node, "-f", str(here / "slurm.conf"))
        deadline = time.monotonic() + PATIENCE_S
        while True:
            seen = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True, check=False)
            if seen.stdout.split() == ["idle"]:
                return self
            if time.monotonic() > deadline:
                self.__exit__()
                raise RuntimeError(f"Slurm does not come up: {seen.stdout}{seen.stderr}{self.logs()}")
            time.sleep(0.2)

    def __exit__(self, *_: object) -> None:
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _start(self, *words: str) -> None:
        out = self.folder / "run" / f"{words[0]}-{len(self.daemons)}.out"
        with out.open("wb") as file:
            self.daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file))

    def logs(self) -> str:
        return "".join(f"\n{file.name}: {file.read_text(errors='replace')[-1500:]}"
                       for file in sorted((self.folder / "run").glob("*.[lo]*")))

    @property
    def batch(self) -> tuple[str, ...]:
        """Returns the words before a command that runs it in an allocation of both nodes."""
        return ("salloc", "--quiet", "--nodes=2", "--ntasks=2")
