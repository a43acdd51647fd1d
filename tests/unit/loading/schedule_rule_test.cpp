// SPDX-License-Identifier: Apache-2.0
// Windows that fit the loader, as planned.
#include "workloads/loader/loader_section.h"

#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "workloads/built_in.h"

namespace stepbench {
namespace {

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

test::Said fit(std::int64_t turns, const ResolvedCase& resolved, const RuleFacts& facts = {}) {
  const auto rule = [turns](ResolvedCase& into, const RuleFacts& of, RuleSink& sink) {
    loader::fit_schedule(turns, into, of, sink);
  };
  return test::said_by(rule, resolved, facts);
}

TEST(ScheduleRule, Window_HoldsWholeTurnsOfWorkers) {
  struct Expected {
    std::int64_t turns, workers, active;
  };
  for (const Expected& expected : {Expected{24, 1, 50}, Expected{24, 2, 50}, Expected{24, 3, 72},
                                   Expected{24, 4, 96}, Expected{24, 8, 192}, Expected{6, 3, 51},
                                   Expected{6, 4, 52}, Expected{6, 8, 56}, Expected{6, 12, 72}}) {
    const ResolvedCase fitted = fit(expected.turns, with_workers(expected.workers)).resolved;
    EXPECT_EQ(steps(fitted, "active"), expected.active) << expected.workers;
    EXPECT_EQ(steps(fitted, "block"), expected.workers);
    const test::Said again = fit(expected.turns, fitted);
    EXPECT_EQ(again.resolved.options, fitted.options) << "it fits";
    EXPECT_THAT(again.notes, IsEmpty());
  }
}

TEST(ScheduleRule, WarmUp_LastsUntilTheQueueIsSteady) {
  const test::Said said = fit(24, with_workers(4, 3));
  EXPECT_EQ(steps(said.resolved, "wait") + steps(said.resolved, "warmup"), 2 * 4 * 3 + 2);
  EXPECT_EQ(steps(said.resolved, "refill"), 26);
  EXPECT_THAT(said.notes, ElementsAre(HasSubstr("at least 24 times it")));
}

TEST(ScheduleRule, LongerSchedule_IsKept) {
  ResolvedCase resolved = with_workers(4);
  resolved.options["schedule.active"] = std::int64_t{400};
  resolved.options["schedule.warmup"] = std::int64_t{100};
  const test::Said said = fit(24, resolved);
  EXPECT_EQ(steps(said.resolved, "active"), 400);
  EXPECT_EQ(steps(said.resolved, "warmup"), 100);
  EXPECT_THAT(said.notes, IsEmpty());
}

TEST(ScheduleRule, AutomaticWindows_FitToo) {
  ResolvedCase resolved = with_workers(4);
  resolved.options["schedule.active"] = std::string("auto");
  resolved.options["schedule.window"] = std::int64_t{50};
  resolved.options["schedule.max_active"] = std::int64_t{60};
  const ResolvedCase fitted = fit(24, resolved).resolved;
  EXPECT_EQ(fitted.text("schedule.active"), "auto");
  EXPECT_EQ(steps(fitted, "window"), 96);
  EXPECT_EQ(steps(fitted, "max_active"), 11 * 96) << "it may stop from the eleventh window on";
}

TEST(ScheduleRule, NoWorkersOrSmoke_ChangesNothing) {
  EXPECT_EQ(fit(24, with_workers(0)).resolved.options, with_workers(0).options);
  ResolvedCase smoke = with_workers(8);
  smoke.options["schedule.active"] = std::int64_t{2};
  const test::Said said = fit(24, smoke, {.smoke = true});
  EXPECT_EQ(steps(said.resolved, "active"), 2);
  EXPECT_THAT(said.notes, IsEmpty());
}

TEST(ScheduleRule, LoaderAlone_NeedsMoreTurns) {
  for (const WorkloadRule& each : built_in_rules()) {
    if (each.workload != "loader") continue;
    const test::Said said = test::said_by(each.rule, with_workers(4), {.cores = 8});
    EXPECT_THAT(said.errors, IsEmpty());
    EXPECT_EQ(steps(said.resolved, "active"), 96);
  }
}

}  // namespace
}  // namespace stepbench
