// SPDX-License-Identifier: Apache-2.0
// Machine facts of launches, planted into the file of a real run, and the output of each command.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/record/quality.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class MachineFacts : public ::testing::Test {
 protected:
  void SetUp() override {
    program_.config(
        "name: facts\nworkload: stub\nlaunches: 1\nschedule: {wait: 0, warmup: 2, active: 5}\n");
    ASSERT_EQ(program_.run().exit_status, 0);
  }
  // A copy of the run with only these machine facts.
  [[nodiscard]] fs::path planted(const std::string& name, const Json& machine) const {
    fs::path copy = program_.folder / name;
    for (const auto& file : fs::directory_iterator(program_.run_dir())) {
      if (file.path().extension() != ".jsonl") continue;
      fs::create_directory(copy);
      std::ifstream in(file.path());
      std::ofstream out(copy / file.path().filename());
      for (std::string line; std::getline(in, line);) {
        Json row = Json::parse(line);
        if (row["kind"] == "run") row["run_id"] = name;
        if (row["kind"] == "launch") {
          row["machine"] = machine;
          row["wall_ns"] = 2'000'000'000;
          row["flags"] = row["notes"] = Json::array();
        }
        out << row << '\n';
      }
    }
    return copy;
  }
  std::string said(std::vector<std::string> words) const {
    words.insert(words.begin(), STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench");
    const os::CommandResult result = os::run_command(words, "", std::chrono::minutes(10));
    return result.out + result.err;
  }
  [[nodiscard]] std::string shown(const std::string& name, const Json& machine) const {
    return said({"show", planted(name, machine).string()});
  }
  RunProgram program_;
};

const Json kQuiet = {{"window_ns", 1000},         {"window_run_queue_wait_ns", 9},
                     {"others_cpu_share", 0.009}, {"steal_share", 0.009},
                     {"cgroup_throttled_ns", 0},  {"gpu.throttled", "no"}};

Json but(const std::string& field, const Json& value) {
  Json machine = kQuiet;
  machine[field] = value;
  return machine;
}

TEST_F(MachineFacts, RealLaunch_HasItsFlags) {
  for (const record::Launch& launch : program_.results().launches) {
    const record::Quality quality(launch.row);
    for (const record::FactRow& fact : record::facts()) {
      const bool flagged = std::ranges::count(launch.row.report.flags, fact.flag) > 0;
      const bool reported = fact.level(quality.value(fact.fact)) >= record::FactLevel::kReported;
      EXPECT_EQ(flagged, reported && !fact.flag.empty()) << fact.name;
    }
    EXPECT_NE(quality.value(record::Fact::kWaited), std::nullopt) << "this kernel tells";
  }
}

TEST_F(MachineFacts, Show_PrintsThem) {
  const std::string quiet = shown("quiet", kQuiet);
  for (const char* words : {"busy", "not watched", "hypervisor", "quota", "slowed down"}) {
    EXPECT_THAT(quiet, Not(HasSubstr(words)));
  }
  Json busy = but("window_run_queue_wait_ns", 620);
  busy["others_cpu_share"] = 0.81;
  EXPECT_THAT(shown("busy", busy),
              HasSubstr("doubts: waited 62.0 % of its time for a CPU; others used 81.0 %"));
  const std::string waited = shown("waited", but("window_run_queue_wait_ns", 10));
  EXPECT_THAT(waited, HasSubstr("more threads than CPUs: the training thread waited 1.0 %"));
  EXPECT_THAT(waited, Not(HasSubstr("doubts: ")));
  EXPECT_THAT(shown("steal", but("steal_share", 0.01)), HasSubstr("the hypervisor took 1.0 %"));
  EXPECT_THAT(shown("quota", but("cgroup_throttled_ns", 1e8)),
              HasSubstr("quota stopped the worker for 5.0 % of its time"));
  EXPECT_THAT(shown("hot", but("gpu.throttled", "power brake")),
              HasSubstr("the GPU was slowed down: power brake"));
  EXPECT_THAT(shown("lost", but("gpu.lost", true)), HasSubstr("the GPU was lost"));
  EXPECT_THAT(shown("unseen", {{"samples", 1}}),
              HasSubstr("not watched: whether the machine was busy"));
}

TEST_F(MachineFacts, Unwatched_IsOnTheCasePage) {
  const std::string id = program_.results().launches.front().row.key.case_id;
  const auto page = [&](const fs::path& run) { return said({"show", run.string(), "--case", id}); };
  EXPECT_THAT(page(planted("quiet", kQuiet)), Not(HasSubstr("not watched")));
  EXPECT_THAT(page(planted("unseen", {{"others_cpu_share", 0.1}})),
              ::testing::ContainsRegex("steal_share +not watched"));
}

TEST_F(MachineFacts, Compare_UsesThemAsGates) {
  const auto compared = [&](const Json& base, const Json& candidate) {
    return said(
        {"compare", planted("base", base).string(), planted("candidate", candidate).string()});
  };
  const std::string quiet = compared(kQuiet, kQuiet);
  EXPECT_THAT(quiet, Not(HasSubstr("busy")));
  EXPECT_THAT(quiet, Not(HasSubstr("not watched")));
  const Json busy = but("others_cpu_share", 0.5);
  EXPECT_THAT(compared(busy, busy), HasSubstr("others used 50.0 % of its CPU time"));
  EXPECT_THAT(compared(kQuiet, {{"samples", 1}}), HasSubstr("was not watched in the candidate"));
}

TEST_F(MachineFacts, History_MarksTheNight) {
  const auto marked = [&](const std::string& name, const Json& machine) {
    const std::string db = "sqlite:" + (program_.folder / (name + ".db")).string();
    said({"track", "add", planted(name, machine).string(), "--db", db});
    return said({"track", "show", "facts", "--db", db});
  };
  EXPECT_THAT(marked("below", but("window_run_queue_wait_ns", 49)), Not(HasSubstr("waited")));
  EXPECT_THAT(marked("at", but("window_run_queue_wait_ns", 50)),
              HasSubstr("waited 5.0 % of its time for a CPU"));
  EXPECT_THAT(marked("unseen", {{"samples", 1}}), Not(HasSubstr("waited")));
}

}  // namespace
}  // namespace stepbench::testing
