# SPDX-License-Identifier: Apache-2.0
"""No test of the default run may depend on the speed or the load of the machine: a file that sleeps, reads a clock or
sets a limit below ten seconds is listed here, with the reason why its result does not depend on the machine. Tests that
measure this machine belong to tests/benchmarks or tests/gpu."""
import re
import unittest

from source_tree import text_of, tracked_files

# Files or folders below tests/.
ALLOWED = {
    "measures this machine, only plans, or is this test": ("benchmarks/", "gpu/", "unit/plan/", "structure/"),
    "runs by night": ("fleet/", "mutants/", "nights/interpreter_test.py", "storm/", "install/installed_wheel_test.py"),
    "waits for a condition and looks again, or gives up after ten minutes": (
        "bisect/bisect_test.py", "jobs/jobs.py", "nights/nights.py", "report/browser.py", "run_cases.py",
        "stub_worker/main.cpp", "tune/tune_test.py", "unit/bisect/relink_test.cpp", "unit/bisect/repository_test.cpp",
        "unit/campaign/confirm_suspects_test.cpp", "unit/run/run_program.cpp", "unit/shell/plan_test.cpp",
        "workloads/python_bad_input.py"),
    "limits what never ends by itself, or is never run": (
        "unit/campaign/compare_key_test.cpp", "unit/loading/check_loader_test.cpp",
        "unit/loading/fork_robustness_test.cpp", "unit/loading/loader_contract.cpp", "unit/os/command_test.cpp",
        "unit/run/faults_test.cpp", "unit/nights/sqlite_test.cpp", "unit/nights/store_test.cpp"),
    "any moment will do, and both orders are right": ("unit/run/interrupt_test.cpp",),
    "is a scripted clock, or where one begins": (
        "nights/dated.cpp", "own_clock.py", "stub_worker/stub_clock.h", "unit/campaign/measure_night_test.cpp",
        "unit/loading/prefetching_loader_test.cpp", "unit/run/launch_test.cpp", "unit/worker/launch_test.cpp"),
    "a step may be as long as it likes: no time is asserted but that sleeps last": (
        "python/samples_test.py", "python/scripts_test.py", "unit/loading/loader_workload_test.cpp",
        "workloads/loading_commands.py", "workloads/measure_machine_test.cpp", "workloads/profile_parts_test.cpp",
        "workloads/python_batches.py", "workloads/python_findings.py", "workloads/python_runs.py"),
}

HANG_S = 60  # a sleep of this length simulates a hang
SLEEP = re.compile(r"\b(u?)(?:nano)?sleep(?:_for|_until)?\b(?:\(| (?=[\d.]))(\d*\.?\d*)")
OTHERS = re.compile(
    # a clock
    r"(?:steady|system)_clock::now|\bhost_?\.now_ns\(|\btime\.(?:time|monotonic|perf_counter|process_time)(?:_ns)?\("
    r"|\b(?:monotonic|perf_counter)_ns\(|\bgetrusage\b|\bclock_gettime\b"
    # a short limit
    r"|\b\d+ms\b|\bmilliseconds[({]\d"
    r"""|(?:\b|_)(?:set_up|step|wall|stall|ask|tear_down|timeout)_s(?:", ?|=|: ?| = )\d(?:[^\d]|$)"""
    # a step or a sample of a real loader that lasts as long as an option says
    r"|\bcost(?:=|: ?)(?:sleep|spin)|\bemulated(?:\.|: ?\{)(?:step_us|where)")


def depends_on_time(line):
    line = line.lstrip(" ")
    if not line or line.startswith(("#", "//")):
        return False
    sleep = SLEEP.search(line)
    return bool(OTHERS.search(line) or sleep and (sleep[1] == "u" or float(sleep[2] or 0) < HANG_S))


class RealTime(unittest.TestCase):
    def test_default_tests_do_not_depend_on_it(self):
        if not tracked_files():
            self.skipTest("not a clone: git knows no files here")
        allowed = tuple("tests/" + place for places in ALLOWED.values() for place in places)
        for file in tracked_files():
            if not file.startswith("tests/") or not file.endswith((".cpp", ".h", ".py", ".sh", ".cmake")):
                continue
            for number, line in enumerate(text_of(file).split("\n") if not file.startswith(allowed) else (), 1):
                self.assertFalse(depends_on_time(line), f"{file}:{number}: {line}\nScript the time (the stub worker), "
                                 "count, or hold a process by a file; or say above why no machine decides its result.")

    def test_usual_forms_are_found(self):
        for line in ("time.sleep(0.002)", "  ::usleep(10'000);", "std::this_thread::sleep_for(10ms);",
                     "while [ -e go ]; do sleep 0.02; done", 'script("sleep 3; echo")',
                     "EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);", "took = time.monotonic() - t",
                     "self.assertLess(time.perf_counter() - began, 0.5)", "const auto end = host.now_ns();",
                     'run_command({"x"}, "", 200ms)', "limits: {ask_s: 0.3}", '--set", "limits.step_s=1"',
                     "{.timeout_s = 0.01}", '"--set", "data.cost=sleep"', "emulated: {step_us: 3000}"):
            self.assertTrue(depends_on_time(line), line)
        for line in ("exec sleep 1000", "time.sleep(600)", "asleep(1)", "EXPECT_EQ(clock.now_ns(), 5);",
                     "limits: {wall_s: 600}", "60 items", "limits_s = limits", "// time.sleep(1)"):
            self.assertFalse(depends_on_time(line), line)


if __name__ == "__main__":
    unittest.main()
