# SPDX-License-Identifier: Apache-2.0
"""measure() without the rest, on torch-free loaders and a scripted CUDA: loop_test.py SOURCE_DIR [TEST]..."""
import collections
import contextlib
import ctypes
import dataclasses
import gc
import importlib
import io
import itertools
import os
import pathlib
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tools/python"))
from stepbench_worker import measure, phase, report, session  # noqa: E402
from stepbench_worker.batch import SampleCounter, lengths_of, size_of  # noqa: E402
from stepbench_worker.cpus import Cpus, crowded_threads  # noqa: E402
from stepbench_worker.dataloader_times import Handover, Records  # noqa: E402
from stepbench_worker.dataloader import LoaderWatch, less_work, usable_cores  # noqa: E402
from stepbench_worker.facts import launch_report  # noqa: E402
from stepbench_worker import garbage, memory, spawned_ranks, ranks, ranks_check  # noqa: E402
from stepbench_worker.loop import USAGE, Session  # noqa: E402
from stepbench_worker.ranks_check import devices_of  # noqa: E402
from stepbench_worker.schedule import Action, Plan, Schedule  # noqa: E402
from stepbench_worker.controlled_run import ControlledRun, in_others, last_steps, own_phases_of, schedule_of  # noqa: E402
from stepbench_worker.source import LoopError  # noqa: E402
from stepbench_worker.stopping import Stopping, interval_of_windows  # noqa: E402
from stepbench_worker.window import EPOCH, PARTIAL, Step  # noqa: E402
from stepbench_worker.worker import Launch  # noqa: E402


class Loader:
    """Batches of two samples; the last of an epoch has one."""

    def __init__(self, length):
        self.length = length
        self.epochs = 0

    def __len__(self):
        return self.length

    def __iter__(self):
        self.epochs += 1
        yield from [[0, 1]] * (self.length - 1)
        yield [0]


class Tensor:
    def __init__(self, *shape):
        self.shape = shape


def action_names(schedule, steps):
    return "".join("-wA!"[schedule.action(step).value] for step in range(steps))


class DataLoader:
    """The parts of torch's DataLoader that are used."""

    dataset, collate_fn, batch_size, pin_memory, sampler = Loader(3), None, 4, False, None

    def __init__(self, num_workers):
        self.num_workers = num_workers


class Iterator:
    def __init__(self, *pids):
        self._workers = [types.SimpleNamespace(pid=pid, is_alive=lambda: True) for pid in pids]


class LoaderFindings(unittest.TestCase):
    """On a /proc made of files: a window of one second in which the steps wait 600 ms for data."""

    MS = 1_000_000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.proc = pathlib.Path(folder.name)
        self.stat(0)
        self.task(os.getpid(), 0, 0)

    def task(self, pid, cpu_ms, waited_ms, read_bytes=0):
        folder = self.proc / str(pid) / "task" / str(pid)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "schedstat").write_text(f"{cpu_ms * self.MS} {waited_ms * self.MS} 3\n")
        (self.proc / str(pid) / "io").write_text(f"rchar: 9\nread_bytes: {read_bytes}\n")

    def stat(self, busy_ticks):
        """The time of two cores, spread over all CPUs that this process may use."""
        mine = os.sched_getaffinity(0)
        rows = [f"cpu{cpu} {2 * busy_ticks // len(mine)} 0 0 5 5 0 0 0 0 0" for cpu in mine]
        (self.proc / "stat").write_text("cpu 0 0 0 0\n" + "\n".join(rows) + "\n")

    def finding(self, workers, training, of_worker=(0, 0), others=False, read_bytes=0, wait_ms=6):
        pids = [1001 + i for i in range(workers)]
        for pid in pids:
            self.task(pid, 5, 5)
        watch = LoaderWatch(DataLoader(workers), self.proc, cores=2)
        watch.begin(Iterator(*pids))
        self.task(os.getpid(), *training)
        for pid in pids:
            self.task(pid, 5 + of_worker[0], 5 + of_worker[1], read_bytes)
        if others:
            self.stat(100)  # the CPUs were never idle
        watch.end(Iterator(*pids), 1000 * self.MS, [wait_ms * self.MS] * 100, [])
        found = watch.findings()
        self.assertEqual(len(found), 1)
        return found[0]

    def test_computing_workers_on_free_cores_suggest_more(self):
        found = self.finding(1, (10, 0), (980, 10))
        self.assertEqual(found["id"], "loader.worker_bound")
        self.assertIn("computing 98.0 %", found["text"])
        self.assertIn("num_workers=2", found["remedy"])

    def test_computing_workers_on_all_cores_suggest_none(self):
        found = self.finding(2, (10, 0), (980, 10))
        self.assertEqual((found["id"], found["remedy"]), ("loader.core_bound", less_work(2)))

    def test_more_workers_than_cores_are_reported(self):
        found = self.finding(4, (10, 0), (450, 500))
        self.assertEqual(found["id"], "loader.oversubscribed")
        self.assertRegex(found["text"], r"4 workers share 2 cores, which are 9\d.\d % in use; they are computing 45.0 % of")
        self.assertIn("use no more, and do less per sample.", found["remedy"])
        found = self.finding(4, (10, 0), (450, 500), wait_ms=0)
        self.assertEqual((found["id"], found["remedy"][-12:]), ("loader.oversubscribed", "use no more."))
        self.assertNotEqual(self.finding(4, (10, 0), (100, 50))["id"], "loader.oversubscribed", "workers that sleep")
        self.assertNotEqual(self.finding(2, (10, 0), (980, 10))["id"], "loader.oversubscribed", "as many as cores")

    def test_waiting_for_storage_differs_from_sleep(self):
        self.assertIn("wait for storage", self.finding(2, (10, 0), (50, 10), read_bytes=1 << 20)["remedy"])
        self.assertIn("not for storage", self.finding(2, (10, 0), (50, 10))["remedy"])

    def test_workers_waiting_for_a_cpu_name_other_programs(self):
        found = self.finding(2, (10, 0), (500, 450), others=True)
        self.assertEqual(found["id"], "loader.other_programs")
        self.assertIn("waiting for a CPU 45.0 %, sleeping 5.0 %; other programs use", found["text"])

    def test_no_workers_report_computing_reads(self):
        found = self.finding(0, (1000, 0))
        self.assertIn("no workers: the step waits 60.0 % of its time for data: computing 100 %", found["text"])
        self.assertIn("num_workers=1", found["remedy"])

    def test_no_workers_report_sleeping_reads(self):
        self.assertIn("computing 4.2 %", self.finding(0, (50, 0))["text"])

    def test_sleep_in_the_step_is_not_called_reading(self):
        self.assertNotIn("computing", self.finding(0, (500, 0))["text"])

    def test_uncounted_kernel_times_are_not_guessed(self):
        for file in self.proc.rglob("schedstat"):
            file.unlink()
        watch = LoaderWatch(DataLoader(2), self.proc, cores=2)
        watch.begin(Iterator(1001, 1002))
        watch.end(Iterator(1001, 1002), 1000 * self.MS, [6 * self.MS] * 100, [])
        self.assertIn("is not known", watch.findings()[0]["remedy"])

    def test_short_lived_workers_do_not_blame_the_kernel(self):
        self.task(1001, 5, 5)
        watch = LoaderWatch(DataLoader(1), self.proc, cores=2)
        watch.begin(Iterator(1001))
        self.task(1002, 5, 5)
        watch.end(Iterator(1002), 1000 * self.MS, [6 * self.MS] * 100, [])
        self.assertIn("none of them lives as long as a window", watch.findings()[0]["remedy"])

    def test_epoch_borders_are_separated_from_waiting(self):
        for persistent, name, words in ((False, "loader.epoch_gap", "persistent_workers=True"),
                                        (True, "loader.epoch_drain", "sampler that never ends")):
            loader = DataLoader(2)
            loader.persistent_workers = persistent
            watch = LoaderWatch(loader, self.proc, cores=2)
            watch.begin(Iterator())
            borders = [93 * self.MS] * 6
            watch.end(Iterator(), 1200 * self.MS, [*borders, *[self.MS // 2] * 54], borders)
            (found,) = watch.findings()
            self.assertEqual(found["id"], name)
            self.assertRegex(found["text"], r"stands still for 9\d.\d ms, 4\d.\d % of the time")
            self.assertIn(words, found["remedy"])
        watch = LoaderWatch(DataLoader(2), self.proc, cores=2)
        watch.begin(Iterator())
        watch.end(Iterator(), 1200 * self.MS, [self.MS] * 60, [self.MS] * 6)
        self.assertEqual(watch.findings(), [], "a border waits no longer than other steps")

    def handed_over(self, made_us, sent_us, step_us, wait_us, computing=1.0, for_cpu_ms=0):
        """Returns the findings for one worker: each batch takes `made_us` and arrives `sent_us` later; with a
        negative `wait_us` it is ready when requested and takes that long; the training thread waits for a CPU
        meanwhile."""
        count = 60
        watch = LoaderWatch(DataLoader(1), self.proc, cores=2)
        watch.handover._records = records = Records()
        self.task(1001, 0, 0)
        self.task(os.getpid(), 0, 0)
        watch.begin(Iterator(1001))
        ready, began, steps = wait_us < 0, 10**9, []
        for batch in range(count):
            sent = began - 1 if ready else began + (wait_us - 100) * 1000
            made = sent - sent_us * 1000
            records.write(batch, (made - made_us * 1000, made, sent))
            steps.append((step_us * 1000, abs(wait_us) * 1000, False))
            began += step_us * 1000
        elapsed_ns = count * step_us * 1000
        self.task(1001, round(computing * made_us * count / 1000), 0)
        self.task(os.getpid(), 0, for_cpu_ms)
        watch.handed_over(10**9, steps)
        watch.end(Iterator(1001), elapsed_ns, [wait for _, wait, _ in steps], [])
        return {found["id"]: found for found in watch.findings()}

    def test_batches_waiting_for_the_worker_lock_are_found(self):
        found = self.handed_over(made_us=6000, sent_us=5000, step_us=10000, wait_us=4000)["loader.gil"]
        self.assertIn("a finished batch waits 5 ms for Python's lock (GIL)", found["text"])
        self.assertIn("sys.setswitchinterval", found["remedy"])
        for control, words in (("which sleeps", {"computing": 0.3}), ("which has them sent at once", {"sent_us": 50})):
            words = {"made_us": 6000, "sent_us": 5000, "step_us": 10000, "wait_us": 4000, **words}
            self.assertNotIn("loader.gil", self.handed_over(**words), control)

    def test_late_memory_of_a_worker_counts_as_its_lock(self):
        words = {"made_us": 7500, "sent_us": 50, "step_us": 10000, "wait_us": -9900}
        self.assertIn("a finished batch waits 9.9 ms for Python's lock", self.handed_over(**words)["loader.gil"]["text"])
        self.assertNotIn("loader.gil", self.handed_over(**words, computing=0.3), "a worker that sleeps holds no lock")

    def test_handing_over_differs_from_waiting(self):
        found = self.handed_over(made_us=1000, sent_us=50, step_us=10000, wait_us=-3000)["loader.transport"]
        self.assertIn("handing batches over takes 30.0 % of the training thread's time", found["text"])
        self.assertNotIn("loader.transport", self.handed_over(made_us=9000, sent_us=50, step_us=10000, wait_us=4000))
        self.assertEqual(self.handed_over(made_us=1000, sent_us=50, step_us=10000, wait_us=-500), {})

    def test_thread_waiting_for_a_cpu_hands_nothing_over(self):
        words = {"made_us": 1000, "sent_us": 50, "step_us": 10000, "wait_us": -3000}
        self.assertIn("takes 20.0 %", self.handed_over(**words, for_cpu_ms=60)["loader.transport"]["text"])
        self.assertNotIn("loader.transport", self.handed_over(**words, for_cpu_ms=150))

    def test_later_epochs_batches_are_ignored(self):
        handover = Handover()
        handover._records = records = Records()
        for batch in range(20):
            records.write(batch, (1, 2, 10**12))  # as in the epoch that started meanwhile
        handover.end(10**9, [(1000, 500, False)] * 20)
        self.assertEqual((handover.all.delivered, handover.all.known, handover.all.tells), (20, 0, False))

    def test_other_ranks_are_not_other_programs(self):
        for launcher, place in (("run --ranks", {"RANK": "0", "WORLD_SIZE": "4"}), ("the script itself", {})):
            with self.subTest(launcher), mock.patch.dict(os.environ, place), mock.patch.object(
                    ranks, "group", lambda place=place: None if place else (0, 4)):
                self.setUp()
                found = self.finding(2, (10, 0), (500, 450), others=True)
                self.assertEqual(found["remedy"], less_work(2))
                self.assertNotIn("other programs", found["text"])

    def test_few_allowed_cores_name_the_remedy(self):
        self.assertIn("may use 1 of the machine's 64: give it more (srun --cpus-per-task", less_work(1.0, 64))
        self.assertEqual(less_work(64.0, 64), "The cores are the limit: do less per sample, or use a machine with more.")

    def test_cgroup_quota_counts_with_its_parents(self):
        all_of_them = float(len(os.sched_getaffinity(0)))
        own, service = self.proc / "sys/fs/cgroup/system.slice/job.service/train", "system.slice/job.service"
        own.mkdir(parents=True)
        (self.proc / "proc/self").mkdir(parents=True)
        for path, quota, cores in ((f"/{service}/train", "50000 100000", 0.5), (f"/{service}/train", "max 100000", all_of_them),
                                   ("/../outside", "50000 100000", all_of_them), (f"/{service}", "25000 100000", 0.25)):
            with self.subTest(path=path, quota=quota):
                (self.proc / "proc/self/cgroup").write_text(f"0::{path}\n")
                (own.parent / "cpu.max").write_text(quota + "\n")
                self.assertEqual(usable_cores(self.proc), cores)
        (self.proc / "proc/self/cgroup").write_text("4:cpu,cpuacct:/user\n1:memory:/user\n")
        group = self.proc / "sys/fs/cgroup/cpu/user"
        group.mkdir(parents=True)
        (group / "cpu.cfs_quota_us").write_text("75000\n")
        (group / "cpu.cfs_period_us").write_text("100000\n")
        self.assertEqual(usable_cores(self.proc), 0.75)

    def test_fewer_cpus_than_at_start_are_a_finding(self):
        mine = os.sched_getaffinity(0)
        cpus = Cpus(frozenset(mine) | {max(mine) + 1})
        self.assertEqual(cpus.findings(), [])
        cpus.look()
        self.assertIn(f"may use {len(mine)} of the {len(mine) + 1} CPUs", cpus.findings()[0]["text"])
        cpus = Cpus()
        cpus.look()
        self.assertEqual(cpus.findings(), [])

    def of_workers(self, workers, made_us, step_us=10000, wait_us=20, first_batch_ns=0):
        """Returns the findings if every batch lies ready: `workers` share them, each is made in so long."""
        watch = LoaderWatch(DataLoader(workers), self.proc, cores=4)
        watch.handover._records = records = Records()
        watch.begin(Iterator())
        began, steps = 10**9, []
        for batch in range(60):
            records.write(batch, (began - 2000 - made_us * 1000, began - 2000, began - 1000))
            steps.append((step_us * 1000, wait_us * 1000, False))
            began += step_us * 1000
        watch.handed_over(10**9, steps)
        watch.end(Iterator(), 60 * step_us * 1000, [wait for _, wait, _ in steps], [])
        return {found["id"]: found for found in watch.findings(first_batch_ns)}

    def in_turns(self, workers, made_us, own_us, way_us=0):
        """Returns the findings if workers make batches in turns, two ahead, in `made_us` each, and a step itself takes
        own_us. A worker begins way_us after the request of a batch at the earliest."""
        watch = LoaderWatch(DataLoader(workers), self.proc, cores=workers)
        watch.handover._records = records = Records()
        watch.begin(Iterator())
        now, free, taken, steps = 10**9, [10**9] * workers, [10**9] * 2 * workers, []
        for batch, us in enumerate(made_us):
            began = max(free[batch % workers], taken[batch] + way_us * 1000)
            made = free[batch % workers] = began + us * 1000
            records.write(batch, (began, made, made + 1000))
            wait = max(0, made + 1000 - now)
            taken.append(now + wait)
            steps.append((wait + own_us * 1000, wait, False))
            now += wait + own_us * 1000
        watch.handed_over(10**9, steps)
        watch.end(Iterator(), now - 10**9, [wait for _, wait, _ in steps], [])
        return {found["id"]: found for found in watch.findings()}

    def test_uneven_batches_differ_from_too_few_workers(self):
        found = self.in_turns(1, ([3000] * 7 + [60000]) * 8, own_us=16000)["loader.uneven"]
        self.assertIn("some batches take longer than others, and at most 2 finished batches can make up for it", found["text"])
        self.assertIn("prefetch_factor=4", found["remedy"])
        self.assertNotIn("loader.uneven", self.in_turns(1, [10000] * 64, own_us=16000), "batches alike")
        self.assertNotIn("loader.uneven", self.in_turns(1, [20000, 40000] * 32, own_us=10000), "a worker that is always busy")

    def test_late_batch_that_blocks_others_is_found(self):
        found = self.in_turns(2, ([5000] * 15 + [90000]) * 6, own_us=5000)["loader.straggler"]
        self.assertRegex(found["text"], r"finished batches wait for a late one in \d\d.\d % of the time; in any order")
        self.assertIn("in_order=False", found["remedy"])
        self.assertNotIn("loader.straggler", self.in_turns(2, [9000] * 64, own_us=5000), "batches alike")
        self.assertNotIn("loader.straggler", self.in_turns(1, ([5000] * 15 + [90000]) * 6, own_us=5000), "no other worker")

    def test_tiny_batches_with_slow_transfer_are_found(self):
        found = self.in_turns(2, [500] * 64, own_us=200, way_us=3000)["loader.tiny_batches"]
        self.assertIn("a batch takes 0.5 ms to make, and its way to the training thread is longer than that", found["text"])
        self.assertNotIn("loader.tiny_batches", self.in_turns(2, [500] * 64, own_us=4000, way_us=3000), "which do not wait")

    def fresh_memory(self, faults, kernel_ticks, batch_bytes=4 << 20):
        watch = LoaderWatch(DataLoader(1), self.proc, cores=2)
        watch.observe({"image": types.SimpleNamespace(nbytes=batch_bytes)}, True)
        self.task(1001, 5, 5)

        def write(faults, user, kernel):
            (self.proc / "1001/stat").write_text(f"1001 (a ) b) S 1 1 1 0 -1 0 {faults} 0 0 0 {user} {kernel} 0 0 20\n")

        write(100, 30, 2)
        watch.begin(Iterator(1001))
        write(100 + 50 * faults, 130 - kernel_ticks, 2 + kernel_ticks)
        watch.end(Iterator(1001), 1000 * self.MS, [self.MS] * 50, [])
        return {found["id"]: found for found in watch.findings()}

    def test_fresh_memory_for_each_batch_is_found(self):
        found = self.fresh_memory(1024, 40)["loader.page_faults"]
        self.assertIn("1,024 page faults per batch; the kernel takes 40.0 % of the workers' CPU time", found["text"])
        for control, words in (("few faults", (100, 40)), ("cheap ones", (1024, 5)), ("small batches", (1024, 40, 1 << 19))):
            self.assertNotIn("loader.page_faults", self.fresh_memory(*words), control)

    def test_more_threads_than_cores_are_a_finding(self):
        self.assertIn("8 threads share each operation, on 2 cores", crowded_threads(8, 2)[0]["text"])
        self.assertEqual(crowded_threads(2, 2), [])

    def test_mostly_idle_workers_are_too_many(self):
        found = self.of_workers(4, made_us=8000)["loader.idle_workers"]
        self.assertIn("4 workers are busy only 20.0 % of their time", found["text"])
        self.assertIn("num_workers=1)", found["remedy"])
        for control, words in (("busy", {"workers": 4, "made_us": 24000}), ("awaited", {"workers": 4, "made_us": 8000, "wait_us": 400}),
                               ("one", {"workers": 1, "made_us": 2000})):
            self.assertNotIn("loader.idle_workers", self.of_workers(**words), control)

    def test_late_first_batch_is_found(self):
        found = self.of_workers(2, made_us=8000, first_batch_ns=3_200_000_000)["loader.start_up"]
        self.assertIn("the first batch came after 3.2 s; a worker needs 8 ms", found["text"])
        self.assertNotIn("loader.start_up", self.of_workers(2, made_us=8000, first_batch_ns=900_000_000))
        self.assertNotIn("loader.start_up", self.of_workers(2, made_us=800_000, step_us=900_000, first_batch_ns=3_200_000_000))

    def test_steps_without_waits_have_no_findings(self):
        watch = LoaderWatch(DataLoader(2), self.proc, cores=2)
        watch.begin(Iterator())
        watch.end(Iterator(), 1000 * self.MS, [self.MS] * 50, [])
        self.assertEqual(watch.findings(), [])
        self.assertEqual(watch.settings["loader.num_workers"], 2)
        other = LoaderWatch(Loader(3), self.proc, cores=2)
        other.begin(None)
        other.end(None, 1000 * self.MS, [6 * self.MS] * 100, [])
        self.assertEqual((other.settings, other.findings()), ({}, []))


class Schedules(unittest.TestCase):
    def test_cycle_waits_warms_up_and_records(self):
        self.assertEqual(action_names(Schedule(1, 2, 3, 2), 14), "-wwAA!-wwAA!--")
        self.assertEqual(action_names(Schedule(2, 1, 2, 1, skip_first=3), 9), "-----wA!-")
        self.assertEqual(action_names(Schedule(2, 1, 2, 2, skip_first_wait=1), 9), "wA!--wA!-")

    def test_step_count_equals_the_actions(self):
        for schedule in (Schedule(1, 2, 3, 2), Schedule(2, 1, 2, 1, 3), Schedule(2, 1, 2, 2, 0, 1)):
            last = max(step for step in range(50) if schedule.action(step) is Action.LAST_ACTIVE)
            self.assertEqual(schedule.steps, last + 1)

    def test_invalid_counts_are_refused(self):
        for wrong in ({"active": 0}, {"warmup": -1}, {"repeat": 1.5}, {"wait": True}):
            with self.assertRaisesRegex(ValueError, f"{next(iter(wrong))} must be a whole number"):
                Schedule(**wrong)

    def test_window_has_whole_epochs_or_no_border(self):
        self.assertEqual(Plan(Schedule(active=50), per_epoch=20).schedule.active, 60)
        self.assertEqual(Plan(Schedule(active=50), per_epoch=51).schedule.active, 51)
        plan = Plan(Schedule(1, 2, 10, 3), per_epoch=16)
        in_window, measured = False, []
        for step in range(200):
            action, _ = plan.next(step, in_window)
            in_window = action is Action.ACTIVE
            if action in (Action.ACTIVE, Action.LAST_ACTIVE):
                measured.append(step)
        self.assertEqual(len(measured), 30)
        self.assertFalse([step for step in measured if step % 16 == 0], "the border of an epoch lies in a window")


    def test_last_timed_steps_record_operations(self):
        timing = Schedule(2, 10, 50, 1)
        self.assertEqual(last_steps(timing, {"profile.active": 5}), Schedule(0, 10, 5, 1, skip_first=47))
        self.assertEqual(last_steps(timing, {"profile.active": 99}), Schedule(0, 10, 50, 1, skip_first=2))
        self.assertEqual(last_steps(timing, {"profile.active": 5, "profile.warmup": 3}), Schedule(0, 3, 5))
        # 50 steps of epochs of 20 are measured as 60: the window stays at their end.
        plan = Plan(last_steps(timing, {"profile.active": 5}), 20, timing)
        self.assertEqual((plan.schedule.skip_first, plan.schedule.active, plan.epochs), (57, 5, 0))


class StoppingRules(unittest.TestCase):
    AUTO = {"schedule.active": "auto", "schedule.window": 4, "schedule.precision": 0.01, "schedule.max_active": 400,
            "schedule.repeat": 2, "schedule.warmup": 3}

    def test_windows_repeat_until_precision_or_limit(self):
        schedule, stopping = schedule_of(self.AUTO)
        self.assertEqual((schedule.active, schedule.repeat, schedule.warmup), (4, 0, 3))
        self.assertIs(schedule.action(10 * schedule.steps - 1), Action.LAST_ACTIVE)
        steady = [100.0, 101.0] * 20
        self.assertEqual([stopping.reason(steady[:n], 4 * n) for n in (2, 10, 11)], [None, None, "precision"])
        wild = [100.0 + n for n in range(120)]
        self.assertEqual([stopping.reason(wild[:n], 4 * n) for n in (11, 40, 99, 100)], [None, None, None, "count"])
        self.assertEqual(Stopping(3).reason([1.0, 1.0, 1.0], 12), "count")

    def test_interval_is_students_on_ten_joined_windows(self):
        self.assertIsNone(interval_of_windows([100.0] * 9))
        low, high = interval_of_windows([100.0 + n % 2 for n in range(19)])
        half = 2.1009 * (90 / 19 / 18 / 19) ** 0.5  # of 18 degrees of freedom; nine of 19 are one above the others
        self.assertAlmostEqual(low, 100 + 9 / 19 - half, places=4)
        self.assertAlmostEqual(high, 100 + 9 / 19 + half, places=4)
        self.assertEqual(interval_of_windows([100.0 + n % 2 for n in range(20)]), (100.5, 100.5))

    def test_open_ended_loop_states_its_precision(self):
        told = Session()
        told.schedule, told.stopping = schedule_of({**self.AUTO, "schedule.precision": 1e9, "schedule.wait": 0})
        session.use(told)
        list(measure(Loader(1000)))
        said = launch_report(told.loop, {})["schedule"]
        self.assertEqual((said["stop_reason"], said["cycles"], said["active"]), ("precision", 11, 44))
        self.assertLess(said["within_launch_low_ns"], said["within_launch_high_ns"])


class Loops(unittest.TestCase):
    def setUp(self):
        self.told = Session()
        session.use(self.told)

    def columns(self):
        return self.told.loop.cycles[0]

    def test_each_batch_is_a_step_with_parts_that_sum(self):
        for _ in measure(Loader(100), wait=1, warmup=2, active=5):
            with phase("forward"):
                pass
            with phase("backward"):
                pass
            with phase("forward"):
                pass
        columns = self.columns()
        self.assertEqual(columns["index"], [3, 4, 5, 6, 7])
        self.assertEqual(columns["samples"], [2] * 5)
        for i in range(5):
            parts = ("data_wait_ns", "forward_ns", "backward_ns", "other_ns")
            self.assertEqual(sum(columns[name][i] for name in parts), columns["step_ns"][i])
            self.assertGreaterEqual(columns["other_ns"][i], 0)
        self.assertNotIn("optimizer_ns", columns)

    def test_repeated_epochs_flag_borders_and_partial_batches(self):
        loader = Loader(4)
        list(measure(loader, wait=0, warmup=2, active=8))
        self.assertEqual(loader.epochs, 3)
        self.assertEqual(self.columns()["flags"], [0, PARTIAL, EPOCH, 0, 0, PARTIAL, EPOCH, 0])
        waits = [wait > 0 for wait in self.columns()["epoch_wait_ns"]]
        self.assertEqual(waits, [flag == EPOCH for flag in self.columns()["flags"]])
        self.assertEqual(launch_report(self.told.loop, {})["schedule"]["epochs"], 2)

    def test_left_loop_restarts_its_cycle(self):
        steps = 0
        for _ in range(3):
            for number, _ in enumerate(measure(Loader(100), wait=0, warmup=2, active=4)):
                steps += 1
                if steps < 8 and number == 4:
                    break
            if self.told.loop.done:
                break
        self.assertEqual(self.columns()["index"], [6, 7, 8, 9])

    def test_loop_after_the_schedule_ends_the_script(self):
        list(measure(Loader(9), wait=0, warmup=0, active=2))
        with self.assertRaises(SystemExit) as ended, mock.patch("sys.stderr"):
            measure(Loader(9))
        self.assertEqual(ended.exception.code, 0)

    def test_empty_loader_or_ended_iterator_is_named(self):
        with self.assertRaisesRegex(LoopError, "the loader is empty"):
            list(measure([]))
        session.use(Session())
        with self.assertRaisesRegex(LoopError, "ended after 3 batches and cannot begin anew"):
            list(measure(iter([1, 2, 3])))

    def test_nested_or_unknown_phases_are_refused(self):
        with self.assertRaisesRegex(RuntimeError, r'phase\("loss"\) begins inside phase\("forward"\)'):
            for _ in measure(Loader(5)):
                with phase("forward"), phase("loss"):
                    pass
        with self.assertRaisesRegex(ValueError, 'no phase "forwrd"; did you mean "forward"?'):
            phase("forwrd")
        with self.assertRaisesRegex(ValueError, "marked by measure"):
            phase("data_wait")
        with phase("forward"):  # outside of a loop
            pass

    def test_last_loss_is_kept_and_nan_is_reported(self):
        for number, _ in enumerate(measure(Loader(9), wait=0, warmup=0, active=2)):
            report(loss=number + 0.5, gradient_norm=float("inf"))
        said = launch_report(self.told.loop, {})
        self.assertEqual(said["fingerprint"], {"loss": 1.5, "gradient_norm": None})
        self.assertEqual(said["non_finite"], {"fingerprint.gradient_norm": "inf"})

    def test_garbage_collections_are_counted_and_timed(self):
        with mock.patch.object(garbage, "monotonic_ns", itertools.count(1, 1000).__next__):
            for number, _ in enumerate(measure(Loader(9), wait=0, warmup=2, active=4)):
                gc.collect() if number != 4 else (gc.collect(), gc.collect())
        metrics = launch_report(self.told.loop, {})["metrics"]
        self.assertGreaterEqual(metrics["gc_collections"], 5 / 4)  # and those that Python starts itself
        self.assertEqual(metrics["gc_ns"], 1000 * metrics["gc_collections"])
        self.assertFalse([each for each in gc.callbacks if "Collections" in repr(each)])

    def test_costly_garbage_collector_is_a_finding(self):
        self.assertEqual(garbage.findings(1.9e6, 3, 1e8, "default", 100), [])
        found, = garbage.findings(6e6, 3.2, 1e8, "default", 100)
        self.assertEqual((found["id"], found["severity"]), ("script.gc", "warning"))
        self.assertEqual(found["text"], "Python's garbage collector takes 6.0 % of the step: 3.2 collections, 6 ms")
        self.assertEqual(found["set"], [{"option": "script.gc", "value": "freeze"}])
        found, = garbage.findings(3e7, 3, 1e8, "freeze", 100)
        self.assertEqual((found["severity"], found["set"][0]["value"]), ("problem", "off"))
        # There is no remedy left.
        self.assertNotIn("set", garbage.findings(3e7, 3, 1e8, "off", 100)[0])

    def test_chance_collection_in_a_window_is_not_a_finding(self):
        for collections, share, told in ((1, 0.2, False), (2, 0.1, False), (2, 0.3, True), (8, 0.04, False), (8, 0.06, True)):
            found = garbage.findings(share * 1e8, collections / 3, 1e8, "default", steps=3)
            self.assertEqual(bool(found), told, (collections, share))

    def test_garbage_setting_applies_once_before_step_one(self):
        self.addCleanup(gc.unfreeze)
        self.addCleanup(gc.enable)
        for way, frozen, enabled in (("default", False, True), ("freeze", True, True), ("off", False, False)):
            gc.unfreeze()
            gc.enable()
            told = ControlledRun(mock.Mock(), {"options": {"script.gc": way}})
            for _ in range(2):
                told.open(Schedule(active=2), "", None)
            self.assertEqual((gc.get_freeze_count() > 0, gc.isenabled()), (frozen, enabled), way)

    def test_agreeing_parts_give_the_batch_size(self):
        Pair = collections.namedtuple("Pair", "images labels")
        Graphs = dataclasses.make_dataclass("Graphs", ["nodes", "labels"])
        images = tuple(Tensor(3, 16, 16) for _ in range(8))
        boxes = tuple({"boxes": Tensor(1 + number, 4)} for number in range(8))
        for batch, lengths in (
                (Tensor(8, 3), {8}), ([Tensor(8, 3), Tensor(8)], {8}), ({"a": [Tensor(4)]}, {4}), (Pair(Tensor(8, 3), Tensor(8)), {8}),
                (Graphs(Tensor(8, 3), Tensor(8)), {8}), (collections.UserDict(ids=Tensor(8, 5)), {8}),
                ([1.0, "text", Tensor(8, 3)], {8}), ([["a"] * 8, Tensor(8, 3)], {8}), (((Tensor(8, 2), Tensor(8, 2)), Tensor(8)), {8}),
                ({"input_ids": Tensor(8, 4), "labels": Tensor(8)}, {8}), ((images, boxes), {8}),  # tuple(zip(*batch))
                ([{"image": Tensor(3, 9, 9), **each} for each in boxes], {8}),  # the list of samples
                ((tuple(Tensor(3 + number) for number in range(8)), Tensor(8)), {8}),  # ragged
                (types.SimpleNamespace(data=Tensor(99, 2), batch_sizes=[8, 7], num_graphs=8), {8}),
                ({"image": Tensor(8, 3, 9, 9), "boxes": Tensor(12, 4)}, {8, 12}), (list(images), {3, 8}),
                (("text", Tensor()), {2}), ("text", set()), ([1, 2, 3], {3}), (None, set())):
            self.assertEqual(lengths_of(batch), lengths, batch)

    def test_disagreeing_parts_give_no_rate(self):
        counter = SampleCounter()
        self.assertEqual(counter((Tensor(8, 3), Tensor(8))), 8)
        counts = [counter((Tensor(8, 3), Tensor(12, 4))) for _ in range(17)]
        self.assertEqual(counts[-1], 0, "one in sixteen is looked at whole")
        self.assertEqual(counter((Tensor(8, 3), Tensor(8))), 0)
        self.assertIn("the parts of a batch have 8 and 12 entries; measure(..., samples=)", counter.why)

    def test_iterable_batches_agree_with_batch_size(self):
        counter = SampleCounter(8)
        self.assertEqual([counter(Tensor(count, 3)) for count in (8, 8, 3)], [8, 8, 3])
        self.assertEqual(counter.why, "")
        counter = SampleCounter(8)
        self.assertEqual(counter(Tensor(35, 8, 20)), 0)  # (time, batch, features)
        self.assertIn("batch_size is 8, and the parts of a batch have 35 entries", counter.why)

    def test_size_by_place_matches_torchs_sampler(self):
        loader = types.SimpleNamespace(batch_sampler=BatchSampler(8, range(27), False), dataset=range(27))
        self.assertEqual([size_of(loader, index) for index in range(5)], [8, 8, 8, 3, 0])
        self.assertEqual(size_of(types.SimpleNamespace(batch_sampler=[[1]], dataset=range(3)), 0), 0)

    def test_given_samples_are_used(self):
        list(measure(Loader(9), wait=0, warmup=0, active=2, samples=7, tokens=lambda batch: 10 * len(batch)))
        self.assertEqual(self.columns()["samples"], [7, 7])
        self.assertEqual(self.columns()["tokens"], [20, 20])


class Standalone(unittest.TestCase):
    """Without `stepbench run`, as in a notebook."""

    def setUp(self):
        session.use(None)
        self.addCleanup(session.use, None)
        self.out, self.err = io.StringIO(), io.StringIO()
        self.enterContext(contextlib.redirect_stdout(self.out))
        self.enterContext(contextlib.redirect_stderr(self.err))

    def measure(self, loader, **more):
        return measure(loader, **{"wait": 0, "warmup": 1, "active": 3, "results": None, **more})

    def test_each_ended_loop_prints_one_table(self):
        for name in ("train", "validate", "train"):
            result = self.measure(Loader(9), name=name)
            for number, _ in enumerate(result):
                self.assertEqual(self.out.getvalue(), "", number)
                with phase("forward"):
                    pass
            self.assertEqual(number, 8, "the loop goes on to the end of the epoch")
            self.assertIn(f"loop_test-{name}: 3 steps measured after 1 of warm-up", self.out.getvalue())
            self.assertEqual(self.out.getvalue().count("data_wait"), 1)
            self.assertEqual(result.steps["index"], [1, 2, 3])
            self.out.seek(0), self.out.truncate()
        self.assertEqual(self.err.getvalue(), "")

    def test_parts_of_the_result_sum_to_its_step(self):
        clock = itertools.count(0, 10)  # each reading takes 10 ns
        self.enterContext(mock.patch("stepbench_worker.loop.monotonic_ns", clock.__next__))
        self.enterContext(mock.patch("stepbench_worker.phases.monotonic_ns", clock.__next__))
        result = self.measure(Loader(9), repeat=2)
        for _ in result:
            with phase("forward"):
                pass
        self.assertEqual(result.steps["cycle"], [0, 0, 0, 1, 1, 1])
        self.assertEqual(result.phases, {"data_wait": 10, "forward": 10, "other": 20})
        self.assertEqual((result.step_ns, result.steps["step_ns"]), (40, [40] * 6))
        self.assertEqual(result.summary() + "\n", self.out.getvalue())
        self.assertRegex(result._repr_html_(), "<tr><td>forward</td><td>.* ms .*%</td></tr>")
        self.assertEqual(len(result), 9)

    def test_data_frame_has_a_row_per_step(self):
        made = []
        with mock.patch.dict(sys.modules, pandas=types.SimpleNamespace(DataFrame=made.append)):
            result = self.measure(Loader(9))
            list(result)
            result.to_pandas()
        self.assertEqual(made, [result.steps])
        self.assertEqual({len(column) for column in made[0].values()}, {3})
        with mock.patch.dict(sys.modules, pandas=None), self.assertRaisesRegex(ModuleNotFoundError, "needs pandas"):
            result.to_pandas()

    def test_columns_of_some_windows_are_filled(self):
        result = self.measure(Loader(9), warmup=0, active=2, repeat=2)
        for number, _ in enumerate(result):
            if number == 3:
                with phase("forward"):
                    pass
        steps = result.steps
        self.assertEqual({len(column) for column in steps.values()}, {4})
        self.assertEqual([value > 0 for value in steps["forward_ns"]], [False, False, False, True])

    def test_own_phases_are_parts_of_the_step(self):
        result = self.measure(Loader(9))
        for number, _ in enumerate(result):
            if number > 1:
                with phase("tokenize_2"):
                    pass
            with phase("clip_grad"):
                pass
        self.assertEqual([value > 0 for value in result.steps["tokenize_2_ns"]], [False, True, True])
        for i, step_ns in enumerate(result.steps["step_ns"]):
            parts = ("data_wait", "clip_grad", "tokenize_2", "other")
            self.assertEqual(sum(result.steps[part + "_ns"][i] for part in parts), step_ns)
        for wrong in ("Forward", "", "a-b", "my_ns", "step", 3):
            with self.assertRaisesRegex(ValueError, "phase"):
                phase(wrong)

    def test_own_phases_under_run_are_added_to_other(self):
        columns = {"step_ns": [10, 20], "data_wait_ns": [1, 1], "tokenize_2_ns": [4, 6], "other_ns": [5, 13],
                   "index": [0, 1], "samples": [1, 1]}
        phase("tokenize_2")
        self.assertEqual(in_others(columns)["other_ns"], [9, 19])
        self.assertNotIn("tokenize_2_ns", in_others(columns))
        self.assertEqual(own_phases_of([columns]), ["of `other`, per step: tokenize_2 5e-06 ms: the script's own phases"])

    def test_empty_result_states_its_cause(self):
        for loader, leave_at, why in (([], None, "the loader is empty"), (Loader(9), 2, "the script left the loop, after 2"),
                                      ((batch for batch in range(3)), None, "ended after 3 batches and cannot begin anew")):
            result = self.measure(loader)
            for number, _ in enumerate(result):
                if number == leave_at:
                    break
            self.assertIn(why, result.summary())
            self.assertIn(why, self.err.getvalue())
            self.assertEqual((result.steps, result.phases, self.out.getvalue()), ({}, {}, ""))
            self.assertNotEqual(result.step_ns, result.step_ns)
            self.assertEqual(result._repr_html_().count("<tr>"), 0)

    def test_error_of_loader_or_script_passes_through(self):
        def batches():
            yield from (1, 2)
            raise OSError("cannot read")

        result = self.measure(batches())
        with self.assertRaisesRegex(OSError, "cannot read"):
            list(result)
        self.assertIn("OSError ended the loop, after 2 steps", result.summary())
        for error in (KeyboardInterrupt, ZeroDivisionError):
            with self.assertRaises(error):
                for _ in self.measure(Loader(9)):
                    raise error
        list(self.measure(Loader(9)))
        self.assertEqual(self.out.getvalue().count("3 steps measured"), 1)

    def test_left_loop_keeps_finished_windows(self):
        result = self.measure(Loader(20), repeat=3)
        for number, _ in enumerate(result):
            if number == 6:
                break
        self.assertEqual(result.steps["index"], [1, 2, 3])
        self.assertIn("3 steps measured", self.out.getvalue())
        for number, _ in enumerate(self.measure(Loader(20))):
            if number == 6:
                break
        self.assertEqual(self.out.getvalue().count("3 steps measured"), 2)

    def test_invalid_loader_is_named(self):
        for wrong in (None, 3, print):
            with self.assertRaisesRegex(TypeError, "takes what a for loop goes over.*of type"):
                measure(wrong)
        with self.assertRaisesRegex(ValueError, "a name takes letters"):
            measure([1], name="a loop")

    def test_loader_without_length_is_measured(self):
        class Endless(Loader):
            def __len__(self):
                raise NotImplementedError

        result = self.measure(Endless(9))
        self.assertEqual(len(list(result)), 9)
        self.assertTrue(result)
        self.assertTrue(self.measure([]))
        with self.assertRaisesRegex(TypeError, "length is not known"):
            len(result)

    def test_nested_loops_are_refused(self):
        with self.assertRaisesRegex(LoopError, "loop_test.py, line [0-9]+ begins inside the loop over measure.. at loop_test"):
            for _ in self.measure(Loader(9)):
                list(self.measure(Loader(9)))

        def bar(batches):
            yield from batches

        with self.assertRaisesRegex(LoopError, "do not nest"):
            for _ in bar(self.measure(Loader(9))):
                list(self.measure(Loader(9)))
        list(self.measure(Loader(9)))

    def test_left_loop_with_live_iterator_yields(self):
        def cell():
            batches = iter(self.measure(Loader(9)))
            next(batches)
            return batches

        left = cell()
        self.assertEqual(len(list(self.measure(Loader(9)))), 9)
        with self.assertRaisesRegex(LoopError, "was left for another one"):
            next(left)
        self.assertIn("3 steps measured", self.out.getvalue())

    def test_second_thread_is_refused(self):
        errors = []

        def other(body):
            def run():
                try:
                    body()
                except LoopError as error:
                    errors.append(str(error))
            thread = threading.Thread(target=run, name="the other")
            thread.start()
            thread.join()

        batches = iter(self.measure(Loader(9)))
        next(batches)
        other(lambda: list(self.measure(Loader(9))))
        self.assertIn("begins in the thread the other while the loop", errors.pop())
        other(lambda: next(batches))
        self.assertIn("taken by two threads", errors.pop())
        result = self.measure(Loader(9))  # made on one thread, run on another

        def run():
            for _ in result:
                with phase("forward"):
                    pass
        other(run)
        self.assertEqual(errors, [])
        self.assertTrue(all(result.steps["forward_ns"]))

    def test_forked_child_gets_the_batches_and_prints_nothing(self):
        result = self.measure(Loader(9), warmup=0, active=5)
        batches = iter(result)
        next(batches), next(batches), next(batches)
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                rest = len(list(batches))
                own = self.measure(Loader(9))
                list(own)
                status = 0 if (rest, own.steps["index"], result.steps) == (6, [1, 2, 3], {}) else 2
            os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(list(batches)), 6)
        self.assertEqual(result.steps["index"], [0, 1, 2, 3, 4])

    def test_reloaded_modules_measure_as_before(self):
        import stepbench_worker
        for name in ("phases", "session", "api"):
            importlib.reload(getattr(stepbench_worker, name, None) or sys.modules["stepbench_worker." + name])
        again = importlib.reload(stepbench_worker)
        self.addCleanup(session.use, None)
        result = again.measure(Loader(9), warmup=1, active=3, wait=0, results=None)
        for _ in result:
            with again.phase("forward"):
                pass
        self.assertTrue(all(result.steps["forward_ns"]))


class NamedLoops(unittest.TestCase):
    """Under `stepbench run`, where one loop is measured."""

    def session(self, wanted):
        told = Session()
        told.wanted_loop, told.schedule = wanted, Schedule(0, 1, 3)
        session.use(told)
        return told

    def test_chosen_loop_is_measured_and_others_are_short(self):
        told = self.session("validate")
        self.assertEqual(len(list(measure(Loader(100), name="train"))), 4)
        self.assertIsNone(told.loop)
        self.assertEqual(len(list(measure(Loader(100), name="validate"))), 4)
        self.assertEqual((told.loop.name, told.loop.cycles[0]["index"], told.others), ("validate", [1, 2, 3], ["train"]))
        with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
            list(measure(Loader(100), name="train"))

    def test_left_named_loop_resumes_and_others_do_not_count(self):
        told = self.session("")
        for name in ("train", "validate", "train"):
            for number, _ in enumerate(measure(Loader(100), name=name)):
                if told.loop.steps == 1 and number == 1:
                    break
        self.assertEqual((told.loop.name, told.loop.done, told.others), ("train", True, ["validate"]))


class OwnRanks(unittest.TestCase):
    """A script that starts its own ranks, with a stand-in for torch.distributed."""

    def of_group(self, rank, world):
        group = types.SimpleNamespace(is_available=lambda: True, is_initialized=lambda: world > 0, get_rank=lambda: rank,
                                      get_world_size=lambda: world)
        threads = {"get_num_threads": lambda: 1, "get_num_interop_threads": lambda: 1}
        return mock.patch.dict(sys.modules, torch=types.SimpleNamespace(distributed=group, **threads))

    def test_ranks_together_see_the_machines_devices(self):
        for seen, expected in (([("a", ["x"]), ("a", ["y"])], (2, True)),  # srun --gpus-per-task=1
                               ([("a", ["x", "y"]), ("a", ["x", "y"])], (2, True)),
                               ([("a", ["x"]), ("a", ["x"])], (1, False)),
                               ([("a", ["x"]), ("b", [])], (1, False)),
                               ([("a", []), ("a", [])], (0, False))):
            self.assertEqual(devices_of("a", seen), expected)

    def test_rank_is_read_from_its_group_then_variables(self):
        with mock.patch.dict(os.environ, RANK="1", WORLD_SIZE="4"):
            self.assertEqual(ranks.place(), (1, 4))
            with self.of_group(0, 0):
                self.assertEqual(ranks.place(), (1, 4))
            with self.of_group(2, 3):
                self.assertEqual(ranks.place(), (2, 3))

    def test_loop_in_a_started_process_is_refused(self):
        with mock.patch.dict(os.environ):
            spawned_ranks.refuse()  # no listener: it is measured
            ear = spawned_ranks.Ear()
            self.assertIsNone(ear.heard())
            for world in (0, 2):
                with self.of_group(0, world), self.assertRaisesRegex(LoopError, "starts its own ranks"):
                    spawned_ranks.refuse()
            self.assertIn("--ranks 2 --launcher torchrun", str(ear.heard()))

    def test_first_rank_reports_before_the_script_ends(self):
        said = []
        control = types.SimpleNamespace(send=lambda kind, **words: said.append((kind, words)))
        options = {"schedule.wait": 0, "schedule.warmup": 1, "schedule.active": 2, "schedule.repeat": 1}
        told = ControlledRun(control, {"options": options})
        session.use(told)
        with self.of_group(0, 2), self.assertRaisesRegex(LoopError, "stepbench run --ranks 2"):
            list(measure(Loader(9)))
        self.assertEqual([kind for kind, _ in said], ["failed"])

    def test_group_of_all_ranks_counts_as_joined(self):
        for world, rank_count, met in ((0, 2, False), (1, 2, False), (2, 2, True), (2, 4, False)):
            said = []
            control = types.SimpleNamespace(send=lambda kind, **words: said.append((kind, words)), wait_for_end=lambda: None,
                                            send_samples=lambda *_: None)
            options = {"schedule.wait": 0, "schedule.warmup": 1, "schedule.active": 2, "schedule.repeat": 1}
            session.use(ControlledRun(control, {"options": options, "world": rank_count}))
            with self.of_group(0, world):
                list(measure(Loader(9)))
            self.assertEqual(said[-1][0], "launch")
            self.assertEqual(said[-1][1]["schedule"]["met_ranks"], met, (world, rank_count))

    def test_started_process_is_refused_only_in_its_loop(self):
        self.addCleanup(session.use, None)
        with mock.patch.dict(os.environ):
            ear = spawned_ranks.Ear()
            session.use(None)
            loop = measure(Loader(9))  # its ranks have not met yet
            self.assertIsNone(ear.heard())
            with self.assertRaisesRegex(LoopError, "starts its own ranks"):
                list(loop)
            self.assertIsNotNone(ear.heard())

    def test_error_of_a_started_process_is_the_reason(self):
        said = []
        control = types.SimpleNamespace(send=lambda kind, **words: said.append(words["message"]))
        with mock.patch.dict(os.environ):
            told = Launch(control, {"options": {}}, pathlib.Path("train.py"))
            with self.assertRaises(LoopError):
                spawned_ranks.refuse()
            told.fail("train.py ended itself by sys.exit(1)")
        self.assertRegex("".join(said), "^the script starts its own ranks")


class Tiny:
    """A batch of eight, or a loss."""

    shape = (8,)

    def __len__(self):
        return 8


class Callbacks(unittest.TestCase):
    """Stand-ins for the frameworks that call their hooks in the frameworks' order."""

    def setUp(self):
        self.told = Session()
        session.use(self.told)
        lightning = types.SimpleNamespace(Callback=object)
        self.enterContext(mock.patch.dict(sys.modules, {
            "lightning": types.SimpleNamespace(pytorch=lightning), "lightning.pytorch": lightning,
            "transformers": types.SimpleNamespace(TrainerCallback=object)}))

    def columns_with(self, *phases):
        columns = self.told.loop.cycles[0]
        self.assertEqual(columns["index"], [2, 3, 4])
        for i, step_ns in enumerate(columns["step_ns"]):
            parts = [columns[name + "_ns"][i] for name in ("data_wait", *phases, "other")]
            self.assertEqual(sum(parts), step_ns)
        return columns

    def test_package_exports_and_lists_the_callbacks(self):
        from stepbench import callbacks
        from stepbench_worker.callbacks import LightningCallback
        self.assertIs(callbacks.LightningCallback, LightningCallback)
        with self.assertRaisesRegex(AttributeError, "it has HuggingFaceCallback, LightningCallback"):
            callbacks.KerasCallback

    def test_lightning_module_is_measured_and_stopped(self):
        from stepbench_worker.callbacks import LightningCallback
        trainer = types.SimpleNamespace(num_training_batches=9, should_stop=False)
        hooks = LightningCallback(wait=0, warmup=2, active=3)
        batches = 0
        hooks.on_train_epoch_start(trainer, None)
        while not trainer.should_stop:
            hooks.on_train_batch_start(trainer, None, [Tiny()], batches)
            hooks.on_before_zero_grad(trainer, None, None)
            hooks.on_before_backward(trainer, None, None)
            hooks.on_after_backward(trainer, None)
            hooks.on_before_optimizer_step(trainer, None, None)
            hooks.on_train_batch_end(trainer, None, {"loss": 0.5}, [Tiny()], batches)
            batches += 1
        self.assertEqual(batches, 5)
        columns = self.columns_with("forward", "zero_grad", "backward", "optimizer")
        self.assertEqual(columns["samples"], [8, 8, 8])
        self.assertEqual(self.told.loop.loss, 0.5)

    def test_validation_and_checkpoints_are_outside_steps(self):
        from stepbench_worker.callbacks import LightningCallback
        self.clock = clock = types.SimpleNamespace(now=1, used=0)
        self.enterContext(mock.patch("stepbench_worker.loop.monotonic_ns", lambda: clock.now))
        trainer = types.SimpleNamespace(num_training_batches=99, should_stop=False)
        hooks = LightningCallback(wait=0, warmup=2, active=6)
        hooks.on_train_epoch_start(trainer, None)
        for batch in itertools.count():
            self.spend(10, 1)
            hooks.on_train_batch_start(trainer, None, [Tiny()], batch)
            if batch == 3:
                hooks.on_save_checkpoint(trainer, None, {})  # the step's own work
            self.spend(100, 7)
            hooks.on_train_batch_end(trainer, None, {"loss": 0.5}, [Tiny()], batch)
            if trainer.should_stop:
                break
            if batch == 4:
                hooks.on_validation_start(trainer, None)
                self.spend(1_000_000, 1)
                hooks.on_validation_end(trainer, None)
            if batch in (4, 5):
                hooks.on_save_checkpoint(trainer, None, {})
                self.spend(1_000_000, 1)
        self.assertEqual(batch, 7)
        columns = self.told.loop.cycles[0]
        self.assertEqual(columns["step_ns"], [110, 110, 110, 100, 100, 110], "no wait is known behind a checkpoint")
        self.assertEqual(self.told.loop.drained_ns, sum(columns["step_ns"]))

    def test_hugging_face_trainer_is_measured_and_stopped(self):
        from stepbench_worker.callbacks import HuggingFaceCallback
        arguments = types.SimpleNamespace(per_device_train_batch_size=4, gradient_accumulation_steps=2)
        control = types.SimpleNamespace(should_training_stop=False, should_evaluate=False, should_save=False)
        hooks = HuggingFaceCallback(wait=0, warmup=2, active=3)
        hooks.on_epoch_begin(arguments, None, control)
        while not control.should_training_stop:
            hooks.on_step_begin(arguments, None, control)
            hooks.on_pre_optimizer_step(arguments, None, control)
            hooks.on_optimizer_step(arguments, None, control)
            hooks.on_step_end(arguments, None, control)
        self.assertEqual(self.columns_with("optimizer")["samples"], [8, 8, 8])

    def test_last_step_of_an_epoch_has_the_remaining_samples(self):
        from stepbench_worker.callbacks import HuggingFaceCallback
        arguments = types.SimpleNamespace(per_device_train_batch_size=4, gradient_accumulation_steps=2)
        control = types.SimpleNamespace(should_training_stop=False, should_evaluate=False, should_save=False)
        loader = types.SimpleNamespace(dataset=range(11), batch_sampler=BatchSampler(4, range(11), False))
        hooks = HuggingFaceCallback(wait=0, warmup=2, active=4)
        while not control.should_training_stop:
            hooks.on_epoch_begin(arguments, None, control)
            for _ in range(2):
                hooks.on_step_begin(arguments, None, control)
                hooks.on_step_end(arguments, None, control, train_dataloader=loader)
        self.assertEqual(self.told.loop.cycles[0]["samples"], [8, 3] * 2)

    def evaluated(self, announced):
        """The loop of a Trainer that evaluates after each second step and then saves, on a scripted clock."""
        from stepbench_worker.callbacks import HuggingFaceCallback
        self.clock = clock = types.SimpleNamespace(now=1, used=0)
        self.enterContext(mock.patch("stepbench_worker.loop.monotonic_ns", lambda: clock.now))
        self.enterContext(mock.patch("stepbench_worker.loop._process_usage", lambda: dict.fromkeys(USAGE, clock.used)))
        self.enterContext(mock.patch("stepbench_worker.held_memory.held_bytes", lambda: clock.used))
        stage = self.enterContext(mock.patch.object(self.told, "stage"))
        self.stages = lambda: [call.args[0] for call in stage.mock_calls]
        arguments = types.SimpleNamespace(per_device_train_batch_size=4, gradient_accumulation_steps=1)
        control = types.SimpleNamespace(should_training_stop=False, should_evaluate=False, should_save=False)
        hooks = HuggingFaceCallback(wait=0, warmup=2, active=6)
        hooks.on_epoch_begin(arguments, None, control)
        steps = 0
        while not control.should_training_stop:
            self.spend(10, 1)
            hooks.on_step_begin(arguments, None, control)
            self.spend(100, 7)
            steps += 1
            control.should_evaluate = control.should_save = announced and steps % 2 == 0
            hooks.on_step_end(arguments, None, control)
            if steps % 2 == 0:
                for hook, flag in ((hooks.on_evaluate, "should_evaluate"), (hooks.on_save, "should_save")):
                    self.spend(1_000_000, 1_000_000)
                    setattr(control, flag, False)
                    hook(arguments, None, control)
        return steps

    def spend(self, ns, used):
        self.clock.now += ns
        self.clock.used += used

    def test_trainers_evaluation_is_outside_steps(self):
        for announced in (True, False):
            with self.subTest(announced):
                self.setUp()
                self.assertEqual(self.evaluated(announced), 8)
                loop = self.told.loop
                self.assertEqual(loop.cycles[0]["step_ns"], [110] * 6)
                self.assertEqual(loop.cycles[0]["data_wait_ns"], [10] * 6)
                self.assertEqual(loop.drained_ns, 660)
                self.assertEqual({name: loop.usage[name] for name in USAGE}, dict.fromkeys(USAGE, 6 * 8))
                self.assertEqual(loop.peaks, {} if announced else None)
                self.assertEqual(loop.memory.growth, 6 * 8 if announced else None)
                self.assertEqual(self.stages(), ["warmup", "active"] * 4 if announced else ["warmup", *["active"] * 7],
                                 "watched anew after each, and no step is expected meanwhile")

    def test_validation_in_a_window_is_outside_steps(self):
        from stepbench_worker.callbacks import LightningCallback
        trainer = types.SimpleNamespace(num_training_batches=9, should_stop=False)
        with mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=ScriptedCuda())):
            hooks = LightningCallback(wait=0, warmup=1, active=4)
            hooks.on_train_epoch_start(trainer, None)
            for number in range(5):
                hooks.on_train_batch_start(trainer, None, [Tiny()], number)
                hooks.on_train_batch_end(trainer, None, {"loss": 0.5}, [Tiny()], number)
                if number == 2:
                    hooks.on_validation_start(trainer, None)
                    with phase("forward"):
                        pass
                    hooks.on_validation_end(trainer, None)
        columns = self.told.loop.cycles[0]
        self.assertEqual(columns["forward_device_ns"], [1_000_000] * 4, "not that of the validation")
        self.assertEqual(columns["period_device_ns"], [3_000_000] * 4)


BatchSampler = dataclasses.make_dataclass("BatchSampler", ["batch_size", "sampler", "drop_last"])


class ScriptedCuda(types.SimpleNamespace):
    """A device on which each mark comes 1 ms after the previous one."""

    def __init__(self):
        self.marks = self.synchronised = 0
        super().__init__(is_initialized=lambda: True, current_device=lambda: 1, current_stream=lambda: "stream",
                         reset_peak_memory_stats=lambda: None, max_memory_allocated=lambda: 7,
                         max_memory_reserved=lambda: 8, memory_reserved=lambda: 9)

    def synchronize(self):
        self.synchronised += 1

    def Event(self, enable_timing):  # noqa: N802, torch's name
        assert enable_timing
        return ScriptedEvent(self)


class ScriptedEvent:
    def __init__(self, cuda):
        self.cuda = cuda

    def record(self, stream):
        assert stream == "stream"
        self.cuda.marks += 1
        self.at_ms = self.cuda.marks

    def elapsed_time(self, end):
        return float(end.at_ms - self.at_ms)


class OnDevice(unittest.TestCase):
    def test_events_give_periods_without_waits_in_windows(self):
        cuda = ScriptedCuda()
        torch = types.SimpleNamespace(cuda=cuda, get_num_threads=lambda: 1, get_num_interop_threads=lambda: 1)
        told = Session()
        session.use(told)
        with mock.patch.dict(sys.modules, torch=torch):
            waits = []
            for _ in measure(Loader(100), wait=0, warmup=1, active=3):
                waits.append(cuda.synchronised)
                with phase("forward"):
                    pass
                with phase("optimizer"):
                    pass
            said = launch_report(told.loop, {})
        self.assertEqual(waits, [1, 1, 1, 1], "once before the cycle, and no more until the window's end")
        self.assertEqual(cuda.synchronised, 2)
        columns = told.loop.cycles[0]
        self.assertEqual(columns["period_device_ns"], [5_000_000] * 3)
        self.assertEqual(columns["forward_device_ns"], [1_000_000] * 3)
        self.assertEqual(columns["optimizer_device_ns"], [1_000_000] * 3)
        self.assertEqual(columns["other_device_ns"], [3_000_000] * 3)
        self.assertEqual(said["effective"]["device"], "cuda:1")
        self.assertEqual(said["metrics"]["peak_allocated_bytes"], 7)
        self.assertEqual(said["schedule"]["window_drained_ns"], 15_000_000)

    def test_reading_proc_of_64_workers_is_outside_steps(self):
        clock = types.SimpleNamespace(now=1)

        class Marks(ScriptedEvent):
            def record(self, stream):
                self.at_ms = clock.now * 1e-6

        class Slow(LoaderWatch):
            def begin(self, iterator):
                clock.now += 7_000_000  # the host's work, as 64 workers take it

            def end(self, iterator, elapsed_ns, waits_ns, borders_ns):
                clock.now += 7_000_000

        def slow_step(*fields):
            clock.now += 1_000_000
            return Step(*fields)

        cuda = ScriptedCuda()
        cuda.Event = lambda enable_timing: Marks(cuda)
        used = lambda: dict.fromkeys(USAGE, clock.now)  # noqa: E731
        with (mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=cuda)),
              mock.patch("stepbench_worker.loop.monotonic_ns", lambda: clock.now),
              mock.patch("stepbench_worker.loop._process_usage", used), mock.patch("stepbench_worker.loop.LoaderWatch", Slow),
              mock.patch("stepbench_worker.loop.Step", slow_step)):
            for on_device in (True, False):
                cuda.is_initialized = lambda on_device=on_device: on_device
                told = Session()
                session.use(told)
                for _ in measure(Loader(1000), wait=0, warmup=2, active=50, repeat=2):
                    clock.now += 5_000_000
                for columns in told.loop.cycles:
                    self.assertEqual(columns["step_ns"], [5_000_000] * 50)
                    self.assertEqual(columns.get("period_device_ns", columns["step_ns"]), [5_000_000] * 50)
                self.assertEqual(told.loop.usage["cpu_user_ns"], 2 * 50 * 5_000_000)
                self.assertEqual(told.loop.drained_ns, 2 * 50 * 5_000_000)

    def test_batches_made_during_proc_reads_keep_windows(self):
        clock = types.SimpleNamespace(now=1)

        class Bound(DataLoader):
            """64 workers make a batch every 5 ms, up to 128 batches ahead of the step."""

            def __init__(self):
                super().__init__(64)
                self.workers = Iterator(*range(1001, 1065))

            def __iter__(self):
                self.ready = clock.now
                while True:
                    self.ready = max(self.ready + 5_000_000, clock.now - 128 * 5_000_000)
                    clock.now = max(clock.now, self.ready)
                    yield [1, 2]

        def read(workers, proc):
            clock.now += 7_000_000
            return types.SimpleNamespace(training=None, workers={}, faults={}, bytes_read=None, busy_ns=None, own_ns=0)

        told = Session()
        session.use(told)
        with (mock.patch("stepbench_worker.loop.monotonic_ns", lambda: clock.now),
              mock.patch("stepbench_worker.dataloader.monotonic_ns", lambda: clock.now),
              mock.patch("stepbench_worker.dataloader.Counters", read)):
            for _ in measure(Bound(), warmup=10, active=50, repeat=3, samples=2):
                clock.now += 100_000
        self.assertEqual([round(mean / 5e6, 3) for mean in told.loop.window_means], [1, 1, 1])

    def test_known_card_of_the_steps_is_reported(self):
        driver = types.SimpleNamespace()
        driver.cuDeviceGet = lambda device, ordinal: setattr(device._obj, "value", 7 + ordinal) or 0
        driver.cuDeviceGetPCIBusId = lambda text, _, device: setattr(text, "value", b"0000:%02x:00.0" % device.value) or 0
        said = []
        control = types.SimpleNamespace(send=lambda _, **words: said.append(words.get("device_pci")))
        told = ControlledRun(control, {"options": {}})
        with mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=ScriptedCuda())):
            for library in ([driver], OSError("no such library")):
                with mock.patch.object(ctypes, "CDLL", side_effect=library):
                    told.stage("active")
        told.stage("active")
        self.assertEqual(said, ["0000:08:00.0", None, None])

    def test_ranks_with_own_cards_are_checked_on_them(self):
        for cards, backend in ((["a", "b"], "nccl"), (["a", "a"], "gloo"), ([None, None], "gloo")):
            seen = [("n", [card] if card else []) for card in cards]
            torch = mock.MagicMock()
            torch.cuda.device_count.return_value = len(seen[0][1])
            torch.distributed.get_world_size.return_value = 2
            torch.distributed.all_gather_object = lambda heard, _, seen=seen: heard.__setitem__(slice(None), seen)
            torch.full.return_value.__eq__.return_value.all.return_value = True
            told = {"host": "n"}
            with (mock.patch.dict(sys.modules, {"torch": torch, "torch.distributed": torch.distributed}),
                  mock.patch.dict(os.environ, LOCAL_WORLD_SIZE="2", LOCAL_RANK="1")):
                self.assertEqual(ranks_check.communicate(told, {}), "")
            self.assertEqual((told["backend"], told["devices"]), (backend, len(set(cards) - {None})))
            torch.device.assert_called_with(*(("cuda", 0) if backend == "nccl" else ("cpu",)))

    def test_memory_share_is_set_on_an_older_torch(self):
        share = "per_process_memory_fraction:0.25"
        for version, others, calls in (("2.11.0+cu130", f"expandable_segments:True,{share}", []),
                                       ("2.8.0", "expandable_segments:True", [(0.25, 0), (0.25, 1)])):
            with self.subTest(version):
                told = []
                cuda = types.SimpleNamespace(device_count=lambda: 2,
                                             set_per_process_memory_fraction=lambda *words: told.append(words))
                environment = {"PYTORCH_CUDA_ALLOC_CONF": f"expandable_segments:True,{share}"}
                with (mock.patch.dict(sys.modules, torch=types.SimpleNamespace(cuda=cuda)),
                      mock.patch.object(memory.metadata, "version", lambda _: version)):
                    memory.keep_to_share(environment)
                self.assertEqual(environment, {"PYTORCH_CUDA_ALLOC_CONF": others})
                self.assertEqual(told, calls)
        with mock.patch.object(memory.metadata, "version", lambda _: "2.8.0"):
            untouched = {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64"}
            memory.keep_to_share(untouched)
        self.assertEqual(untouched, {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
