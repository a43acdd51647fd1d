// SPDX-License-Identifier: Apache-2.0
// Results that other projects publish for their own data: perfolizer's Mann-Whitney values
// (computed with R) and the warnings of benchstat.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/stats/order_statistics.h"
#include "harness/stats/rank_tests.h"
#include "tests/unit/stats/go_benchmarks.h"

namespace stepbench::stats {
namespace {

using testing_stats::read_go;

const std::filesystem::path kSeries = testing_stats::public_series();

class PublicAnswers : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kSeries)) {
      GTEST_SKIP() << "the published series are not on this machine: " << kSeries.string();
    }
  }
};

TEST_F(PublicAnswers, PerfolizerMannWhitney_Matches) {
  std::ifstream file(kSeries / "perfolizer" / "mann_whitney_reference.json");
  const auto cases = nlohmann::json::parse(file).at("cases");
  ASSERT_EQ(cases.size(), 28u);
  int exact = 0;
  for (const auto& item : cases) {
    const auto x = item.at("x").get<std::vector<double>>();
    auto y = item.at("y").get<std::vector<double>>();
    const double threshold = item.at("threshold");
    for (double& value : y) value += threshold;
    const double expected = item.at("p_value_one_sided");
    const std::string name = item.at("test").get<std::string>() + " " + std::to_string(threshold);
    const double p = mann_whitney_p_greater(x, y);
    // Printed with four decimals, or by the normal approximation (where ties depend on rounding at
    // threshold -1).
    if (name.starts_with("N3Vs")) {
      EXPECT_NEAR(p, expected, 5e-5) << name;
    } else if (name.starts_with("N30Vs40") && threshold == -1) {
      EXPECT_NEAR(p, expected, 0.01) << name;
    } else if (name.starts_with("N30Vs40") && threshold == -0.5) {
      EXPECT_NEAR(p, 0.906506, 5e-7) << name;
    } else {
      ++exact;
      EXPECT_EQ(mann_whitney(x, y).u, item.at("U").get<double>()) << name;
      EXPECT_NEAR(p / expected, 1, 1e-6) << name;
    }
  }
  EXPECT_EQ(exact, 24);
}

TEST_F(PublicAnswers, TooFewOrEqual_WarnAsBenchstat) {
  const auto folder = kSeries / "golang_benchstat";
  const auto pair = [&](const std::string& file, const std::string& name) {
    return std::pair{read_go(folder / file, "before").at(name),
                     read_go(folder / file, "after").at(name)};
  };
  const auto [one_a, one_b] = pair("smallSample.txt", "X ns/op");
  EXPECT_EQ(mann_whitney(one_a, one_b).p_two_sided, 1);
  EXPECT_FALSE(median_interval(one_a, 0.95).has_value());

  const auto [five_a, five_b] = pair("issue19634.txt", "FloatSub/100-4 ns/op");
  EXPECT_NEAR(mann_whitney(five_a, five_b).p_two_sided, 0.008, 0.0005);
  EXPECT_FALSE(median_interval(five_a, 0.95).has_value());

  const auto [equal_a, equal_b] = pair("issue19565.txt", "A ns/op");
  EXPECT_TRUE(mann_whitney(equal_a, equal_b).all_equal);
  EXPECT_EQ(mann_whitney(equal_a, equal_b).p_two_sided, 1);
}

}  // namespace
}  // namespace stepbench::stats
