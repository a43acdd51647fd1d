// SPDX-License-Identifier: Apache-2.0
// Numbers of a worker that cannot be a measurement are named; valid ones are accepted.
#include "harness/run/internal/launch_rules.h"

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/columns.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

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

using Cycles = std::vector<record::CycleSamples>;

// The error in the windows of `cycles` cycles and the report; "" for a measurement.
std::string breach_of(const Cycles& windows, const record::LaunchReport& report = {},
                      std::int64_t cycles = 1) {
  LaunchCheck check{rules(cycles)};
  return test::error_of([&] {
    for (const record::CycleSamples& samples : windows) check.samples(samples);
    check.launch(report, kAge);
  });
}

record::CycleSamples changed(const char* column, std::size_t row, std::int64_t value) {
  record::CycleSamples samples = window();
  samples.steps.find(column)->at(row) = value;
  return samples;
}

record::LaunchReport report_with(Fields schedule, Fields effective = {}) {
  record::LaunchReport report;
  report.schedule = std::move(schedule);
  report.effective = std::move(effective);
  return report;
}

TEST(LaunchRules, ValidSamples_AreAMeasurement) {
  const std::int64_t three = 3;
  EXPECT_EQ(breach_of({window()}), "");
  EXPECT_EQ(breach_of({{0, {{"index", "step_ns"}, {{13, 14, 15}, {1, 1, 1}}}},
                       {0, {{"index", "step_ns"}, {{11, 12}, {1, 1}}}}}),
            "")
      << "parts come in any order";
  EXPECT_EQ(breach_of({{0, {{"step_ns"}, {{1, 2, 3, 4, 5}}}}}), "") << "only the step is needed";
  EXPECT_EQ(breach_of({{0, {{"step_ns", "forward_ns"}, {{9, 9, 9, 9, 9}, {7, 7, 7, 7, 9}}}}}), "")
      << "phases without the rest may leave some over";
  EXPECT_EQ(
      breach_of({{0, {{"step_ns"}, {{1, 2, 3}}}}}, report_with({}, {{"schedule.active", three}})),
      "")
      << "it says that it measured otherwise";
  EXPECT_EQ(breach_of({window(0, 11), window(1, 31)}, cut_report(), 3), "");
}

TEST(LaunchRules, InvalidSamples_AreNamed) {
  const auto expect = [](const Cycles& windows, const char* what,
                         const record::LaunchReport& report = {}, std::int64_t cycles = 1) {
    EXPECT_THAT(breach_of(windows, report, cycles), HasSubstr(what));
  };
  expect({}, "no samples");
  expect({changed("forward_ns", 2, -1)}, "cycle 0, step 13: forward_ns is negative, -1");
  expect({changed("step_ns", 0, std::int64_t{1} << 62U)},
         "cycle 0, step 11: step_ns is out of range");
  expect({changed("other_ns", 1, 401)},
         "cycle 0, step 12: its phases and other_ns sum to 1,001 ns, step_ns is 1,000");
  expect({{0, {{"step_ns", "forward_ns"}, {{10}, {11}}}}},
         "cycle 0, step 0 of its window: its phases sum to 11 ns, step_ns is 10");
  expect({{0, {{"step_ns", "forwards_ns"}, {{10}, {7}}}}},
         "there is no column 'forwards_ns' (did you mean 'forward_ns'?)");
  expect({changed("index", 1, 11)}, "cycle 0: `index` goes from 11 to 11");
  expect({window(), window()}, "steps 11 to 15 were sent before");
  expect({{0, {{"step_ns"}, {{1, 2, 3}}}}}, "cycle 0 has 3 steps, schedule.active is 5");
  expect({window(0, 11), window(1, 31)}, "2 cycles came, schedule.repeat is 3", {}, 3);
  expect({window()}, "schedule.active is 6, samples of 5 steps came",
         report_with({{"active", std::int64_t{6}}}));
  expect({window()}, "schedule.cycles is 2, samples of 1 cycle came",
         report_with({{"cycles", std::int64_t{2}}}));
}

TEST(LaunchRules, LaterProtocol_MayHaveOtherColumns) {
  LaunchCheck check{rules()};
  check.hello({{1, protocol::kSupported.max + 1}, "b", "", 1, {}});
  EXPECT_NO_THROW(check.samples({0, {{"step_ns", "later_ns"}, {{10}, {7}}}}));
}

TEST(LaunchRules, Window_HasTheAnnouncedSteps) {
  for (const std::int64_t said : {5, 6}) {
    LaunchCheck check{rules()};
    check.cycle({0, said, 1000});
    check.samples(window());
    if (said == 5) {
      EXPECT_NO_THROW(check.launch({}, kAge));
    } else {
      EXPECT_THAT(
          [&] { check.launch({}, kAge); },
          ThrowsMessage<Error>(HasSubstr("cycle 0 was announced with 6 steps, samples of 5")));
    }
  }
  LaunchCheck check{rules()};
  for (const protocol::CycleMessage& absurd : std::vector<protocol::CycleMessage>{
           {0, std::int64_t{1} << 62U, 1000}, {0, 0, 1000}, {-1, 5, 1000}, {0, 5, -1}}) {
    EXPECT_THROW(check.cycle(absurd), Error);
  }
}

TEST(LaunchRules, Steps_AreNoLongerThanTheProcess) {
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

TEST(LaunchRules, Flood_IsBoundedByTheSchedule) {
  LaunchCheck check{rules()};
  const std::size_t rows = record::kMaxStepsPerSamplesRow;
  const auto flood = [&] {
    for (std::int64_t cycle = 0; cycle < 100'000; ++cycle) {
      check.samples({cycle, {{"step_ns"}, {std::vector<std::int64_t>(rows, 1)}}});
    }
  };
  EXPECT_THAT(flood, ThrowsMessage<Error>(HasSubstr("far beyond what schedule.active")));
}

TEST(LaunchRules, Profile_HasItsOwnSchedule) {
  LaunchCheck check{
      launch_rules(five_steps(), Pass::kNative, record::ColumnRow{estimate::harness_metrics()})};
  check.samples({0, {{"step_ns"}, {{1, 2, 3}}}});
  EXPECT_NO_THROW(check.launch({}, kAge));
}

}  // namespace
}  // namespace stepbench::run
