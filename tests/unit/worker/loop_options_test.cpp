// SPDX-License-Identifier: Apache-2.0
// Defaults of a case, and the loop's options from a schedule.
#include "harness/catalogue/catalogue.h"
#include "harness/worker/internal/check.h"
#include "harness/worker/internal/loop.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

ResolvedCase with(const std::vector<std::pair<std::string, Value>>& schedule) {
  ResolvedCase resolved;
  for (const auto& [name, value] : schedule) resolved.options["schedule." + name] = value;
  fill_defaults(resolved, Catalogue{});
  return resolved;
}

Value steps(std::int64_t count) { return count; }

TEST(LoopOptions, TurnsAndRefill_ComeFromThePlan) {
  const LoopOptions options = loop_options(with({{"block", steps(4)}, {"refill", steps(18)}}), 0);
  EXPECT_EQ(options.block_steps, 4);
  EXPECT_EQ(options.epoch_steps.refill, 18);
  EXPECT_EQ(options.epoch_steps.per_epoch, 0) << "the workload says it";
}

TEST(LoopOptions, OlderController_SetsNeither) {
  ResolvedCase resolved = with({});
  resolved.options["schedule.block"] = Value{};
  resolved.options["schedule.refill"] = Value{};
  const LoopOptions options = loop_options(resolved, 0);
  EXPECT_EQ(options.block_steps, 1);
  EXPECT_EQ(options.epoch_steps.refill, 0);
}

TEST(LoopOptions, AutomaticSchedule_RepeatsItsWindow) {
  const LoopOptions options =
      loop_options(with({{"active", std::string("auto")}, {"window", steps(96)}}), 0);
  EXPECT_TRUE(options.stop.automatic);
  EXPECT_EQ(options.schedule.active, 96);
  EXPECT_EQ(options.schedule.repeat, 0);
}

TEST(LoopOptions, SeveralRanks_HaveNoDeadlineOfTheirOwn) {
  ResolvedCase resolved = with({});
  resolved.options["limits.wall_s"] = 60.0;
  EXPECT_EQ(loop_options(resolved, 0).deadline_ns, 54'000'000'000) << "time is left to report";
  resolved.options["distributed.ranks"] = std::int64_t{2};
  EXPECT_EQ(loop_options(resolved, 0).deadline_ns, std::numeric_limits<std::int64_t>::max())
      << "the controller ends all of them together";
}

TEST(LoopOptions, OnlyAProfile_BeginsOnAnIdleDevice) {
  EXPECT_FALSE(loop_options(with({}), 0).idle_device);
  EXPECT_TRUE(loop_options(with({}), 0, Pass::kNative).idle_device);
}

// The others would block in a collective.
TEST(LoopOptions, SeveralRanks_NeverStopAlone) {
  ResolvedCase resolved = with({});
  resolved.options["limits.wall_s"] = 60.0;
  EXPECT_EQ(loop_options(resolved, 0).deadline_ns, 54'000'000'000);
  resolved.options["distributed.ranks"] = steps(2);
  EXPECT_EQ(loop_options(resolved, 0).deadline_ns, std::numeric_limits<std::int64_t>::max());
}

TEST(LoopOptions, Profile_TakesTheLastSteps) {
  const ResolvedCase resolved =
      with({{"wait", steps(0)}, {"warmup", steps(18)}, {"active", steps(96)}});
  const schedule::Schedule profile = loop_options(resolved, 0, Pass::kNative).schedule;
  EXPECT_EQ(profile.skip_first + profile.warmup + profile.active, 18 + 96);
}

Option option(const std::string& name, Value value) {
  return {.name = name, .doc = "", .default_value = std::move(value)};
}

Catalogue catalogue() {
  Section data{
      .name = "data",
      .doc = "",
      .selector = "kind",
      .options = {option("kind", std::string("small"))},
      .variants = {{.name = "small", .doc = "", .options = {option("size", std::int64_t{1})}},
                   {.name = "large", .doc = "", .options = {option("size", std::int64_t{9})}}}};
  Section other{.name = "other", .doc = "", .options = {option("x", true)}};
  return {{data, other}, {{.name = "w", .doc = "", .sections = {"data"}}}};
}

ResolvedCase filled(const std::string& option, Value value, const Catalogue& known = catalogue()) {
  ResolvedCase resolved;
  resolved.workload = "w";
  resolved.options[option] = std::move(value);
  fill_defaults(resolved, known);
  return resolved;
}

TEST(Defaults, UnnamedOptions_AreFilledIn) {
  const ResolvedCase resolved = filled("schedule.warmup", std::int64_t{3});
  EXPECT_EQ(resolved.integer("schedule.warmup"), 3);
  EXPECT_EQ(resolved.integer("schedule.wait"), 1);
  EXPECT_EQ(resolved.text("data.kind"), "small");
  EXPECT_EQ(resolved.integer("data.size"), 1);
  EXPECT_FALSE(resolved.has("other.x"));
  EXPECT_FALSE(filled("data.size", Value()).has("data.size")) << "null is a value";
}

TEST(Defaults, Variant_SetsThem) {
  Catalogue known = catalogue();
  Option epochs = option("epochs", std::string("joined"));
  epochs.default_in = {{"large", std::string("separate")}};
  known.sections[0].options.push_back(epochs);
  const ResolvedCase large = filled("data.kind", std::string("large"), known);
  EXPECT_EQ(large.integer("data.size"), 9);
  EXPECT_EQ(large.text("data.epochs"), "separate");
  EXPECT_EQ(filled("data.kind", std::string("small"), known).text("data.epochs"), "joined");
}

}  // namespace
}  // namespace stepbench::worker
