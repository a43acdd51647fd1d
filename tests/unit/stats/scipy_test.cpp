// SPDX-License-Identifier: Apache-2.0
// Our results over a grid of samples, checked by scipy in one Python process.
#include <chrono>
#include <nlohmann/json.hpp>

#include "harness/os/process.h"
#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"
#include "harness/stats/random.h"
#include "harness/stats/trend.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::stats {
namespace {

using nlohmann::json;

json answers(const std::vector<double>& x, const std::vector<double>& y) {
  const SignedRank rank = signed_rank(x);
  const MannWhitney unpaired = mann_whitney(x, y);
  const HodgesLehmann centre = hodges_lehmann(x, 0.95);
  json item{{"x", x}, {"y", y}};
  item["signed_rank"] = {rank.w, rank.p_two_sided};
  item["mann_whitney"] = {unpaired.u, unpaired.p_two_sided};
  item["mann_whitney_exact"] = unpaired.exact;
  item["hodges_lehmann"] = centre.centre;
  item["quantiles"] = {quantile(x, 0.1), median(x), quantile(x, 0.975)};
  item["theil_sen"] = theil_sen_slope(x);
  std::vector<double> p_values;
  for (const double value : y) p_values.push_back(1 / (1 + std::exp(3 * value)));
  item["p_values"] = p_values;
  item["adjusted"] = benjamini_hochberg(p_values).adjusted;
  return item;
}

// Sizes on both sides of the border between exact and approximate, with continuous and with
// coarsely rounded values.
json grid() {
  json items = json::array();
  Random random(20260131);
  const auto draw = [&](std::size_t n, double shift, double step) {
    std::vector<double> values(n);
    for (double& value : values) {
      value = random.unit() + random.unit() + random.unit() - 1.5 + shift;
      if (step > 0) value = std::round(value / step) * step;
    }
    return values;
  };
  for (const std::size_t n : {3, 5, 6, 7, 10, 20, 33, 50, 51, 80}) {
    for (const std::size_t m : {4, 6, 9, 20, 50, 60}) {
      for (const double shift : {0.0, 0.3, -1.0}) {
        for (const double step : {0.0, 0.25}) {
          items.push_back(answers(draw(n, shift, step), draw(m, 0, step)));
        }
      }
    }
  }
  return items;
}

TEST(Scipy, GridOfSamples_Agrees) {
  const fs::path python = fs::path(STEPBENCH_SOURCE_DIR) / ".venv" / "bin" / "python";
  if (!fs::exists(python)) GTEST_SKIP() << "no .venv: run tools/setup --tests";
  const test::TemporaryFolder folder;
  const fs::path file = folder / "grid.json";
  std::ofstream(file) << grid();
  const os::CommandResult checked =
      os::run_command({python.string(),
                       STEPBENCH_SOURCE_DIR "/tests/unit/stats/check_with_scipy.py", file.string()},
                      "", std::chrono::minutes(10));
  EXPECT_EQ(checked.exit_status, 0) << checked.reason << checked.err;
  EXPECT_NE(checked.out.find("360 samples agree"), std::string::npos) << checked.out;
}

}  // namespace
}  // namespace stepbench::stats
