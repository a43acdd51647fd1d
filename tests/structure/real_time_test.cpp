// SPDX-License-Identifier: Apache-2.0
// No test of the default run depends on how fast the machine is or what else it does. Time is
// scripted there: whoever sleeps, reads a clock, computes for a while or gives a process a short
// limit says below why no machine decides what comes of it. Tests that measure this machine belong
// to tests/benchmarks or tests/gpu.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

enum class Shape { kSleeps, kReadsAClock, kComputes, kShortLimit, kAssertsTime };

constexpr const char* kPolls = "waits for a condition, and looks at it again";
constexpr const char* kPatience = "gives up waiting after ten minutes, which only a hang takes";
constexpr const char* kMeanwhile = "a step may be as long as it likes; no time is asserted";
constexpr const char* kNeverRun = "is planned and never run";
constexpr const char* kMetAnyway = "what is limited never ends by itself";
constexpr const char* kAnyMoment = "any moment will do, and both orders are right";

struct Use {
  const char* file;
  Shape shape;
  int lines;
  const char* reason;
};

constexpr Use kAllowed[] = {
    {"tests/fleet/kills_test.py", Shape::kSleeps, 3, "nightly: polls; when to kill"},
    {"tests/fleet/kills_test.py", Shape::kReadsAClock, 4, kPatience},
    {"tests/fleet/nodes_test.py", Shape::kSleeps, 3, "nightly: polls; the other node stands"},
    {"tests/fleet/nodes_test.py", Shape::kReadsAClock, 3, "nightly: half a minute of keepalive"},
    {"tests/fleet/postgres_test.cpp", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/fleet/postgres_test.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/fleet/ranks_test.py", Shape::kSleeps, 2, kPolls},
    {"tests/fleet/ranks_test.py", Shape::kReadsAClock, 2, kPatience},
    {"tests/fleet/ranks_test.py", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/fleet/ranks_ab_test.py", Shape::kAssertsTime, 1,
     "nightly: a planted change with its size"},
    {"tests/fleet/ranks_wait.py", Shape::kSleeps, 1, "nightly: the time that is planted"},
    {"tests/fleet/ranks_net.py", Shape::kSleeps, 1, "nightly: the time that is planted"},
    {"tests/fleet/ranks_train.py", Shape::kSleeps, 1, "nightly: the time that is planted"},
    {"tests/fleet/ranks_train.py", Shape::kReadsAClock, 2, "nightly: how long the plant took"},
    {"tests/fleet/slurm.py", Shape::kSleeps, 1, kPolls},
    {"tests/fleet/slurm.py", Shape::kReadsAClock, 2, kPatience},
    {"tests/bisect/bisect_test.py", Shape::kReadsAClock, 2, kPatience},
    {"tests/unit/bisect/repository_test.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/own_clock.py", Shape::kReadsAClock, 1, "where the clock of a script begins"},
    {"tests/explain/explain_test.py", Shape::kAssertsTime, 5, "of files that it wrote itself"},
    {"tests/storm/scenes.py", Shape::kReadsAClock, 2, kPatience},
    {"tests/storm/scenes.py", Shape::kSleeps, 1, kPolls},
    {"tests/storm/soak.py", Shape::kReadsAClock, 3, "nightly: runs for as long as it is told"},
    {"tests/storm/soak.py", Shape::kSleeps, 1, "nightly: runs for as long as it is told"},
    {"tests/storm/storm.py", Shape::kReadsAClock, 3, "nightly: runs for as long as it is told"},
    {"tests/bisect/bisect_test.py", Shape::kSleeps, 1, kPolls},
    {"tests/tune/tune_test.py", Shape::kSleeps, 2, "polls; a script that holds memory meanwhile"},
    {"tests/unit/run/group_test.cpp", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/install/installed_wheel_test.py", Shape::kReadsAClock, 4, "nightly: prints how long"},
    {"tests/jobs/jobs.py", Shape::kComputes, 1, "640 ms asleep beside 320 ms asleep"},
    {"tests/jobs/jobs.py", Shape::kReadsAClock, 2, kPatience},
    {"tests/nights/dated.cpp", Shape::kReadsAClock, 3, "is the clock that is moved"},
    {"tests/nights/nights.py", Shape::kSleeps, 2, kPolls},
    {"tests/python/frames_test.py", Shape::kAssertsTime, 1, "two readings of a committed run"},
    {"tests/python/loop_test.py", Shape::kAssertsTime, 2,
     "the ends of an interval; no time is less"},
    {"tests/python/scripts_test.py", Shape::kReadsAClock, 1, "where a scripted clock begins"},
    {"tests/python/scripts_test.py", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/python/scripts_test.py", Shape::kSleeps, 3, kMeanwhile},
    {"tests/report/browser.py", Shape::kReadsAClock, 2, kPatience},
    {"tests/report/browser.py", Shape::kSleeps, 1, kPolls},
    {"tests/stub_worker/main.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/stub_worker/stub_clock.h", Shape::kReadsAClock, 4, "spins for those who kill it"},
    {"tests/unit/campaign/compare_key_test.cpp", Shape::kShortLimit, 1, kNeverRun},
    {"tests/unit/campaign/confirm_suspects_test.cpp", Shape::kSleeps, 2, kPolls},
    {"tests/unit/campaign/measure_night_test.cpp", Shape::kReadsAClock, 1, "a date"},
    {"tests/unit/loading/fork_robustness_test.cpp", Shape::kShortLimit, 3, kMetAnyway},
    {"tests/unit/loading/loader_contract.cpp", Shape::kShortLimit, 2, kMetAnyway},
    {"tests/unit/loading/prefetching_loader_test.cpp", Shape::kShortLimit, 1, "a scripted clock"},
    {"tests/unit/os/command_test.cpp", Shape::kShortLimit, 3, kMetAnyway},
    {"tests/unit/os/command_test.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/unit/run/faults_test.cpp", Shape::kShortLimit, 2, kMetAnyway},
    {"tests/unit/run/interrupt_test.cpp", Shape::kSleeps, 1, kAnyMoment},
    {"tests/unit/run/kill_test.cpp", Shape::kReadsAClock, 2, "how long a run takes here"},
    {"tests/unit/run/kill_test.cpp", Shape::kSleeps, 1, kAnyMoment},
    {"tests/unit/run/launch_test.cpp", Shape::kReadsAClock, 2, "is the clock that jumps"},
    {"tests/unit/run/launch_test.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/unit/run/run_program.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/unit/shell/probe_test.cpp", Shape::kSleeps, 1, kPolls},
    {"tests/unit/store/sqlite_test.cpp", Shape::kReadsAClock, 2,
     "a minute for what takes a second"},
    {"tests/unit/store/sqlite_test.cpp", Shape::kShortLimit, 2, kMetAnyway},
    {"tests/unit/track/history/store_test.cpp", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/unit/worker/launch_test.cpp", Shape::kShortLimit, 1, "a scripted clock"},
    {"tests/workloads/remote_shards.py", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/workloads/profile_parts_test.cpp", Shape::kReadsAClock, 1, "one moment after another"},
    {"tests/workloads/python_bad_input.py", Shape::kReadsAClock, 4, kPatience},
    {"tests/workloads/python_bad_input.py", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/workloads/python_bad_input.py", Shape::kSleeps, 3, kPolls},
    {"tests/workloads/python_batches.py", Shape::kAssertsTime, 4,
     "that there is a number, and that sleeps last"},
    {"tests/workloads/python_batches.py", Shape::kSleeps, 1, "no sleep is shorter than asked for"},
    {"tests/workloads/python_runs.py", Shape::kAssertsTime, 2,
     "20 ms of holding the lock against 1 ms; that there is a number"},
    {"tests/workloads/python_runs.py", Shape::kComputes, 1,
     "for five times what the sleep beside it took"},
    {"tests/workloads/python_runs.py", Shape::kReadsAClock, 8,
     "patience; the sleep is measured; moments to kill at; memory"},
    {"tests/workloads/python_runs.py", Shape::kShortLimit, 1, kMetAnyway},
    {"tests/workloads/python_runs.py", Shape::kSleeps, 7,
     "polls; is measured by what stands beside it, or told from computing; holds the lock, or "
     "leaves it; moments to kill"},
};

// Folders whose tests measure this machine, only plan, or are this one.
constexpr const char* kElsewhere[] = {"tests/benchmarks/", "tests/gpu/", "tests/structure/",
                                      "tests/unit/plan/"};

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::kSleeps:
      return "sleeps for less than a minute";
    case Shape::kReadsAClock:
      return "reads a clock of this machine";
    case Shape::kComputes:
      return "computes or waits to take up time";
    case Shape::kShortLimit:
      return "sets a limit of less than ten seconds";
    case Shape::kAssertsTime:
      return "asserts on a time";
  }
  return "";
}

bool sleeps(const std::string& line) {
  constexpr double kHang = 60;  // what sleeps as long stands for a hang
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

bool computes(const std::string& line) {
  static const std::regex kWork(R"(sum\(range\(|cost: (?:sleep|spin))");
  return std::regex_search(line, kWork);
}

bool sets_a_short_limit(const std::string& line) {
  static const std::regex kLimit(
      R"(\b\d+ms\b|\bmilliseconds[({]\d|(?:\b|_)(?:set_up|step|wall|stall|ask|tear_down|timeout)_s)"
      R"((?:", ?|=|: ?| = )\d(?:[^\d]|$))");
  return !sleeps(line) && std::regex_search(line, kLimit);
}

// In scripts, which run whole programs; in C++ the clocks are scripted.
bool asserts_on_time(const std::string& line) {
  static const std::regex kAssert(R"(assert(?:Greater|Less|AlmostEqual)\w*\(.*(?:_ns|_ms|_s)\b)");
  return std::regex_search(line, kAssert);
}

// Most lines hold none of these, and a regular expression takes its time.
bool may_show_time(const std::string& line) {
  for (const char* word : {"sleep", "clock", "now_ns", "time", "_ns(", "rusage", "range(",
                           "cost: ", "ms", "milli", "_s", "assert"}) {
    if (line.find(word) != std::string::npos) return true;
  }
  return false;
}

bool is_of_the_default_run(const std::string& file) {
  for (const char* folder : kElsewhere) {
    if (file.starts_with(folder)) return false;
  }
  if (!file.starts_with("tests/")) return false;
  for (const char* kind : {".cpp", ".h", ".py", ".sh", ".cmake"}) {
    if (file.ends_with(kind)) return true;
  }
  return false;
}

using Places = std::map<std::pair<std::string, Shape>, std::vector<std::string>>;

void look(const std::string& file, int number, const std::string& line, Places& found) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || !may_show_time(line)) return;
  if (line.compare(begin, 2, "//") == 0 || line[begin] == '#') return;
  const std::string place = file + ':' + std::to_string(number) + ": " + line.substr(begin);
  if (sleeps(line)) found[{file, Shape::kSleeps}].push_back(place);
  if (reads_a_clock(line)) found[{file, Shape::kReadsAClock}].push_back(place);
  if (computes(line)) found[{file, Shape::kComputes}].push_back(place);
  if (sets_a_short_limit(line)) found[{file, Shape::kShortLimit}].push_back(place);
  if (asserts_on_time(line)) found[{file, Shape::kAssertsTime}].push_back(place);
}

std::string listed(const std::vector<std::string>& places) {
  std::string text;
  for (const std::string& place : places) text += "\n  " + place;
  return text;
}

TEST(RealTime, IsInNoTestOfTheDefaultRunButForAReason) {
  const std::vector<std::string> files = tracked_files(kRoot);
  if (files.empty()) GTEST_SKIP() << "not a clone: git knows no files here";
  Places found;
  for (const std::string& file : files) {
    if (!is_of_the_default_run(file)) continue;
    std::ifstream in(std::filesystem::path(kRoot) / file);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) look(file, number, line, found);
  }
  std::map<std::pair<std::string, Shape>, int> allowed;
  for (const Use& use : kAllowed) allowed[{use.file, use.shape}] = use.lines;
  for (const auto& [use, places] : found) {
    EXPECT_EQ(static_cast<int>(places.size()), allowed[use])
        << use.first << ' ' << name_of(use.second)
        << " in another number of lines than real_time_test.cpp has a reason for. Script the time "
           "(tests/scripted_clock.h, the stub worker), count, hold a process by a file, or make "
           "the "
           "cause ten times the noise that the same test measures."
        << listed(places);
  }
  for (const auto& [use, lines] : allowed) {
    EXPECT_TRUE(lines == 0 || found.contains(use))
        << use.first << ' ' << name_of(use.second) << " no more: its row can go";
  }
}

TEST(RealTime, OfATestIsFoundInTheShapesThatItUsuallyHas) {
  for (const char* line :
       {"time.sleep(0.002)", "  ::usleep(10'000);", "std::this_thread::sleep_for(10ms);",
        "while [ -e go ]; do sleep 0.02; done", "script(\"sleep 3; echo\")"}) {
    EXPECT_TRUE(sleeps(line)) << line;
  }
  for (const char* line : {"exec sleep 1000", "time.sleep(600)", "cost: sleep", "asleep(1)"}) {
    EXPECT_FALSE(sleeps(line)) << line;
  }
  for (const char* line :
       {"EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);", "took = time.monotonic() - t",
        "self.assertLess(time.perf_counter() - began, 0.5)", "const auto end = host.now_ns();"}) {
    EXPECT_TRUE(reads_a_clock(line)) << line;
  }
  EXPECT_FALSE(reads_a_clock("EXPECT_EQ(clock.now_ns(), 5);")) << "a scripted one";
  EXPECT_TRUE(computes("total = sum(range(600_000))"));
  EXPECT_TRUE(computes("data: {kind: synthetic, cost: spin, cost_us: 500}"));
  for (const char* line : {"run_command({\"x\"}, \"\", 200ms)", "limits: {ask_s: 0.3}",
                           "--set\", \"limits.step_s=1\"", "{.timeout_s = 0.01}"}) {
    EXPECT_TRUE(sets_a_short_limit(line)) << line;
  }
  EXPECT_TRUE(asserts_on_time("self.assertLess(metrics[\"a_ns\"], metrics[\"b_ns\"])"));
  for (const char* line : {"limits: {wall_s: 600}", "60 items", "limits_s = limits"}) {
    EXPECT_FALSE(sets_a_short_limit(line)) << line;
  }
}

}  // namespace
}  // namespace stepbench::structure
