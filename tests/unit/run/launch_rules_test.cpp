// SPDX-License-Identifier: Apache-2.0
// Numbers of a worker that cannot be a measurement are named; those that any worker may send are
// taken.
#include "harness/run/launch_rules.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/columns.h"

namespace stepbench::run {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ResolvedCase five_steps(std::int64_t cycles = 1) {
  ResolvedCase resolved;
  resolved.options = {{"schedule.active", Value{std::int64_t{5}}},
                      {"schedule.repeat", Value{cycles}}};
  return resolved;
}

LaunchRules rules(std::int64_t cycles = 1) {
  return launch_rules(five_steps(cycles), Pass::kTiming,
                      record::ColumnRow{estimate::harness_metrics()});
}

record::CycleSamples window(std::int64_t cycle = 0, std::int64_t first = 11) {
  return {cycle,
          {.names = {"index", "step_ns", "forward_ns", "other_ns", "samples", "flags"},
           .columns = {{first, first + 1, first + 2, first + 3, first + 4},
                       {1000, 1000, 1000, 1000, 1000},
                       {700, 600, 500, 400, 300},
                       {300, 400, 500, 600, 700},
                       {64, 64, 64, 64, 32},
                       {0, 0, 0, 0, 2}}}};
}

record::LaunchReport cut_report() {
  record::LaunchReport report;
  report.flags = {"truncated"};
  return report;
}

constexpr std::int64_t kAge = 5'000'000'000;

void expect_breach(const record::CycleSamples& samples, const std::string& what) {
  LaunchCheck check{rules()};
  EXPECT_THAT([&] { check.samples(samples); }, ThrowsMessage<Error>(HasSubstr(what)));
}

TEST(LaunchRules, AWholeWindowIsAMeasurement) {
  LaunchCheck check{rules()};
  check.cycle({0, 5, 1000});
  check.samples(window());
  EXPECT_NO_THROW(check.launch({}, kAge));
}

TEST(LaunchRules, PartsOfAWindowMayComeInAnyOrder) {
  LaunchCheck check{rules()};
  record::CycleSamples first{0, {{"index", "step_ns"}, {{11, 12}, {1, 1}}}};
  record::CycleSamples second{0, {{"index", "step_ns"}, {{13, 14, 15}, {1, 1, 1}}}};
  check.samples(second);
  check.samples(first);
  EXPECT_NO_THROW(check.launch({}, kAge));
}

TEST(LaunchRules, OnlyTheStepIsNeeded) {
  LaunchCheck check{rules()};
  check.samples({0, {{"step_ns"}, {{1, 2, 3, 4, 5}}}});
  EXPECT_NO_THROW(check.launch({}, kAge));
}

TEST(LaunchRules, PhasesWithoutTheRestMayLeaveSomeOver) {
  LaunchCheck check{rules()};
  EXPECT_NO_THROW(check.samples({0, {{"step_ns", "forward_ns"}, {{10}, {7}}}}));
}

TEST(LaunchRules, ALaunchWithoutSamplesMeasuredNothing) {
  const LaunchCheck check{rules()};
  EXPECT_THAT([&] { check.launch({}, kAge); }, ThrowsMessage<Error>(HasSubstr("no samples")));
}

TEST(LaunchRules, TimesAreNotNegative) {
  record::CycleSamples samples = window();
  samples.steps.find("forward_ns")->at(2) = -1;
  expect_breach(samples, "cycle 0, step 13: forward_ns is negative, -1");
}

TEST(LaunchRules, TimesAreNotAbsurd) {
  record::CycleSamples samples = window();
  samples.steps.find("step_ns")->at(0) = std::int64_t{1} << 62U;
  expect_breach(samples, "cycle 0, step 11: step_ns is out of range");
}

TEST(LaunchRules, PhasesSumToTheStep) {
  record::CycleSamples samples = window();
  samples.steps.find("other_ns")->at(1) = 401;
  expect_breach(samples,
                "cycle 0, step 12: its phases and other_ns sum to 1,001 ns, step_ns is 1,000");
}

TEST(LaunchRules, PhasesDoNotExceedTheStep) {
  expect_breach({0, {{"step_ns", "forward_ns"}, {{10}, {11}}}},
                "cycle 0, step 0 of its window: its phases sum to 11 ns, step_ns is 10");
}

TEST(LaunchRules, ColumnsAreThoseThatTheRunDeclares) {
  expect_breach({0, {{"step_ns", "forwards_ns"}, {{10}, {7}}}},
                "there is no column 'forwards_ns' (did you mean 'forward_ns'?)");
}

TEST(LaunchRules, AWorkerOfALaterProtocolMayHaveOtherColumns) {
  LaunchCheck check{rules()};
  check.hello({{1, protocol::kSupported.max + 1}, "b", "", 1, {}});
  EXPECT_NO_THROW(check.samples({0, {{"step_ns", "later_ns"}, {{10}, {7}}}}));
}

TEST(LaunchRules, StepsComeOnceAndInTheirOrder) {
  record::CycleSamples samples = window();
  samples.steps.find("index")->at(1) = 11;
  expect_breach(samples, "cycle 0: `index` goes from 11 to 11");
  LaunchCheck check{rules()};
  check.samples(window());
  EXPECT_THAT([&] { check.samples(window()); },
              ThrowsMessage<Error>(HasSubstr("steps 11 to 15 were sent before")));
}

TEST(LaunchRules, AWindowHasTheStepsOfTheSchedule) {
  LaunchCheck check{rules()};
  check.samples({0, {{"step_ns"}, {{1, 2, 3}}}});
  EXPECT_THAT([&] { check.launch({}, kAge); },
              ThrowsMessage<Error>(HasSubstr("cycle 0 has 3 steps, schedule.active is 5")));
}

TEST(LaunchRules, AWindowMayHaveOtherStepsWhereTheWorkerSaysSo) {
  LaunchCheck check{rules()};
  check.samples({0, {{"step_ns"}, {{1, 2, 3}}}});
  record::LaunchReport report;
  report.effective = {{"schedule.active", std::int64_t{3}}};
  EXPECT_NO_THROW(check.launch(report, kAge));
}

TEST(LaunchRules, AWindowHasTheStepsThatItsCycleSaid) {
  LaunchCheck check{rules()};
  check.cycle({0, 6, 1000});
  check.samples(window());
  EXPECT_THAT([&] { check.launch({}, kAge); },
              ThrowsMessage<Error>(HasSubstr("cycle 0 was said to have 6 steps, samples of 5")));
}

TEST(LaunchRules, AnAbsurdCycleIsNoCycle) {
  LaunchCheck check{rules()};
  EXPECT_THROW(check.cycle({0, std::int64_t{1} << 62U, 1000}), Error);
  EXPECT_THROW(check.cycle({0, 0, 1000}), Error);
  EXPECT_THROW(check.cycle({-1, 5, 1000}), Error);
  EXPECT_THROW(check.cycle({0, 5, -1}), Error);
}

TEST(LaunchRules, AllCyclesCameOrTheLaunchSaysThatItWasCut) {
  LaunchCheck check{rules(3)};
  check.samples(window(0, 11));
  check.samples(window(1, 31));
  EXPECT_THAT([&] { check.launch({}, kAge); },
              ThrowsMessage<Error>(HasSubstr("2 cycles came, schedule.repeat is 3")));
  EXPECT_NO_THROW(check.launch(cut_report(), kAge));
}

TEST(LaunchRules, TheReportAgreesWithTheSamples) {
  LaunchCheck check{rules()};
  check.samples(window());
  record::LaunchReport report;
  report.schedule = {{"active", std::int64_t{6}}};
  EXPECT_THAT([&] { check.launch(report, kAge); },
              ThrowsMessage<Error>(HasSubstr("schedule.active is 6, samples of 5 steps came")));
  report.schedule = {{"cycles", std::int64_t{2}}};
  EXPECT_THAT([&] { check.launch(report, kAge); },
              ThrowsMessage<Error>(HasSubstr("schedule.cycles is 2, samples of 1 cycle came")));
}

TEST(LaunchRules, StepsAreNotLongerThanTheLifeOfTheirProcess) {
  LaunchCheck check{rules()};
  record::CycleSamples samples = window();
  for (const char* column : {"step_ns", "other_ns"}) {
    for (std::int64_t& ns : *samples.steps.find(column)) ns += 3'600'000'000'000;
  }
  check.samples(samples);
  EXPECT_THAT([&] { check.launch({}, kAge); },
              ThrowsMessage<Error>(HasSubstr("step_ns is in nanoseconds")));
  check.hello({{1, 1}, "b", "", 1, {{"clock", std::string("scripted")}}});
  EXPECT_NO_THROW(check.launch({}, kAge)) << "its clock is none of this machine";
}

TEST(LaunchRules, AFloodHasABoundFromTheSchedule) {
  LaunchCheck check{rules()};
  const std::size_t rows = record::kMaxStepsPerSamplesRow;
  const auto flood = [&] {
    for (std::int64_t cycle = 0; cycle < 100'000; ++cycle) {
      check.samples({cycle, {{"step_ns"}, {std::vector<std::int64_t>(rows, 1)}}});
    }
  };
  EXPECT_THAT(flood, ThrowsMessage<Error>(HasSubstr("far beyond what schedule.active")));
}

TEST(LaunchRules, AProfileHasAScheduleOfItsOwn) {
  LaunchCheck check{
      launch_rules(five_steps(), Pass::kNative, record::ColumnRow{estimate::harness_metrics()})};
  check.samples({0, {{"step_ns"}, {{1, 2, 3}}}});
  EXPECT_NO_THROW(check.launch({}, kAge));
}

}  // namespace
}  // namespace stepbench::run
