// SPDX-License-Identifier: Apache-2.0
// Windows that fit the loader, as the plan makes them.
#include "workloads/loader/schedule_rule.h"

#include <gmock/gmock.h>

#include "tests/unit/loading/case.h"
#include "workloads/built_in.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Said final : RuleSink {
  void error(std::string_view option, std::string reason) override {
    errors.push_back(std::string(option) + ": " + reason);
  }
  void skip(std::string) override {}
  void note(std::string text) override {
    if (!text.starts_with("num_workers")) notes.push_back(std::move(text));
  }
  std::vector<std::string> errors, notes;
};

ResolvedCase with_workers(std::int64_t workers, std::int64_t prefetch_factor = 2) {
  ResolvedCase resolved = test::loader_case(
      {{"loader.num_workers", workers}, {"loader.prefetch_factor", prefetch_factor}});
  resolved.workload = "loader";
  const OptionValues schedule{
      {"schedule.wait", std::int64_t{1}},    {"schedule.warmup", std::int64_t{10}},
      {"schedule.active", std::int64_t{50}}, {"schedule.window", Value{}},
      {"schedule.block", std::int64_t{1}},   {"schedule.refill", std::int64_t{0}}};
  for (const auto& [name, value] : schedule) resolved.options[name] = value;
  return resolved;
}

std::int64_t steps(const ResolvedCase& resolved, const std::string& name) {
  return resolved.integer("schedule." + name);
}

TEST(ScheduleRule, AWindowHoldsManyWholeTurnsOfTheWorkers) {
  struct Expected {
    std::int64_t turns, workers, active;
  };
  for (const Expected& expected : {Expected{24, 1, 50}, Expected{24, 2, 50}, Expected{24, 3, 72},
                                   Expected{24, 4, 96}, Expected{24, 8, 192}, Expected{6, 3, 51},
                                   Expected{6, 4, 52}, Expected{6, 8, 56}, Expected{6, 12, 72}}) {
    ResolvedCase resolved = with_workers(expected.workers);
    Said said;
    loader::fit_schedule(expected.turns, resolved, {}, said);
    EXPECT_EQ(steps(resolved, "active"), expected.active) << expected.workers;
    EXPECT_EQ(steps(resolved, "active") % expected.workers, 0);
    EXPECT_EQ(steps(resolved, "block"), expected.workers);
  }
}

TEST(ScheduleRule, TheWarmUpLastsUntilTheQueueStandsAsItWill) {
  ResolvedCase resolved = with_workers(4, 3);
  Said said;
  loader::fit_schedule(24, resolved, {}, said);
  EXPECT_EQ(steps(resolved, "wait") + steps(resolved, "warmup"), 2 * 4 * 3 + 2);
  EXPECT_EQ(steps(resolved, "refill"), 26);
  EXPECT_THAT(said.notes, ElementsAre(HasSubstr("at least 24 times it")));
}

TEST(ScheduleRule, ALongerScheduleStaysAsItIsAndNothingIsSaid) {
  ResolvedCase resolved = with_workers(4);
  resolved.options["schedule.active"] = std::int64_t{400};
  resolved.options["schedule.warmup"] = std::int64_t{100};
  Said said;
  loader::fit_schedule(24, resolved, {}, said);
  EXPECT_EQ(steps(resolved, "active"), 400);
  EXPECT_EQ(steps(resolved, "warmup"), 100);
  EXPECT_THAT(said.notes, IsEmpty());
}

TEST(ScheduleRule, WhatFitsIsNotChangedASecondTime) {
  ResolvedCase once = with_workers(6);
  Said said;
  loader::fit_schedule(24, once, {}, said);
  ResolvedCase twice = once;
  Said second;
  loader::fit_schedule(24, twice, {}, second);
  EXPECT_EQ(twice.options, once.options);
  EXPECT_THAT(second.notes, IsEmpty());
}

TEST(ScheduleRule, WindowsOfAnAutomaticScheduleFitToo) {
  ResolvedCase resolved = with_workers(4);
  resolved.options["schedule.active"] = std::string("auto");
  resolved.options["schedule.window"] = std::int64_t{50};
  resolved.options["schedule.max_active"] = std::int64_t{60};
  Said said;
  loader::fit_schedule(24, resolved, {}, said);
  EXPECT_EQ(resolved.text("schedule.active"), "auto");
  EXPECT_EQ(steps(resolved, "window"), 96);
  EXPECT_EQ(steps(resolved, "max_active"), 11 * 96) << "it may stop from the eleventh window on";
}

TEST(ScheduleRule, WithoutWorkersAndInASmokeRunNothingChanges) {
  ResolvedCase inline_case = with_workers(0);
  const ResolvedCase before = inline_case;
  Said said;
  loader::fit_schedule(24, inline_case, {}, said);
  EXPECT_EQ(inline_case.options, before.options);
  ResolvedCase smoke = with_workers(8);
  smoke.options["schedule.active"] = std::int64_t{2};
  loader::fit_schedule(24, smoke, {.smoke = true}, said);
  EXPECT_EQ(steps(smoke, "active"), 2);
  EXPECT_THAT(said.notes, IsEmpty());
}

TEST(ScheduleRule, TheLoaderAloneNeedsMoreTurnsThanAStepThatTakesItsBatches) {
  ResolvedCase resolved = with_workers(4);
  Said said;
  for (const WorkloadRule& rule : built_in_rules()) {
    if (rule.workload == "loader") rule.rule(resolved, {.cores = 8}, said);
  }
  EXPECT_THAT(said.errors, IsEmpty());
  EXPECT_EQ(steps(resolved, "active"), 96);
}

}  // namespace
}  // namespace stepbench
