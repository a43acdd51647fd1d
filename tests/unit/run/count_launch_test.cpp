// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launch.h"

#include "harness/base/error.h"
#include "harness/run/internal/launch_limits.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

ResolvedCase asking(const std::string& counts, const std::string& device = "cpu") {
  ResolvedCase resolved;
  resolved.case_id = "aaaa";
  resolved.options["profile.counts"] = counts;
  resolved.options["device"] = device;
  resolved.options["schedule.active"] = std::int64_t{50};
  resolved.options["schedule.repeat"] = std::int64_t{4};
  resolved.options["threads.intra_op"] = std::string("auto");
  resolved.options["limits.step_s"] = 60.0;
  return resolved;
}

plan::Plan plan_of(ResolvedCase resolved) {
  plan::Plan plan;
  plan.cases.resize(1);
  plan.cases[0].resolved = std::move(resolved);
  return plan;
}

const CountTools kBare{.no_counters = "no counter here", .valgrind = ""};
const CountTools kWithValgrind{.no_counters = "no counter here", .valgrind = "/usr/bin/valgrind"};

TEST(CountLaunch, Auto_PrefersCountersThenValgrind) {
  EXPECT_EQ(count_engine(asking("auto"), {.no_counters = "", .valgrind = "x"}), CountEngine::kPerf);
  EXPECT_EQ(count_engine(asking("auto"), kWithValgrind), CountEngine::kValgrind);
  EXPECT_EQ(count_engine(asking("auto"), kBare), CountEngine::kNone);
  EXPECT_EQ(count_engine(asking("auto", "cuda:0"), kWithValgrind), CountEngine::kNone);
  EXPECT_EQ(count_engine(asking("perf"), kBare), CountEngine::kPerf) << "the worker says why not";
  EXPECT_EQ(count_engine(asking("none"), kWithValgrind), CountEngine::kNone);
}

TEST(CountLaunch, NoCounter_HasAReason) {
  EXPECT_THAT([] { (void)count_engine(asking("valgrind"), kBare); },
              ThrowsMessage<ConfigError>(HasSubstr("is not installed")));
  EXPECT_THAT([] { (void)count_engine(asking("valgrind", "cuda"), kWithValgrind); },
              ThrowsMessage<ConfigError>(HasSubstr("CUDA")));
  EXPECT_EQ(count_note(plan_of(asking("auto")), kWithValgrind),
            "valgrind counts instructions, in launches of its own: no counter here");
  EXPECT_EQ(count_note(plan_of(asking("auto")), kBare),
            "instructions are not counted: no counter here; valgrind is not installed");
  EXPECT_EQ(count_note(plan_of(asking("perf")), kBare),
            "instructions are not counted: no counter here");
  EXPECT_EQ(count_note(plan_of(asking("none")), kBare), std::nullopt);
}

TEST(CountLaunch, CountedCase_IsShortOnOneThread) {
  const ResolvedCase counted = counted_case(asking("auto"));
  EXPECT_EQ(counted.integer("schedule.active"), 3);
  EXPECT_EQ(counted.integer("schedule.repeat"), 1);
  EXPECT_EQ(counted.integer("threads.intra_op"), 1);
  EXPECT_EQ(counted.text("profile.counts"), "valgrind");
  EXPECT_GE(limits_of(counted, Pass::kWrapped).stall.step_ns, 1'000 * kNsPerS);
  ResolvedCase automatic = asking("auto");
  automatic.options["schedule.active"] = std::string("auto");
  EXPECT_EQ(counted_case(automatic).integer("schedule.active"), 3);
}

// Files like those of callgrind: of the worker, and of a process that it forked.
class CallgrindFiles : public ::testing::Test {
 protected:
  CallgrindFiles() { fs::create_directories(files_.folder); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(files_.folder / name) << text;
  }
  record::LaunchRow counted_row() const {
    record::LaunchRow row;
    row.outcome = Outcome::measured();
    row.report.schedule["active"] = std::int64_t{3};
    add_counts(counted_case(asking("auto")), files_, 77, row);
    return row;
  }

  test::TemporaryFolder folder_;
  CountFiles files_ = count_files(folder_.path(), {.case_id = "aaaa", .launch = 0});
};

TEST_F(CallgrindFiles, WorkersTotal_IsTaken) {
  write("aaaa-0.77", "# callgrind format\npid: 77\nfn=(1) step\n5 40\n\ntotals: 6000\n");
  write("aaaa-0.78", "totals: 5\n");
  const record::LaunchRow row = counted_row();
  EXPECT_EQ(row.report.metrics.at("instructions_per_step"), 2000.0);
  EXPECT_EQ(text_of(row.report.effective, "profile.counts"), "valgrind");
  EXPECT_EQ(text_of(row.report.effective, "schedule.active"), "3");
  EXPECT_FALSE(fs::exists(files_.folder / "aaaa-0.78"));
  EXPECT_TRUE(fs::exists(files_.folder / "aaaa-0.77"));
}

TEST_F(CallgrindFiles, NoNumber_IsAFailure) {
  EXPECT_EQ(counted_row().outcome.kind, Outcome::Kind::kFailed);
  write("aaaa-0.77", "totals: 0\n");
  EXPECT_THAT(counted_row().outcome.reason, HasSubstr("counted no instruction"));
}

TEST_F(CallgrindFiles, PercentInThePath_IsEscaped) {
  const CountFiles files{.folder = "/runs/50%p", .stem = "aaaa-b-1"};
  EXPECT_THAT(callgrind_words("valgrind", files),
              Contains("--callgrind-out-file=/runs/50%%p/aaaa-b-1.%p"));
}

}  // namespace
}  // namespace stepbench::run
