// SPDX-License-Identifier: Apache-2.0
// The tables of results/DECISIONS.md on a search for a commit, on fresh seeds: prints them and
// checks the page's promises.
#include <cstdio>
#include <random>

#include "tests/testing.h"
#include "tests/unit/bisect/simulated.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kTrials = 400;
constexpr std::size_t kCommits = 64;

struct Row {
  double not_reproduced = 0;  // shares of all trials
  double named = 0;
  double likely = 0;
  double ranges = 0;
  double undecided = 0;
  double right = 0;  // of the named
  double likely_right = 0;
  double ranges_right = 0;
  double commits = 0;    // in a range
  double elsewhere = 0;  // of the named: reported that more is elsewhere
  double builds = 0;
  std::size_t launches = 0;  // median, and 95 %
  std::size_t launches_95 = 0;
};

double share(double part, double all) { return all > 0 ? 100 * part / all : 0; }

// `second`: a second step of the same size at another place.
template <typename MakeWorld>
Row row_of(const std::string& what, const MakeWorld& make_world) {
  static std::mt19937_64 seeds(std::random_device{}());
  Row sum;
  std::vector<std::size_t> launches;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const World world = make_world(seeds);
    const Lived lived = live(world, seeds());
    launches.push_back(lived.launches);
    sum.builds += static_cast<double>(lived.builds);
    bool holds = false;
    for (std::size_t at = lived.places.first; at <= lived.places.last; ++at) {
      holds = holds || world.steps[at] > 0;
    }
    switch (lived.answer) {
      case SearchAnswer::kFound:
        ++sum.named;
        sum.right += holds;
        sum.elsewhere += lived.elsewhere && lived.elsewhere->size > 0;
        break;
      case SearchAnswer::kLikely:
        ++sum.likely;
        sum.likely_right += holds;
        break;
      case SearchAnswer::kRange:
        ++sum.ranges;
        sum.ranges_right += holds;
        sum.commits += static_cast<double>(lived.places.last - lived.places.first + 1);
        break;
      case SearchAnswer::kNotReproduced:
        ++sum.not_reproduced;
        break;
      default:
        ++sum.undecided;
    }
  }
  std::sort(launches.begin(), launches.end());
  Row row{.not_reproduced = share(sum.not_reproduced, kTrials),
          .named = share(sum.named, kTrials),
          .likely = share(sum.likely, kTrials),
          .ranges = share(sum.ranges, kTrials),
          .undecided = share(sum.undecided, kTrials),
          .right = share(sum.right, sum.named),
          .likely_right = share(sum.likely_right, sum.likely),
          .ranges_right = share(sum.ranges_right, sum.ranges),
          .commits = sum.ranges > 0 ? sum.commits / sum.ranges : 0,
          .elsewhere = share(sum.elsewhere, sum.named),
          .builds = sum.builds / kTrials,
          .launches = launches[kTrials / 2],
          .launches_95 = launches[kTrials * 95 / 100]};
  std::printf(
      "| %s | %.1f | %.1f | %.1f | %.1f, %.0f | %.1f, %.0f (%.0f) | %.1f | %.1f | %zu, %zu | %.0f "
      "|\n",
      what.c_str(), row.not_reproduced, row.named, row.right, row.likely, row.likely_right,
      row.ranges, row.ranges_right, row.commits, row.undecided, row.elsewhere, row.launches,
      row.launches_95, row.builds);
  std::fflush(stdout);
  return row;
}

std::string percent(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%g %%", 100 * value);
  return text;
}

struct Kind {
  double layout;
  double cv;
  bool heavy;
};

Row one_culprit(const Kind& kind, double step) {
  const std::string what = percent(kind.layout) + " | " + percent(kind.cv) +
                           (kind.heavy ? " heavy" : "") + " | " + percent(step);
  return row_of(what, [&](std::mt19937_64& seeds) {
    World world = one_step(kCommits, 1 + seeds() % kCommits, step, kind.cv);
    world.heavy_tails = kind.heavy;
    world.layout = kind.layout;
    return world;
  });
}

TEST(BisectSimulation, DrawnSteps_FindDocumentedShares) {
  std::printf(
      "| layout | launches vary by | step | not reproduced | named | of these right | likely, "
      "right | "
      "a range, right (commits) | not decided | more elsewhere, of the named | launches, 95 %% | "
      "builds |\n");
  for (const double layout : {0.0, 0.005, 0.01}) {
    for (const auto& [cv, heavy] : {std::pair(0.01, false), {0.01, true}, {0.003, false}}) {
      for (const double step : {0.01, 0.015, 0.02, 0.03, 0.05}) {
        const Row row = one_culprit({layout, cv, heavy}, step);
        if (step >= 2 * layout && row.named >= 10) {
          EXPECT_GE(row.right, 97);
        }
        if (step >= 2 * layout && row.ranges >= 3) {
          EXPECT_GE(row.ranges_right, 90);
        }
        const bool half_a_percent = layout == 0.005 && cv == 0.01 && !heavy;
        if (half_a_percent && step == 0.03) {
          EXPECT_GE(row.named, 95);
          EXPECT_LE(row.launches_95, 340U);
        }
        if (half_a_percent && step == 0.02) {
          EXPECT_GE(row.named, 62);
        }
        if (layout == 0.01 && cv == 0.01 && step == 0.03) {
          EXPECT_GE(row.named, 65);
        }
        // Wrong names among all searches, for steps of any size.
        EXPECT_LE(row.named * (100 - row.right) / 100, 2) << step;
      }
    }
  }
}

TEST(BisectSimulation, TwoCulprits_NamesOne) {
  for (const double step : {0.01, 0.015, 0.02, 0.03, 0.05}) {
    const Row row = row_of("0.5 % | 1 % | two of " + percent(step), [&](std::mt19937_64& seeds) {
      World world = one_step(kCommits, 1 + seeds() % kCommits, step, 0.01);
      world.steps[1 + seeds() % kCommits] = step;
      world.layout = 0.005;
      return world;
    });
    if (row.named >= 10) {
      EXPECT_GE(row.right, 95);
    }
    if (step == 0.05) {
      EXPECT_GE(row.elsewhere, 80);
    }
  }
}

TEST(BisectSimulation, BrokenCommits_KeepCulpritInRange) {
  const Row row = row_of("0.5 % | 1 % | 3 %, a tenth is broken", [&](std::mt19937_64& seeds) {
    World world = one_step(kCommits, 1 + seeds() % kCommits, 0.03, 0.01);
    world.layout = 0.005;
    for (std::size_t place = 1; place < kCommits; ++place) {
      if (seeds() % 10 == 0) world.broken.insert(place);
    }
    return world;
  });
  EXPECT_GE(row.named, 70);
  EXPECT_GE(row.right, 98);
  EXPECT_GE(row.ranges_right, 98);
}

}  // namespace
}  // namespace stepbench::bisect
