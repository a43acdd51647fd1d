// SPDX-License-Identifier: Apache-2.0
// Machine facts of a real launch, and of planted ones in a history. The words of `show` and of
// cases are held by unit_report, the gates of `compare` by unit_compare.
#include <chrono>
#include <nlohmann/json.hpp>

#include "harness/record/quality.h"
#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using Json = nlohmann::json;

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

  RunProgram program_;
};

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

TEST_F(MachineFacts, History_MarksTheNight) {
  const auto marked = [&](const std::string& name, const Json& machine) {
    const std::string db = "sqlite:" + (program_.folder / (name + ".db")).string();
    said({"track", "add", planted(name, machine).string(), "--db", db});
    return said({"track", "show", "facts", "--db", db});
  };
  const auto waited = [](int ns) {
    return Json{{"window_ns", 1000}, {"window_run_queue_wait_ns", ns}};
  };
  EXPECT_THAT(marked("below", waited(49)), Not(HasSubstr("waited")));
  EXPECT_THAT(marked("at", waited(50)), HasSubstr("waited 5.0 % of its time for a CPU"));
  EXPECT_THAT(marked("unseen", {{"samples", 1}}), Not(HasSubstr("waited")));
}

}  // namespace
}  // namespace stepbench::testing
