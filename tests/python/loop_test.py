# SPDX-License-Identifier: Apache-2.0
"""measure() by itself, on loaders without torch and on a scripted CUDA: loop_test.py SOURCE_DIR [TEST]..."""
import os
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tools/python"))
from stepbench_worker import measure, phase, report, session  # noqa: E402
from stepbench_worker.batch import samples_of  # noqa: E402
from stepbench_worker.dataloader import LESS_WORK, LoaderWatch  # noqa: E402
from stepbench_worker.facts import launch_report  # noqa: E402
from stepbench_worker.loop import Session  # noqa: E402
from stepbench_worker.schedule import Action, Plan, Schedule  # noqa: E402
from stepbench_worker.driven import last_steps, schedule_of  # noqa: E402
from stepbench_worker.source import LoopError  # noqa: E402
from stepbench_worker.stopping import Stopping, interval_of_windows  # noqa: E402
from stepbench_worker.window import EPOCH, PARTIAL  # noqa: E402


class Loader:
    """Batches of two samples, the last of an epoch of one."""

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
    """As torch's, as far as it is looked at."""

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
        rows = [f"cpu{cpu} {busy_ticks} 0 0 5 5 0 0 0 0 0" for cpu in os.sched_getaffinity(0)]
        (self.proc / "stat").write_text("cpu 0 0 0 0\n" + "\n".join(rows) + "\n")

    def finding(self, workers, training, of_worker=(0, 0), others=False, read_bytes=0):
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
        watch.end(Iterator(*pids), 1000 * self.MS, 600 * self.MS)
        found = watch.findings()
        self.assertEqual(len(found), 1)
        return found[0]

    def test_workers_that_compute_are_asked_to_become_more_where_cores_are_free(self):
        found = self.finding(1, (10, 0), (980, 10))
        self.assertEqual(found["id"], "loader.worker_bound")
        self.assertIn("computing 98.0 %", found["text"])
        self.assertIn("num_workers=2", found["remedy"])

    def test_workers_that_compute_on_all_cores_are_not(self):
        found = self.finding(2, (10, 0), (980, 10))
        self.assertEqual((found["id"], found["remedy"]), ("loader.core_bound", LESS_WORK))

    def test_workers_that_wait_for_storage_are_told_from_workers_that_sleep(self):
        self.assertIn("wait for storage", self.finding(2, (10, 0), (50, 10), read_bytes=1 << 20)["remedy"])
        self.assertIn("not for storage", self.finding(2, (10, 0), (50, 10))["remedy"])

    def test_other_programs_are_named_where_workers_wait_for_a_cpu(self):
        found = self.finding(2, (10, 0), (500, 450), others=True)
        self.assertEqual(found["id"], "loader.other_programs")
        self.assertIn("waiting for a CPU 45.0 %, sleeping 5.0 %; other programs use", found["text"])

    def test_without_workers_reading_that_computes_is_told(self):
        found = self.finding(0, (1000, 0))
        self.assertIn("no workers: the step waits 60.0 % of its time for data: computing 100 %", found["text"])
        self.assertIn("num_workers=1", found["remedy"])

    def test_without_workers_reading_that_sleeps_is_told(self):
        self.assertIn("computing 4.2 %", self.finding(0, (50, 0))["text"])

    def test_sleep_that_may_be_the_steps_own_is_not_called_the_readings(self):
        self.assertNotIn("computing", self.finding(0, (500, 0))["text"])

    def test_what_the_kernel_does_not_count_is_not_guessed(self):
        for file in self.proc.rglob("schedstat"):
            file.unlink()
        watch = LoaderWatch(DataLoader(2), self.proc, cores=2)
        watch.begin(Iterator(1001, 1002))
        watch.end(Iterator(1001, 1002), 1000 * self.MS, 600 * self.MS)
        self.assertIn("is not known", watch.findings()[0]["remedy"])

    def test_steps_that_do_not_wait_and_other_loaders_have_none(self):
        watch = LoaderWatch(DataLoader(2), self.proc, cores=2)
        watch.begin(Iterator())
        watch.end(Iterator(), 1000 * self.MS, 50 * self.MS)
        self.assertEqual(watch.findings(), [])
        self.assertEqual(watch.settings["loader.num_workers"], 2)
        other = LoaderWatch(Loader(3), self.proc, cores=2)
        other.begin(None)
        other.end(None, 1000 * self.MS, 600 * self.MS)
        self.assertEqual((other.settings, other.findings()), ({}, []))


class Schedules(unittest.TestCase):
    def test_a_cycle_waits_warms_up_and_records(self):
        self.assertEqual(action_names(Schedule(1, 2, 3, 2), 14), "-wwAA!-wwAA!--")
        self.assertEqual(action_names(Schedule(2, 1, 2, 1, skip_first=3), 9), "-----wA!-")
        self.assertEqual(action_names(Schedule(2, 1, 2, 2, skip_first_wait=1), 9), "wA!--wA!-")

    def test_the_number_of_steps_is_that_of_the_actions(self):
        for schedule in (Schedule(1, 2, 3, 2), Schedule(2, 1, 2, 1, 3), Schedule(2, 1, 2, 2, 0, 1)):
            last = max(step for step in range(50) if schedule.action(step) is Action.LAST_ACTIVE)
            self.assertEqual(schedule.steps, last + 1)

    def test_numbers_that_are_no_counts_are_refused(self):
        for wrong in ({"active": 0}, {"warmup": -1}, {"repeat": 1.5}, {"wait": True}):
            with self.assertRaisesRegex(ValueError, f"{next(iter(wrong))} must be a whole number"):
                Schedule(**wrong)

    def test_a_window_holds_whole_epochs_or_no_border(self):
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


    def test_operations_are_recorded_in_the_last_steps_of_the_timed_schedule(self):
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

    def test_windows_go_on_until_their_mean_is_known_or_the_limit_is_reached(self):
        schedule, stopping = schedule_of(self.AUTO)
        self.assertEqual((schedule.active, schedule.repeat, schedule.warmup), (4, 0, 3))
        self.assertIs(schedule.action(10 * schedule.steps - 1), Action.LAST_ACTIVE)
        steady = [100.0, 101.0] * 20
        self.assertEqual([stopping.reason(steady[:n], 4 * n) for n in (2, 10, 11)], [None, None, "precision"])
        wild = [100.0 + n for n in range(120)]
        self.assertEqual([stopping.reason(wild[:n], 4 * n) for n in (11, 40, 99, 100)], [None, None, None, "count"])
        self.assertEqual(Stopping(3).reason([1.0, 1.0, 1.0], 12), "count")

    def test_the_interval_is_students_on_windows_joined_to_ten_at_least(self):
        self.assertIsNone(interval_of_windows([100.0] * 9))
        low, high = interval_of_windows([100.0 + n % 2 for n in range(19)])
        half = 2.1009 * (90 / 19 / 18 / 19) ** 0.5  # of 18 degrees of freedom; nine of 19 are one above the others
        self.assertAlmostEqual(low, 100 + 9 / 19 - half, places=4)
        self.assertAlmostEqual(high, 100 + 9 / 19 + half, places=4)
        self.assertEqual(interval_of_windows([100.0 + n % 2 for n in range(20)]), (100.5, 100.5))

    def test_a_loop_without_a_fixed_end_says_what_it_reached(self):
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

    def test_each_batch_is_a_step_and_its_parts_sum_to_it(self):
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

    def test_epochs_are_repeated_and_their_borders_and_partial_batches_flagged(self):
        loader = Loader(4)
        list(measure(loader, wait=0, warmup=2, active=8))
        self.assertEqual(loader.epochs, 3)
        self.assertEqual(self.columns()["flags"], [0, PARTIAL, EPOCH, 0, 0, PARTIAL, EPOCH, 0])
        waits = [wait > 0 for wait in self.columns()["epoch_wait_ns"]]
        self.assertEqual(waits, [flag == EPOCH for flag in self.columns()["flags"]])
        self.assertEqual(launch_report(self.told.loop, {})["schedule"]["epochs"], 2)

    def test_a_loop_that_is_left_begins_its_cycle_anew(self):
        steps = 0
        for _ in range(3):
            for number, _ in enumerate(measure(Loader(100), wait=0, warmup=2, active=4)):
                steps += 1
                if steps < 8 and number == 4:
                    break
            if self.told.loop.done:
                break
        self.assertEqual(self.columns()["index"], [6, 7, 8, 9])

    def test_a_loop_after_the_schedule_ends_the_script(self):
        list(measure(Loader(9), wait=0, warmup=0, active=2))
        with self.assertRaises(SystemExit) as ended, mock.patch("sys.stderr"):
            measure(Loader(9))
        self.assertEqual(ended.exception.code, 0)

    def test_a_loader_without_batches_and_an_iterator_that_ends_are_named(self):
        with self.assertRaisesRegex(LoopError, "the loader is empty"):
            list(measure([]))
        session.use(Session())
        with self.assertRaisesRegex(LoopError, "ended after 3 batches and cannot begin anew"):
            list(measure(iter([1, 2, 3])))

    def test_phases_do_not_nest_and_unknown_ones_are_named(self):
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

    def test_the_loss_of_the_last_step_is_kept_and_says_when_it_is_no_number(self):
        for number, _ in enumerate(measure(Loader(9), wait=0, warmup=0, active=2)):
            report(loss=number + 0.5, gradient_norm=float("inf"))
        said = launch_report(self.told.loop, {})
        self.assertEqual(said["fingerprint"], {"loss": 1.5, "gradient_norm": None})
        self.assertEqual(said["non_finite"], {"fingerprint.gradient_norm": "inf"})

    def test_samples_are_the_first_dimension_of_the_first_tensor(self):
        for batch, samples in ((Tensor(8, 3), 8), ([Tensor(8, 3), Tensor(9)], 8), ({"a": [Tensor(4)]}, 4),
                               (("text", Tensor()), 2), ("text", 0), ([1, 2, 3], 3), (None, 0)):
            self.assertEqual(samples_of(batch), samples)
        list(measure(Loader(9), wait=0, warmup=0, active=2, samples=7, tokens=lambda batch: 10 * len(batch)))
        self.assertEqual(self.columns()["samples"], [7, 7])
        self.assertEqual(self.columns()["tokens"], [20, 20])


class Tiny:
    """A batch of eight, or a loss."""

    def __len__(self):
        return 8


class Callbacks(unittest.TestCase):
    """The examples, on stand-ins of the frameworks that call their hooks in the frameworks' order."""

    def setUp(self):
        self.told = Session()
        session.use(self.told)
        lightning = types.SimpleNamespace(Callback=object)
        self.enterContext(mock.patch.dict(sys.modules, {
            "lightning": types.SimpleNamespace(pytorch=lightning), "lightning.pytorch": lightning,
            "transformers": types.SimpleNamespace(TrainerCallback=object)}))
        self.enterContext(mock.patch.object(sys, "path", [str(SOURCE / "tools/examples/python"), *sys.path]))

    def columns_with(self, *phases):
        columns = self.told.loop.cycles[0]
        self.assertEqual(columns["index"], [2, 3, 4])
        for i, step_ns in enumerate(columns["step_ns"]):
            parts = [columns[name + "_ns"][i] for name in ("data_wait", *phases, "other")]
            self.assertEqual(sum(parts), step_ns)
        return columns

    def test_a_module_of_lightning_is_measured_and_stopped(self):
        from lightning_callback import StepBench
        trainer = types.SimpleNamespace(num_training_batches=9, should_stop=False)
        hooks = StepBench(wait=0, warmup=2, active=3)
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

    def test_a_trainer_of_hugging_face_is_measured_and_stopped(self):
        from trainer_callback import StepBench
        arguments = types.SimpleNamespace(per_device_train_batch_size=4, gradient_accumulation_steps=2)
        control = types.SimpleNamespace(should_training_stop=False)
        hooks = StepBench(wait=0, warmup=2, active=3)
        hooks.on_epoch_begin(arguments, None, control)
        while not control.should_training_stop:
            hooks.on_step_begin(arguments, None, control)
            hooks.on_pre_optimizer_step(arguments, None, control)
            hooks.on_optimizer_step(arguments, None, control)
            hooks.on_step_end(arguments, None, control)
        self.assertEqual(self.columns_with("optimizer")["samples"], [8, 8, 8])


class ScriptedCuda(types.SimpleNamespace):
    """A device on which each mark comes 1 ms after the one before."""

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


class OnADevice(unittest.TestCase):
    def test_periods_come_from_events_and_nothing_waits_inside_a_window(self):
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
