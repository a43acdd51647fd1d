// SPDX-License-Identifier: Apache-2.0
#include "harness/record/quality.h"

#include "tests/testing.h"

namespace stepbench::record {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
const LaunchReport kNone;

FactLevel level_of(Fact fact, std::optional<double> value) { return row_of(fact).level(value); }

TEST(Quality, EachLevel_StartsAtItsThreshold) {
  for (const FactRow& row : facts()) {
    EXPECT_EQ(&row, &row_of(row.fact)) << row.name;
    EXPECT_EQ(row.level(std::nullopt), FactLevel::kNotWatched) << row.name;
    EXPECT_EQ(row.level(0), FactLevel::kFine) << row.name;
    EXPECT_TRUE(row.seen <= row.reported && row.reported <= row.doubtful &&
                row.doubtful <= row.unusable)
        << row.name;
    const std::pair<double, FactLevel> levels[] = {{row.seen, FactLevel::kSeen},
                                                   {row.reported, FactLevel::kReported},
                                                   {row.doubtful, FactLevel::kDoubtful},
                                                   {row.unusable, FactLevel::kUnusable}};
    for (const auto& [from, level] : levels) {
      if (std::isinf(from)) continue;
      const double least = from > 0 ? from : 1e-9;
      EXPECT_GE(row.level(least), level) << row.name << ' ' << from;
      EXPECT_GE(row.level(2 * least), level) << row.name << ' ' << from;
      EXPECT_LT(row.level(from > 0 ? from * 0.999 : 0), level) << row.name << ' ' << from;
    }
  }
}

// The levels are pinned: a change changes what users see.
TEST(Quality, Levels_ArePinned) {
  EXPECT_EQ(level_of(Fact::kWaited, 0.0099), FactLevel::kFine);
  EXPECT_EQ(level_of(Fact::kWaited, 0.01), FactLevel::kReported);
  EXPECT_EQ(level_of(Fact::kWaited, 0.05), FactLevel::kDoubtful);
  EXPECT_EQ(level_of(Fact::kWaited, 0.25), FactLevel::kUnusable);
  EXPECT_EQ(level_of(Fact::kOthers, 0.01), FactLevel::kSeen);
  EXPECT_EQ(level_of(Fact::kOthers, 0.05), FactLevel::kReported);
  EXPECT_EQ(level_of(Fact::kOthers, 0.10), FactLevel::kDoubtful);
  EXPECT_EQ(level_of(Fact::kOthers, 0.50), FactLevel::kUnusable);
  EXPECT_EQ(level_of(Fact::kSteal, 0.01), FactLevel::kDoubtful);
  EXPECT_EQ(level_of(Fact::kSteal, 0.10), FactLevel::kUnusable);
  EXPECT_EQ(level_of(Fact::kQuota, 1e-9), FactLevel::kDoubtful);
  EXPECT_EQ(level_of(Fact::kThrottled, 1), FactLevel::kDoubtful);
  EXPECT_EQ(level_of(Fact::kClock, 1980), FactLevel::kFine);
  EXPECT_EQ(level_of(Fact::kPagedIn, 3), FactLevel::kSeen);
  EXPECT_EQ(level_of(Fact::kGrowth, 65535), FactLevel::kFine);
  EXPECT_EQ(level_of(Fact::kGrowth, 65536), FactLevel::kReported);
}

struct Reading {
  const char* name;
  Fact fact;
  Fields machine;
  std::optional<double> value;
  std::int64_t wall_ns = kSecondNs;
};

TEST(Quality, EachFact_IsReadOrNotWatched) {
  const Value ns = std::int64_t{50'000'000};
  const Fields windows = {{"window_ns", std::int64_t{500}},
                          {"window_run_queue_wait_ns", std::int64_t{10}}};
  Fields both = windows;
  both["run_queue_wait_ns"] = ns;
  const Reading readings[] = {
      {"in windows", Fact::kWaited, both, 0.02},
      {"in its life", Fact::kWaited, {{"run_queue_wait_ns", ns}}, 0.05},
      {"a life of no length", Fact::kWaited, {{"run_queue_wait_ns", ns}}, {}, 0},
      {"windows that nobody saw", Fact::kWaited, {{"window_ns", std::int64_t{500}}}, {}},
      {"others", Fact::kOthers, {{"others_cpu_share", 0.2}}, 0.2},
      {"steal", Fact::kSteal, {{"steal_share", 0.2}}, 0.2},
      {"quota", Fact::kQuota, {{"cgroup_throttled_ns", ns}}, 0.05},
      {"not slowed down", Fact::kThrottled, {{"gpu.throttled", std::string("no")}}, 0},
      {"slowed down", Fact::kThrottled, {{"gpu.throttled", std::string("power brake")}}, 1},
      {"capped", Fact::kPowerCap, {{"gpu.power_capped_share", 0.5}}, 0.5},
      {"clock", Fact::kClock, {{"gpu.sm_mhz_median", 1980.0}}, 1980},
      {"a GPU that is there", Fact::kLost, {{"gpu.samples", std::int64_t{3}}}, 0},
      {"a lost GPU", Fact::kLost, {{"gpu.lost", true}}, 1},
      {"errors", Fact::kMemoryErrors, {{"gpu.memory_errors", std::int64_t{2}}}, 2},
      {"no errors", Fact::kMemoryErrors, {{"gpu.ecc", true}}, 0},
      {"errors that nobody counts", Fact::kMemoryErrors, {{"gpu.ecc", false}}, {}}};
  for (const Reading& reading : readings) {
    const Quality quality(reading.machine, kNone, reading.wall_ns);
    EXPECT_EQ(quality.value(reading.fact), reading.value) << reading.name;
    EXPECT_EQ(quality.level(reading.fact) == FactLevel::kNotWatched, !reading.value)
        << reading.name;
  }
  for (const FactRow& row : facts()) {
    EXPECT_EQ(Quality({}, {}, kSecondNs).level(row.fact), FactLevel::kNotWatched) << row.name;
  }
  LaunchReport report;
  report.metrics = {{"major_faults", 3.0}};
  EXPECT_EQ(Quality({}, report, kSecondNs).value(Fact::kPagedIn), 3);
}

TEST(Quality, GrowingMemory_IsMoreThanFillingUp) {
  const Fields machine = {{"window_growth_bytes", std::int64_t{50'000'000}}};
  LaunchReport report;
  report.schedule = {{"active", std::int64_t{50}}};
  EXPECT_FALSE(Quality(machine, report, kSecondNs).value(Fact::kGrowth));
  report.metrics = {{std::string(kJobPeak), 1e9}};
  EXPECT_EQ(Quality(machine, report, kSecondNs).value(Fact::kGrowth), 1e6) << "a step";
  const Fields scattered = {{"window_growth_bytes", std::int64_t{50'000'000}},
                            {"window_own_growth_bytes", std::int64_t{40'000'000}}};
  EXPECT_EQ(Quality(scattered, report, kSecondNs).value(Fact::kGrowth), 1e6) << "an older worker";
  report.metrics["held_growth_bytes"] = 25e6;
  EXPECT_EQ(Quality(scattered, report, kSecondNs).value(Fact::kGrowth), .7e6);
  report.metrics["held_growth_bytes"] = -5e6;
  EXPECT_EQ(Quality(scattered, report, kSecondNs).value(Fact::kGrowth), 0) << "10 of 1000 MB";
  report.metrics = {{std::string(kJobPeak), 3e9}};
  EXPECT_EQ(Quality(machine, report, kSecondNs).value(Fact::kGrowth), 0);
}

TEST(Quality, RequestedLoad_ExplainsTheWait) {
  Fields machine = {{"run_queue_wait_ns", kSecondNs / 2}, {"background_cpus", 1.8}};
  const auto reported = [&] { return Quality(machine, {}, kSecondNs).reported(Fact::kWaited); };
  EXPECT_FALSE(reported()) << "others are not known";
  machine["others_cpu_share"] = 0.049;
  EXPECT_FALSE(reported());
  machine["others_cpu_share"] = 0.05;
  EXPECT_TRUE(reported()) << "others ran beside it";
  machine.erase("background_cpus");
  machine.erase("others_cpu_share");
  EXPECT_TRUE(reported()) << "nobody asked for it";
}

TEST(Quality, FlagWithoutNumber_IsReported) {
  LaunchReport report;
  report.flags = {"steal", "drifting"};
  const Fields machine;
  const Quality quality(machine, report, kSecondNs);
  EXPECT_TRUE(quality.reported(Fact::kSteal));
  EXPECT_EQ(quality.value(Fact::kSteal), std::nullopt);
  EXPECT_FALSE(quality.reported(Fact::kQuota));
}

TEST(Quality, Flags_AreInTheSchema) {
  std::ostringstream schema;
  schema << std::ifstream(STEPBENCH_SOURCE_DIR "/results/SCHEMA.md").rdbuf();
  for (const FactRow& row : facts()) {
    for (const std::string_view name : {row.name, row.flag}) {
      if (name.empty()) continue;
      EXPECT_NE(schema.str().find('`' + std::string(name) + '`'), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace stepbench::record
