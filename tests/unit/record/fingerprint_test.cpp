// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/comparability.h"

#include "tests/testing.h"

namespace stepbench::verdict {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

Fingerprints of(const std::vector<Fields>& launches) {
  std::vector<record::Launch> made(launches.size());
  std::vector<const record::Launch*> pointers;
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].row.report.fingerprint = launches[i];
    pointers.push_back(&made[i]);
  }
  return fingerprints_of(pointers);
}

TEST(Fingerprints, SeveralLaunches_GiveMedianAndRange) {
  const Fingerprints found = of({{}, {{"loss", 2.0}}, {{"loss", 2.5}}, {{"loss", 1.6}}});
  EXPECT_EQ(found.at("loss").value, 2.0);
  EXPECT_EQ(found.at("loss").low, 1.6);
  EXPECT_EQ(found.at("loss").high, 2.5);
  EXPECT_DOUBLE_EQ(found.at("loss").spread, 0.9 / 2.5);
}

TEST(Fingerprints, NonFiniteLaunch_MakesTheCaseNaN) {
  for (const Value& bad : {Value{}, Value{kNan}, Value{std::numeric_limits<double>::infinity()}}) {
    EXPECT_TRUE(std::isnan(of({{{"loss", 2.0}}, {{"loss", bad}}}).at("loss").value));
    EXPECT_TRUE(std::isnan(of({{{"loss", bad}}, {{"loss", 2.0}}}).at("loss").value));
  }
  EXPECT_EQ(of({{{"loss", std::int64_t{3}}}}).at("loss").value, 3);
}

TEST(Fingerprints, MissingOrText_IsOmitted) {
  const Fingerprints found =
      of({{{"loss", 2.0}, {"note", std::string("x")}}, {{"loss", 2.0}, {"gradient_norm", 1.0}}});
  EXPECT_EQ(found.size(), 1U);
  EXPECT_TRUE(of({}).empty());
}

TEST(RelativeDifference, SpreadLaunches_WidenTheLimit) {
  EXPECT_DOUBLE_EQ(relative_difference(1, 1.25), 0.2);
  EXPECT_EQ(relative_difference(0, 0), 0);
  EXPECT_TRUE(std::isinf(relative_difference(2.3, kNan)));
  EXPECT_TRUE(std::isinf(relative_difference(kNan, 2.3)));
  EXPECT_EQ(relative_difference(kNan, std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(precision_limit("fp32"), 1e-4);
  EXPECT_EQ(same_within(1e-4, 1e-5), 1e-4);
  EXPECT_EQ(same_within(1e-4, 1e-2), 2e-2);
  EXPECT_EQ(same_within(1e-4, std::numeric_limits<double>::infinity()), 1e-4)
      << "launches that diverge widen nothing";
}

}  // namespace
}  // namespace stepbench::verdict
