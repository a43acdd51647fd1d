// SPDX-License-Identifier: Apache-2.0
// The bound on how much slower than the best, checked on drawn tables with a known best. Seeded.
#include "harness/estimate/ranking.h"

#include "harness/run/agenda.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::estimate {
namespace {

enum class Kind { kNormal, kHeavy, kSkewed, kUnequal };

double draw(Noise& noise, Kind kind, bool best) {
  const double z = noise.normal();
  if (kind == Kind::kHeavy) {  // Student's t with 5 degrees of freedom
    double squares = 0;
    for (int i = 0; i < 5; ++i) squares += std::pow(noise.normal(), 2);
    return z / std::sqrt(squares / 5) / std::sqrt(5.0 / 3);
  }
  if (kind == Kind::kSkewed) {
    constexpr double kVariance = 0.75 * 0.75;
    return (std::exp(0.75 * z) - std::exp(kVariance / 2)) /
           std::sqrt((std::exp(kVariance) - 1) * std::exp(kVariance));
  }
  return kind == Kind::kUnequal && best ? 4 * z : z;
}

struct Table {
  std::size_t cases = 2;
  int rounds = 6;
  Kind kind = Kind::kNormal;
  double apart = 0;  // of neighbouring cases, in the logarithm
  double of_round = 0.02;
};

std::vector<std::vector<RoundTime>> drawn(const Table& table, Noise& noise) {
  std::vector<std::vector<RoundTime>> cases(table.cases);
  for (int round = 0; round < table.rounds; ++round) {
    const double of_round = table.of_round * noise.normal();
    for (std::size_t i = 0; i < table.cases; ++i) {
      const double level = table.apart * static_cast<double>(i);
      cases[i].push_back({round, level + of_round + 0.01 * draw(noise, table.kind, i == 0)});
    }
  }
  return cases;
}

// Share of tables in which every bound holds.
double share_held(const Table& table, std::uint64_t seed) {
  constexpr int kTables = 200;
  Noise noise(seed);
  int held = 0;
  for (int i = 0; i < kTables; ++i) {
    const std::vector<double> bounds = best_bounds(drawn(table, noise));
    bool all = bounds.size() == table.cases;
    for (std::size_t each = 0; all && each < table.cases; ++each) {
      all = bounds[each] >= std::expm1(table.apart * static_cast<double>(each)) - 1e-12;
    }
    held += all;
  }
  return static_cast<double>(held) / kTables;
}

// Share of tables of eight cases in which every bound holds, on a machine that becomes 5 % slower
// in six rounds. Each case is one percent slower than the next one.
double share_held_under_drift(bool in_turns, std::uint64_t seed) {
  constexpr std::size_t kCases = 8;
  constexpr int kRounds = 6;
  constexpr double kDrift = 0.05 / (kCases * kRounds);
  constexpr int kTables = 400;
  Noise noise(seed);
  int held = 0;
  for (int table = 0; table < kTables; ++table) {
    run::ListAgenda agenda(std::vector<run::ListedCase>(kCases, {"", kRounds}), Pass::kTiming,
                           seed + static_cast<std::uint64_t>(table), {});
    std::vector<std::vector<RoundTime>> cases(kCases);
    const auto slower = [](std::size_t i) { return 0.01 * static_cast<double>(kCases - 1 - i); };
    int at = 0;
    while (const auto job = agenda.next({})) {
      const std::size_t i = in_turns ? job->case_index : static_cast<std::size_t>(at) % kCases;
      cases[i].push_back({job->block, slower(i) + kDrift * at++ + 0.002 * noise.normal()});
    }
    const std::vector<double> bounds = best_bounds(cases);
    bool all = true;
    for (std::size_t i = 0; i < kCases; ++i) all = all && bounds[i] >= std::expm1(slower(i));
    held += all;
  }
  return static_cast<double>(held) / kTables;
}

TEST(BestBound, Drift_HoldsWhenCasesAlternate) {
  EXPECT_GE(share_held_under_drift(true, 71), 0.93);
  EXPECT_LT(share_held_under_drift(false, 71), 0.5) << "in one order the first always looks faster";
}

TEST(BestBound, AllBounds_HoldInNineteenOfTwenty) {
  std::uint64_t seed = 83'100;
  for (const Kind kind : {Kind::kNormal, Kind::kHeavy, Kind::kSkewed, Kind::kUnequal}) {
    for (const std::size_t cases : {2, 5, 10, 50}) {
      for (const int rounds : {6, 20}) {
        const double apart = cases == 5 ? 0.002 : 0;
        const double share = share_held({cases, rounds, kind, apart}, ++seed);
        EXPECT_GE(share, kind == Kind::kUnequal ? 0.90 : 0.92)
            << static_cast<int>(kind) << ' ' << cases << " cases, " << rounds << " rounds";
      }
    }
  }
}

double middle_bound(const Table& table, std::uint64_t seed) {
  constexpr int kTables = 60;
  Noise noise(seed);
  std::vector<double> all;
  for (int i = 0; i < kTables; ++i) {
    const std::vector<double> bounds = best_bounds(drawn(table, noise));
    all.insert(all.end(), bounds.begin(), bounds.end());
  }
  std::nth_element(all.begin(), all.begin() + std::ssize(all) / 2, all.end());
  return all[all.size() / 2];
}

TEST(BestBound, FiftyEqualCases_NarrowWithRounds) {
  const double six = middle_bound({.cases = 50, .rounds = 6}, 83'200);
  const double twenty = middle_bound({.cases = 50, .rounds = 20}, 83'201);
  EXPECT_GT(six, 0.020);
  EXPECT_LT(six, 0.031);
  EXPECT_GT(twenty, 0.010);
  EXPECT_LT(twenty, 0.017);
}

TEST(BestBound, CommonSlowdown_DoesNotWidenIt) {
  Noise noise(83'300);
  std::vector<std::vector<RoundTime>> quiet = drawn({.cases = 5, .rounds = 8}, noise);
  std::vector<std::vector<RoundTime>> busy = quiet;
  for (auto& each : busy) {
    for (RoundTime& time : each) time.log_time += time.round % 2 == 0 ? 0.5 : 0;
  }
  const std::vector<double> a = best_bounds(quiet);
  const std::vector<double> b = best_bounds(busy);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

TEST(BestBound, MissingLaunch_IsNoSlowRound) {
  Noise noise(83'301);
  std::vector<std::vector<RoundTime>> cases = drawn({.cases = 4, .rounds = 12}, noise);
  for (auto& each : cases) {
    for (RoundTime& time : each) time.log_time += 0.1 * time.round;  // a machine that slows down
  }
  cases[1].pop_back();  // its slowest launch
  for (const double bound : best_bounds(cases)) EXPECT_LT(bound, 0.03);
}

TEST(BestBound, SingleCaseOrFiveRounds_HaveNoBound) {
  Noise noise(83'302);
  EXPECT_TRUE(best_bounds(drawn({.cases = 1, .rounds = 10}, noise)).empty());
  EXPECT_TRUE(best_bounds(drawn({.cases = 3, .rounds = 5}, noise)).empty());
}

// The bound is shown only where the cases do not all tie. That selects no tables in which it fails.
TEST(BestBound, ShownTables_KeepTheBound) {
  constexpr std::size_t kCases = 5;
  Noise noise(83'304);
  for (const double apart : {0.004, 0.006, 0.01}) {
    int shown = 0;
    int held = 0;
    for (int table = 0; table < 400; ++table) {
      const std::vector<std::vector<RoundTime>> times =
          drawn({.cases = kCases, .apart = apart, .of_round = 0.002}, noise);
      record::Results made;
      made.runs.push_back({.run_id = "a"});
      for (std::size_t i = 0; i < kCases; ++i) {
        for (const RoundTime& time : times[i]) {
          const std::int64_t step_ns = std::llround(1e8 * std::exp(time.log_time));
          record::Launch one = made_launch({"step_ns"}, {{step_ns, step_ns}});
          one.row.key.case_id = "case" + std::to_string(i);
          one.row.key.launch = time.round;
          made.launches.push_back(std::move(one));
        }
      }
      std::vector<CaseRow> rows = case_rows(made);
      compare_with_best(rows);
      if (!rows.front().at_most_slower) continue;
      ++shown;
      bool all = true;
      for (std::size_t i = 0; i < kCases; ++i) {
        const double slower = std::expm1(apart * static_cast<double>(i));
        all = all && *rows[i].at_most_slower >= slower - 1e-9;
      }
      held += all;
    }
    EXPECT_GT(shown, 40) << apart;
    EXPECT_GE(held, 0.93 * shown) << apart << ": " << held << " of " << shown;
  }
}

TEST(BestBound, OnlyOneRun_HasABound) {
  const auto results = [](std::size_t runs) {
    record::Results made;
    Noise noise(83'303);
    for (std::size_t run = 0; run < runs; ++run)
      made.runs.push_back({.run_id = std::string(1, static_cast<char>('a' + run))});
    for (int launch = 0; launch < 8; ++launch) {
      for (std::size_t i = 0; i < 2; ++i) {
        const double step = 1e6 * (i == 0 ? 1 : 1.05) * (1 + 0.005 * noise.normal());
        record::Launch one = made_launch({"step_ns"}, {{std::llround(step), std::llround(step)}});
        one.row.key.case_id = i == 0 ? "aaaa" : "bbbb";
        one.row.key.launch = launch;
        one.run = runs == 2 ? i : 0;
        made.launches.push_back(std::move(one));
      }
    }
    return made;
  };
  const record::Results together = results(1);
  std::vector<CaseRow> rows = case_rows(together);
  compare_with_best(rows);
  ASSERT_TRUE(rows[0].at_most_slower && rows[1].at_most_slower);
  EXPECT_EQ(*rows[0].at_most_slower, 0) << "the other one is slower for certain";
  EXPECT_NEAR(*rows[1].at_most_slower, 0.055, 0.012);
  const record::Results apart = results(2);
  rows = case_rows(apart);
  compare_with_best(rows);
  EXPECT_FALSE(rows[0].at_most_slower) << "launches of two runs did not take turns";
}

}  // namespace
}  // namespace stepbench::estimate
