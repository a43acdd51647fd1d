// SPDX-License-Identifier: Apache-2.0
// `profile.counts` and `compare.gate` in a shell, on the scripted worker under a program that
// writes callgrind's files.
#include <chrono>

#include "tests/testing.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::ContainsRegex;

constexpr const char* kCounted =
    "name: counted\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 5}\n"
    "profile: {counts: valgrind}\n"
    "compare: {gate: counts, margin: {counts: 1%}}\n";

class CountedCommand : public ::testing::Test {
 protected:
  CountedCommand() {
    program_.config(kCounted);
    program_.script("valgrind", R"(for word in "$@"; do
  case "$word" in --callgrind-out-file=*) out=${word#*=} ;; esac
done
while [ "${1#--}" != "$1" ]; do shift; done
echo "totals: ${INSTRUCTIONS:-3000}" > "${out%.%p}.$$"
exec "$@"
)");
    program_.prefix = {"PATH=" + program_.folder.string() + ":/usr/bin:/bin"};
  }

  RunProgram program_;
};

TEST_F(CountedCommand, CountedLaunch_IsOutsideTheTable) {
  const os::CommandResult result = program_.run();
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const record::Results results = program_.results();
  ASSERT_EQ(results.launches.size(), 3U);
  const record::LaunchRow& counted = results.launches.back().row;
  EXPECT_EQ(counted.key.pass, Pass::kWrapped);
  EXPECT_EQ(counted.report.metrics.at("instructions_per_step"), 1000.0);
  EXPECT_EQ(text_of(counted.report.effective, "profile.counts"), "valgrind");
  EXPECT_THAT(result.err, HasSubstr("counted by valgrind"));
  EXPECT_THAT(result.out, Not(HasSubstr("wrapped")));
  const os::CommandResult page =
      os::run_command({STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench", "show",
                       program_.run_dir().string(), "--case", counted.key.case_id},
                      "", std::chrono::minutes(10));
  EXPECT_THAT(page.out, ContainsRegex("instructions_per_step +1,000"));
}

TEST_F(CountedCommand, ResumedRun_DoesNotCountAgain) {
  EXPECT_EQ(program_.run().exit_status, 0);
  EXPECT_EQ(program_.resume().exit_status, 0);
  EXPECT_EQ(program_.results().launches.size(), 3U);
}

TEST_F(CountedCommand, Flag_OverridesTheFilesGate) {
  program_.ab = true;
  const os::CommandResult more = program_.run({"--b-env", "INSTRUCTIONS=3300"});
  EXPECT_EQ(more.exit_status, 1) << more.out << more.err;
  EXPECT_THAT(more.out, HasSubstr("instructions_per_step"));
  EXPECT_THAT(more.out, HasSubstr("counted by valgrind, on one thread"));
  EXPECT_NE(
      program_.run({"--b-env", "INSTRUCTIONS=3300", "--gate", "times", "--pairs", "1"}).exit_status,
      1);
}

TEST_F(CountedCommand, FileMargin_Decides) {
  program_.ab = true;
  EXPECT_EQ(program_.run({"--b-env", "INSTRUCTIONS=3029"}).exit_status, 0);
  EXPECT_EQ(program_.run({"--b-env", "INSTRUCTIONS=3029", "--margin", "counts=0.5%"}).exit_status,
            1);
}

TEST_F(CountedCommand, MissingValgrind_IsRejectedUpFront) {
  program_.prefix = {"PATH=" + (program_.folder / "tmp").string()};
  const os::CommandResult result = program_.run();
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("profile.counts: valgrind is not installed here"));
  EXPECT_FALSE(fs::exists(program_.folder / "results"));
}

}  // namespace
}  // namespace stepbench::testing
