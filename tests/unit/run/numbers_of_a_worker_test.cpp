// SPDX-License-Identifier: Apache-2.0
// A worker whose numbers cannot be a measurement is a failed row that says which, and the exit
// status says so too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kLaunchLine = R"({"kind":"launch"})";

// A worker that says `lines` in its launches, which are sh commands that print, and is else the
// stub.
record::LaunchRow row_of_worker_that_says(const std::string& printing) {
  RunProgram program;
  program.config(yaml_with("ok"));
  const std::string stub = program.worker.string();
  program.worker = program.script(
      "worker", "case $1 in --control*) ;; *) exec " + stub + " \"$@\";; esac\n" +
                    R"(say() { printf '%s\n' "$1" >&3; })" + "\n" +
                    R"(say '{"kind":"hello","protocol":[1,3],"build_id":"b","pid":1}')" +
                    "\nread -r line <&3\n" + printing + "\n");
  const os::CommandResult result = program.run();
  EXPECT_EQ(result.exit_status, 4) << result.err;
  EXPECT_THAT(program.leftovers(), IsEmpty());
  return program.results().launches.at(0).row;
}

std::string said(const std::string& line) { return "say '" + line + "'\n"; }

std::string samples(const std::string& columns, const std::string& values) {
  return said(R"({"kind":"samples","cycle":0,"columns":[)" + columns + R"(],"values":[)" + values +
              "]}");
}

void expect_breach(const std::string& printing, const std::string& what) {
  const record::LaunchRow row = row_of_worker_that_says(printing);
  EXPECT_EQ(row.outcome.kind, Outcome::Kind::kFailed);
  EXPECT_THAT(row.outcome.reason, HasSubstr("of the worker breaks the protocol: "));
  EXPECT_THAT(row.outcome.reason, HasSubstr(what));
}

TEST(NumbersOfAWorker, AreThere) {
  expect_breach(said(kLaunchLine), "nothing was measured: there are no samples");
}

TEST(NumbersOfAWorker, AreNotNegative) {
  expect_breach(samples(R"("step_ns")", "[5,-5,5,5,5]") + said(kLaunchLine),
                "cycle 0, step 1 of its window: step_ns is negative, -5");
}

TEST(NumbersOfAWorker, SumToTheStep) {
  expect_breach(
      samples(R"("step_ns","forward_ns","other_ns")", "[9,9,9,9,9],[4,4,4,4,4],[5,5,5,5,6]") +
          said(kLaunchLine),
      "step 4 of its window: its phases and other_ns sum to 10 ns, step_ns is 9");
}

TEST(NumbersOfAWorker, AreNotAbsurd) {
  expect_breach(samples(R"("step_ns")", "[4611686018427387904,1,1,1,1]") + said(kLaunchLine),
                "step_ns is out of range, 4611686018427387904");
}

TEST(NumbersOfAWorker, AreInNanoseconds) {
  expect_breach(samples(R"("step_ns")", "[100000000000,1,1,1,1]") + said(kLaunchLine),
                "its steps took 100 s in all");
}

TEST(NumbersOfAWorker, AreThoseThatTheRunDeclares) {
  expect_breach(samples(R"("step_ns","forwad_ns")", "[9,9,9,9,9],[1,1,1,1,1]") + said(kLaunchLine),
                "there is no column");
}

TEST(NumbersOfAWorker, AreAsManyAsTheSchedule) {
  expect_breach(samples(R"("step_ns")", "[9,9,9]") + said(kLaunchLine),
                "cycle 0 has 3 steps, schedule.active is 5");
}

TEST(NumbersOfAWorker, AreNoCyclesOf2To62Steps) {
  expect_breach(said(R"({"kind":"cycle","cycle":0,"steps":4611686018427387904,"mean_step_ns":9})"),
                "a window of 4611686018427387904 steps");
}

TEST(NumbersOfAWorker, AFloodOfThemEndsLongBeforeTheMemory) {
  const std::string flood =
      "line=$(awk 'BEGIN { printf "
      R"("{\"kind\":\"samples\",\"cycle\":0,\"columns\":[\"step_ns\"],\"values\":[[1"; )"
      R"(for (i = 1; i < 16384; i++) printf ",1"; printf "]]}" }'))"
      "\nexec yes \"$line\" >&3\n";
  expect_breach(flood, "far beyond what schedule.active and schedule.repeat ask for");
}

}  // namespace
}  // namespace stepbench::testing
