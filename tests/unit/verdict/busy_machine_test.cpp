// SPDX-License-Identifier: Apache-2.0
// Verdicts of `ab` on a busy machine, by simulation: disturbances of both arms cause no claim and
// do not hide a decisive one. Seeded.
#include "harness/verdict/internal/judge.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::verdict {
namespace {

// Launches with a CV of 1 %, one after the other.
struct World {
  std::string name;
  double drift = 1;       // slow-down of the machine over 80 launches
  double hit = 0;         // share of launches on the core that others use
  double hit_factor = 2;  // slow-down of these
  double on = 1;          // chance that a launch begins or ends such use; 1: always
  double bursts = 0;      // chance that a burst begins: 1 to 6 launches, up to three times as long
  double found = .95;     // share of campaigns that find a change of at least a quarter
};

class BusyMachine {
 public:
  BusyMachine(const World& world, std::uint64_t seed) : world_(world), noise_(seed) {}

  void block(double effect, PairedSamples& samples) {
    const bool b_first = noise_.unit() < .5;
    for (const bool b : {b_first, !b_first, !b_first, b_first}) {
      (b ? samples.candidate : samples.base).push_back(launch() * (b ? effect : 1));
    }
  }

 private:
  double launch() {
    double step = 1e6 * std::exp(.01 * noise_.normal() + std::log(world_.drift) * launches_++ / 80);
    if (world_.on == 1 || noise_.unit() < world_.on) in_use_ = world_.on == 1 || !in_use_;
    if (in_use_ && noise_.unit() < world_.hit) step *= world_.hit_factor;
    if (burst_ == 0 && noise_.unit() < world_.bursts) {
      burst_ = 1 + static_cast<int>(6 * noise_.unit());
      burst_factor_ = 1 + 2 * noise_.unit();
    }
    if (burst_ == 0) return step;
    --burst_;
    return step * burst_factor_;
  }

  const World& world_;
  Noise noise_;
  int launches_ = 0;
  bool in_use_ = false;
  int burst_ = 0;
  double burst_factor_ = 1;
};

const std::array kWorlds = {
    World{.name = "quiet"},
    World{.name = "one core, a tenth", .hit = .1},
    World{.name = "one core, a quarter", .hit = .25, .found = .6},
    World{.name = "one core, half", .hit = .5, .found = .4},
    World{.name = "one core, most", .hit = .8, .hit_factor = 1.3},
    World{.name = "at times", .hit = .5, .hit_factor = 1.6, .on = .05},
    World{.name = "bursts", .bursts = .1},
    World{.name = "drift of 20 %", .drift = 1.2},
    World{.name = "drift of 600 %", .drift = 7},
    World{.name = "all", .drift = 7, .hit = .3, .on = .1, .bursts = .1, .found = .8}};

struct Told {
  double claims = 0, right = 0, ok = 0, covered = 0;  // shares of all campaigns
};

Told reported(const World& world, std::uint64_t seed, double effect) {
  constexpr int kCampaigns = 2000;
  Told all;
  for (int i = 0; i < kCampaigns; ++i) {
    BusyMachine machine(world, seed + static_cast<std::uint64_t>(i));
    PairedSamples samples{.margin = .01};
    TestResult test;
    for (const std::size_t look : {10, 20, 40}) {
      while (samples.base.size() < look) machine.block(effect, samples);
      test = judge({&samples, 1}, rule_of_a_look()).tests[0];
      if (test.verdict != Verdict::kInconclusive) break;
    }
    const Verdict truth = effect > 1 ? Verdict::kRegression : Verdict::kImprovement;
    const bool claim =
        test.verdict == Verdict::kRegression || test.verdict == Verdict::kImprovement;
    all.claims += claim ? 1.0 / kCampaigns : 0;
    all.right += test.verdict == truth ? 1.0 / kCampaigns : 0;
    all.ok += test.verdict == Verdict::kOk ? 1.0 / kCampaigns : 0;
    const bool covers = test.interval.low <= effect - 1 && effect - 1 <= test.interval.high;
    all.covered += covers ? 1.0 / kCampaigns : 0;
  }
  return all;
}

TEST(BusyMachine, EqualOrNear_ClaimsLittle) {
  std::uint64_t seed = 610'000'000;
  for (const World& world : kWorlds) {
    for (const double effect : {1.0, 1.01, .99}) {
      const Told all = reported(world, seed += 10'000, effect);
      RecordProperty(world.name + " " + std::to_string(effect),
                     std::to_string(all.claims) + " ok " + std::to_string(all.ok));
      EXPECT_LE(all.claims, effect == 1 ? .005 : .035) << world.name << ' ' << effect;
      EXPECT_GE(all.covered, .935) << world.name << ' ' << effect;
      EXPECT_LE(all.ok, effect == 1 ? 1 : .04) << world.name << ' ' << effect;
    }
  }
}

TEST(BusyMachine, Decision_IsRight) {
  std::uint64_t seed = 620'000'000;
  for (const World& world : kWorlds) {
    for (const double effect : {1.02, .75, 1.35}) {
      const Told all = reported(world, seed += 10'000, effect);
      RecordProperty(world.name + " " + std::to_string(effect), std::to_string(all.right));
      EXPECT_LE(all.claims - all.right, .002) << world.name << ' ' << effect;
      EXPECT_LE(all.ok, .01) << world.name << ' ' << effect;
      EXPECT_GE(all.right, effect == 1.02 ? 0 : world.found) << world.name << ' ' << effect;
    }
  }
}

}  // namespace
}  // namespace stepbench::verdict
