// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/html/chart_json.h"

#include <random>

#include "tests/testing.h"

namespace stepbench::report {
namespace {

TEST(ChartNumbers, NonFiniteNumbers_AreNull) {
  json::JsonText json = chart("dots");
  const double values[] = {53.2167891, 1, -2e300, std::numeric_limits<double>::quiet_NaN()};
  add_each(json, "y", values);
  EXPECT_EQ(json.close_object().line(), R"({"chart":"dots","y":[53.2168,1,-2e+300,null]})");
}

TEST(ThinOut, FewPoints_AreKept) {
  EXPECT_THAT(thin_out({}, 10), IsEmpty());
  const double few[] = {3, 1, 2};
  EXPECT_THAT(thin_out(few, 3), ElementsAre(0U, 1U, 2U));
}

TEST(ThinOut, EndsAndExtremes_Stay) {
  std::mt19937 random(20260131);
  for (const std::size_t size : {5U, 17U, 100U, 9999U}) {
    for (const std::size_t points : {4U, 5U, 50U, 1000U}) {
      std::vector<double> values(size);
      for (double& each : values) each = static_cast<double>(random() % 1000);
      const std::size_t spike = 1 + random() % (size - 2);
      values[spike] = 1e6;
      const std::vector<std::size_t> kept = thin_out(values, points);
      EXPECT_LE(kept.size(), std::max(points, std::size_t{4}));
      EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
      EXPECT_EQ(std::adjacent_find(kept.begin(), kept.end()), kept.end()) << "each once";
      EXPECT_EQ(kept.front(), 0U);
      EXPECT_EQ(kept.back(), size - 1);
      EXPECT_THAT(kept, Contains(spike));
      const auto low = std::min_element(values.begin() + 1, values.end() - 1);
      EXPECT_TRUE(
          std::any_of(kept.begin(), kept.end(), [&](std::size_t i) { return values[i] == *low; }));
    }
  }
}

}  // namespace
}  // namespace stepbench::report
