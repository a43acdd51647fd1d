// SPDX-License-Identifier: Apache-2.0
// How often a table names one best case although there is none, or a wrong one, by drawn tables of
// launches. Seeded.
#include "harness/estimate/ranking.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::estimate {
namespace {

constexpr int kRankedTables = 1000;

// Time relative to the typical one. With tails, 7 % of the launches take longer by an exponential
// of 4 %.
double drawn_launch(Noise& noise, bool tails) {
  const double level = std::exp(0.01 * noise.normal());
  return tails && noise.unit() < 0.07 ? level * (1 - 0.04 * std::log(1 - noise.unit())) : level;
}

struct Winners {
  double sole = 0;   // share of tables with a single best case
  double wrong = 0;  // of these, not the first one
};

// `apart`: how much longer each case takes than the previous one.
Winners winners(std::size_t cases, int launches, bool tails, double apart, std::uint64_t seed) {
  Noise noise(seed);
  Winners shares;
  for (int table = 0; table < kRankedTables; ++table) {
    record::Results made;
    for (int number = 0; number < launches; ++number) {
      double factor = 1;
      for (std::size_t i = 0; i < cases; ++i, factor *= 1 + apart) {
        const double step = 1e6 * factor * drawn_launch(noise, tails);
        record::Launch one = made_launch({"step_ns"}, {{std::llround(step)}});
        one.row.key.case_id = "case" + std::to_string(i);
        one.row.key.launch = number;
        made.launches.push_back(std::move(one));
      }
    }
    const std::vector<CaseRow> rows = case_rows(made);
    const auto ranking = rank(rows);
    const bool sole = ranking && ranking->decided && ranking->ties.empty();
    shares.sole += sole;
    shares.wrong += sole && rows[ranking->best].case_id != "case0";
  }
  return {shares.sole / kRankedTables, shares.wrong / kRankedTables};
}

TEST(Ranking, EqualCases_SeldomNameABest) {
  std::uint64_t seed = 28'001;
  for (const bool tails : {false, true}) {
    for (const std::size_t cases : {2, 5, 20}) {
      for (const int launches : {6, 10, 20}) {
        const std::string what = std::to_string(cases) + "_cases_" + std::to_string(launches) +
                                 (tails ? "_launches_tails" : "_launches");
        const Winners equal = winners(cases, launches, tails, 0, ++seed);
        const Winners apart = winners(cases, launches, tails, 0.01, ++seed);
        RecordProperty("sole_among_equal_" + what, std::to_string(equal.sole));
        RecordProperty("wrong_at_one_percent_" + what, std::to_string(apart.wrong));
        EXPECT_LE(equal.sole, 0.01) << what;
        EXPECT_LE(apart.wrong, 0.002) << what;
      }
    }
  }
  EXPECT_GE(winners(5, 20, false, 0.03, ++seed).sole, 0.95) << "what is so far apart is told";
}

}  // namespace
}  // namespace stepbench::estimate
