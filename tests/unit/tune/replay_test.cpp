// SPDX-License-Identifier: Apache-2.0
// The rows of `tune` in the table of results/tune/README.md: the same seeds, the same searches.
#include "tests/unit/tune/replay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

namespace stepbench::tune {
namespace {

constexpr std::uint64_t kSearches = 1000;
constexpr double kRegret = 0.02;

Recording recording(const std::string& name) {
  return read_recording(std::filesystem::path(STEPBENCH_SOURCE_DIR) / "results/tune" /
                        (name + ".csv"));
}

struct Published {
  std::string name;
  double cv;  // 0: as measured
  double good;
  double cost;
};

TEST(TuneReplay, FindsGoodSettingsOfMeasuredGridsAsOftenAsThePageSays) {
  for (const Published& published : {Published{"cuda", 0, 0.311, 0.282},
                                     {"cuda", 0.01, 1, 0.285},
                                     {"cuda", 0.03, 1, 0.283},
                                     {"jpeg", 0, 0.937, 0.279},
                                     {"jpeg", 0.01, 1, 0.284},
                                     {"jpeg", 0.03, 1, 0.284},
                                     {"python", 0, 0.082, 0.298},
                                     {"python", 0.01, 1, 0.299},
                                     {"python", 0.03, 0.824, 0.302},
                                     {"tokens", 0, 0.391, 0.264},
                                     {"tokens", 0.01, 1, 0.266},
                                     {"tokens", 0.03, 0.974, 0.266}}) {
    const Recording grid = recording(published.name);
    const RecordedGrid replayed =
        published.cv > 0 ? with_cv(grid, published.cv) : as_measured(grid);
    double good = 0;
    double cost = 0;
    for (std::uint64_t seed = 1; seed <= kSearches; ++seed) {
      const Replayed search = replay_halving(replayed, seed);
      good += search.regret <= kRegret ? 1.0 / kSearches : 0;
      cost += search.cost / kSearches;
    }
    EXPECT_NEAR(good, published.good, 0.005) << published.name << ' ' << published.cv;
    EXPECT_NEAR(cost, published.cost, 0.005) << published.name << ' ' << published.cv;
  }
}

TEST(TuneReplay, ScalesWhatIsLeftOfLaunchesAndNothingElse) {
  const Recording tokens = recording("tokens");
  const RecordedGrid whole = with_cv(tokens, 0.03);
  ASSERT_EQ(whole.rounds.size(), tokens.rounds.size());
  // Ranks of points by all rounds are those of the recording, and its rounds stay apart.
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
