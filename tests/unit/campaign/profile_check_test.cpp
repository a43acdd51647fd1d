// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/complete_report.h"

#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

struct Made {
  Pass pass = Pass::kTiming;
  std::int64_t step_ns = 1000;
  double loss = 2.0;
  std::int64_t steps = 60;
  std::string arm = {};
  std::string precision = "fp32";
  std::string device = "cpu";
};

record::Launch launch_of(const Made& made) {
  record::Launch launch;
  launch.row.key = {"a", made.arm, made.pass, 0, 0};
  launch.row.outcome = Outcome::measured();
  launch.row.report.fingerprint["loss"] = made.loss;
  launch.row.report.schedule["steps"] = made.steps;
  launch.row.options["model.precision"] = made.precision;
  launch.row.report.effective["device"] = made.device;
  launch.samples = {{0, {{"step_ns", "flags"}, {{made.step_ns, made.step_ns}, {0, 0}}}}};
  if (made.device != "cpu" &&
      !is_profiling(made.pass)) {  // as on a GPU: events in timed launches only
    launch.samples.front().steps.names.emplace_back("period_device_ns");
    launch.samples.front().steps.columns.push_back({made.step_ns, made.step_ns});
  }
  return launch;
}

record::Launch checked(const Made& profiled, const std::vector<Made>& timed) {
  record::Results finished;
  for (const Made& made : timed) finished.launches.push_back(launch_of(made));
  record::Launch launch = launch_of(profiled);
  check_profile(launch, finished);
  return launch;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ProfileCheck, Overhead_IsReported) {
  // On a device, timed steps have events, profiled ones have not.
  for (const char* device : {"cpu", "cuda:0"}) {
    const record::Launch launch =
        checked({.pass = Pass::kNative, .step_ns = 1200, .device = device},
                {{.step_ns = 900, .device = device},
                 {.step_ns = 1000, .device = device},
                 {.step_ns = 1100, .device = device}});
    EXPECT_DOUBLE_EQ(launch.row.report.metrics.at("profile_overhead").value(), 1.2);
    EXPECT_THAT(launch.row.report.flags, IsEmpty());
  }
  EXPECT_THAT(checked({.step_ns = 5000}, {{}}).row.report.metrics, IsEmpty()) << "of a timed one";
}

TEST(ProfileCheck, MisleadingShares_AreFlagged) {
  const auto flag_of = [](Made profiled, const std::vector<Made>& timed) {
    profiled.pass = Pass::kNative;
    const auto& flags = checked(profiled, timed).row.report.flags;
    return flags.empty() ? std::string() : flags.at(0);
  };
  EXPECT_EQ(flag_of({.step_ns = 1300}, {{}}), "perturbed");
  EXPECT_EQ(flag_of({.loss = 2.1}, {{}}), "profile_mismatch");
  EXPECT_EQ(flag_of({.loss = 2.1, .steps = 12}, {{}}), "") << "after another number of steps";
  EXPECT_EQ(flag_of({.loss = 2.003}, {{}}), "profile_mismatch");
  EXPECT_EQ(flag_of({.loss = 2.003, .precision = "bf16"}, {{.precision = "bf16"}}), "");
  EXPECT_EQ(flag_of({.loss = 2.003}, {{}, {.loss = 2.004}}), "") << "timed ones differ by as much";
  EXPECT_EQ(flag_of({.loss = kNan}, {{}}), "profile_mismatch");
  EXPECT_EQ(flag_of({}, {{.loss = kNan}}), "profile_mismatch");
  EXPECT_EQ(flag_of({.loss = kNan}, {{.loss = kNan}}), "");
}

TEST(ProfileCheck, SameArm_IsCompared) {
  const record::Launch launch =
      checked({.pass = Pass::kNative, .step_ns = 1100, .arm = "b"},
              {{.step_ns = 10, .loss = 5, .arm = "a"}, {.step_ns = 1000, .arm = "b"}});
  EXPECT_DOUBLE_EQ(launch.row.report.metrics.at("profile_overhead").value(), 1.1);
  EXPECT_THAT(launch.row.report.flags, IsEmpty());
}

}  // namespace
}  // namespace stepbench::campaign
