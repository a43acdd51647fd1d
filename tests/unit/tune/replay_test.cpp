// SPDX-License-Identifier: Apache-2.0
// The rows of `tune` in the table of results/tune/README.md, by the same seeds and searches.
#include "tests/unit/tune/replay.h"
#include "tests/testing.h"

namespace stepbench::tune {
namespace {

constexpr std::uint64_t kSearches = 1000;
constexpr double kRegret = 0.02;

Recording recording(const std::string& name) {
  return read_recording(fs::path(STEPBENCH_SOURCE_DIR) / "results/tune" / (name + ".csv"));
}

struct Published {
  std::string name;
  double cv;  // 0: as measured
  double good;
  double cost;
};

TEST(TuneReplay, RecordedGrids_GiveTheDocumentedShares) {
  for (const Published& published : {Published{"cuda", 0, 0.220, 0.333},
                                     {"cuda", 0.01, 1, 0.323},
                                     {"cuda", 0.03, 1, 0.325},
                                     {"jpeg", 0, 0.891, 0.321},
                                     {"jpeg", 0.01, 1, 0.327},
                                     {"jpeg", 0.03, 1, 0.327},
                                     {"python", 0, 0.049, 0.334},
                                     {"python", 0.01, 1, 0.328},
                                     {"python", 0.03, 0.881, 0.330},
                                     {"tokens", 0, 0.382, 0.311},
                                     {"tokens", 0.01, 1, 0.303},
                                     {"tokens", 0.03, 0.985, 0.305}}) {
    const Recording grid = recording(published.name);
    const RecordedGrid replayed =
        published.cv > 0 ? with_cv(grid, published.cv) : as_measured(grid);
    double good = 0;
    double cost = 0;
    for (std::uint64_t seed = 1; seed <= kSearches; ++seed) {
      const Replayed search = replay_tune(replayed, seed);
      good += search.regret <= kRegret ? 1.0 / kSearches : 0;
      cost += search.cost / kSearches;
    }
    EXPECT_NEAR(good, published.good, 0.005) << published.name << ' ' << published.cv;
    EXPECT_NEAR(cost, published.cost, 0.005) << published.name << ' ' << published.cv;
  }
}

TEST(TuneReplay, ScaledNoise_KeepsRanksAndRounds) {
  const Recording tokens = recording("tokens");
  const RecordedGrid whole = with_cv(tokens, 0.03);
  ASSERT_EQ(whole.rounds.size(), tokens.rounds.size());
  // Ranks of points over all rounds equal those of the recording, and differences between its
  // rounds stay.
  Recording scaled = tokens;
  scaled.rounds = whole.rounds;
  const RecordedGrid again = with_cv(scaled, 0.03);
  for (std::size_t point = 0; point < whole.truth.size(); ++point) {
    EXPECT_NEAR(again.truth[point], whole.truth[point], 1e-9);
  }
  double before = 0;
  double after = 0;
  for (std::size_t point = 0; point < whole.truth.size(); ++point) {
    before += tokens.rounds[7][point].step - tokens.rounds[1][point].step;
    after += whole.rounds[7][point].step - whole.rounds[1][point].step;
  }
  EXPECT_NEAR(before, after, 1e-9);
}

}  // namespace
}  // namespace stepbench::tune
