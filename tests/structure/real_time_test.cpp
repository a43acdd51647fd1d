// SPDX-License-Identifier: Apache-2.0
// No test of the default run may depend on the speed or the load of the machine: a file that
// sleeps, reads a clock or sets a limit below ten seconds is listed here, with the reason why its
// result does not depend on the machine. Tests that measure this machine belong to tests/benchmarks
// or tests/gpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

struct Allowed {
  const char* why;
  std::vector<std::string> files;  // below tests/, or folders
};

const std::vector<Allowed>& allowed() {
  static const std::vector<Allowed> all = {
      {"measures this machine, only plans, or is this test",
       {"benchmarks/", "gpu/", "unit/plan/", "structure/"}},
      {"runs by night",
       {"fleet/", "mutants/", "nights/interpreter_test.py", "storm/",
        "install/installed_wheel_test.py"}},
      {"waits for a condition and looks again, or gives up after ten minutes",
       {"bisect/bisect_test.py", "jobs/jobs.py", "nights/nights.py", "report/browser.py",
        "run_cases.py", "stub_worker/main.cpp", "tune/tune_test.py", "unit/bisect/relink_test.cpp",
        "unit/bisect/repository_test.cpp", "unit/campaign/confirm_suspects_test.cpp",
        "unit/run/run_program.cpp", "unit/shell/plan_test.cpp", "workloads/python_bad_input.py"}},
      {"limits what never ends by itself, or is never run",
       {"unit/campaign/compare_key_test.cpp", "unit/loading/check_loader_test.cpp",
        "unit/loading/fork_robustness_test.cpp", "unit/loading/loader_contract.cpp",
        "unit/os/command_test.cpp", "unit/run/faults_test.cpp", "unit/nights/sqlite_test.cpp",
        "unit/nights/store_test.cpp"}},
      {"any moment will do, and both orders are right", {"unit/run/interrupt_test.cpp"}},
      {"is a scripted clock, or where one begins",
       {"nights/dated.cpp", "own_clock.py", "stub_worker/stub_clock.h",
        "unit/campaign/measure_night_test.cpp", "unit/loading/prefetching_loader_test.cpp",
        "unit/run/launch_test.cpp", "unit/worker/launch_test.cpp"}},
      {"a step may be as long as it likes: no time is asserted but that sleeps last",
       {"python/samples_test.py", "python/scripts_test.py", "unit/loading/loader_workload_test.cpp",
        "workloads/loading_commands.py", "workloads/measure_machine_test.cpp",
        "workloads/profile_parts_test.cpp", "workloads/python_batches.py",
        "workloads/python_findings.py", "workloads/python_runs.py"}},
  };
  return all;
}

bool is_allowed(const std::string& file) {
  return std::ranges::any_of(allowed(), [&](const Allowed& some) {
    return std::ranges::any_of(some.files, [&](const std::string& place) {
      return place.ends_with('/') ? file.starts_with("tests/" + place) : file == "tests/" + place;
    });
  });
}

bool sleeps(const std::string& line) {
  constexpr double kHang = 60;  // a sleep of this length simulates a hang
  static const std::regex kSleep(R"(\b(u?)(?:nano)?sleep(?:_for|_until)?\b(\(| [\d.]+)([\d.]*))");
  std::smatch found;
  if (!std::regex_search(line, found, kSleep)) return false;
  const std::string argument = found[2] == "(" ? found[3].str() : found[2].str();
  return found[1] == "u" || std::atof(argument.c_str()) < kHang;
}

bool reads_a_clock(const std::string& line) {
  static const std::regex kClock(
      R"((?:steady|system)_clock::now|\bhost_?\.now_ns\(|\btime\.(?:time|monotonic|perf_counter|)"
      R"(process_time)(?:_ns)?\(|\b(?:monotonic|perf_counter)_ns\(|\bgetrusage\b|\bclock_gettime\b)");
  return std::regex_search(line, kClock);
}

// A step or a sample of a real loader that lasts as long as an option says.
bool plants_a_duration(const std::string& line) {
  static const std::regex kPlanted(
      R"(\bcost(?:=|: ?)(?:sleep|spin)|\bemulated(?:\.|: ?\{)(?:step_us|where))");
  return std::regex_search(line, kPlanted);
}

bool sets_a_short_limit(const std::string& line) {
  static const std::regex kLimit(
      R"(\b\d+ms\b|\bmilliseconds[({]\d|(?:\b|_)(?:set_up|step|wall|stall|ask|tear_down|timeout)_s)"
      R"((?:", ?|=|: ?| = )\d(?:[^\d]|$))");
  return std::regex_search(line, kLimit);
}

bool depends_on_time(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line[begin] == '#' || line.compare(begin, 2, "//") == 0) {
    return false;
  }
  // Filters lines first: most have none of these words, and regular expressions are slow.
  constexpr const char* kWords[] = {"sleep", "clock", "now_ns", "time", "_ns(",    "rusage",
                                    "ms",    "milli", "_s",     "cost", "emulated"};
  return std::ranges::any_of(
             kWords,
             [&](const char* word) { return line.find(word, begin) != std::string::npos; }) &&
         (sleeps(line) || reads_a_clock(line) || sets_a_short_limit(line) ||
          plants_a_duration(line));
}

TEST(RealTime, DefaultTests_DoNotDependOnIt) {
  const std::vector<std::string> files = tracked_files(kRoot);
  if (files.empty()) GTEST_SKIP() << "not a clone: git knows no files here";
  constexpr const char* kKinds[] = {".cpp", ".h", ".py", ".sh", ".cmake"};
  for (const std::string& file : files) {
    const bool is_code =
        std::ranges::any_of(kKinds, [&](const char* kind) { return file.ends_with(kind); });
    if (!file.starts_with("tests/") || !is_code || is_allowed(file)) continue;
    std::istringstream lines(text_of(kRoot, file));
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      EXPECT_FALSE(depends_on_time(line))
          << file << ':' << number << ": " << line << "\nScript the time (the stub worker), count, "
          << "or hold a process by a file; or say above why no machine decides what comes of it.";
    }
  }
}

TEST(RealTime, UsualForms_AreFound) {
  for (const char* line :
       {"time.sleep(0.002)", "  ::usleep(10'000);", "std::this_thread::sleep_for(10ms);",
        "while [ -e go ]; do sleep 0.02; done", "script(\"sleep 3; echo\")",
        "EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);", "took = time.monotonic() - t",
        "self.assertLess(time.perf_counter() - began, 0.5)", "const auto end = host.now_ns();",
        "run_command({\"x\"}, \"\", 200ms)", "limits: {ask_s: 0.3}", "--set\", \"limits.step_s=1\"",
        "{.timeout_s = 0.01}", "\"--set\", \"data.cost=sleep\"", "emulated: {step_us: 3000}"}) {
    EXPECT_TRUE(depends_on_time(line)) << line;
  }
  for (const char* line :
       {"exec sleep 1000", "time.sleep(600)", "asleep(1)", "EXPECT_EQ(clock.now_ns(), 5);",
        "limits: {wall_s: 600}", "60 items", "limits_s = limits", "// time.sleep(1)"}) {
    EXPECT_FALSE(depends_on_time(line)) << line;
  }
}

}  // namespace
}  // namespace stepbench::structure
