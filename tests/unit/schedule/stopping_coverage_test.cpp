// SPDX-License-Identifier: Apache-2.0
// The promises of `active: auto`, by simulation: how often its interval includes the true time per
// step, and how often the estimate is off. Seeded; 2,000 launches per kind of step.
#include <ostream>

#include "harness/schedule/schedule.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::schedule {
namespace {

constexpr int kLaunches = 2000;

// Steps of one launch, in order; their true mean is 1.
using Steps = std::function<double(Noise&)>;

struct Kind {
  std::string name;
  std::function<Steps()> launch;
  double least_coverage;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) { return out << kind.name; }

Steps even() {
  return [](Noise& draws) { return 1 + 0.02 * draws.normal(); };
}

Steps with_an_exponential_tail() {
  return [](Noise& draws) {
    constexpr double kMean = 1.05;
    return (1 + 0.02 * draws.normal() + (draws.unit() < 0.05 ? -std::log(1 - draws.unit()) : 0)) /
           kMean;
  };
}

Steps autocorrelated() {
  return [last = 0.0](Noise& draws) mutable {
    last = 0.5 * last + 0.05 * draws.normal();
    return 1 + last;
  };
}

// Four workers: one step waits, three find their batch ready.
Steps in_lockstep() {
  return [turn = 0](Noise& draws) mutable {
    return turn++ % 4 == 0 ? 4 * (1 + 0.1 * draws.normal()) : 0.0;
  };
}

class Automatic : public testing::TestWithParam<Kind> {};

TEST_P(Automatic, Interval_HoldsTheMean) {
  constexpr std::int64_t kWindow = 48;
  const StopRule rule{.cycles = 1, .automatic = true, .precision = 0.01};
  Noise draws(20);
  int held = 0;
  int far = 0;
  int out_of_steps = 0;
  for (int launch = 0; launch < kLaunches; ++launch) {
    const Steps step = GetParam().launch();
    std::vector<double> means;
    double sum = 0;
    StopVerdict verdict;
    while (!verdict.stop) {
      double window = 0;
      for (std::int64_t i = 0; i < kWindow; ++i) window += step(draws);
      sum += window;
      means.push_back(window / static_cast<double>(kWindow));
      const auto cycles = static_cast<std::int64_t>(means.size());
      verdict = stop_after(rule, cycles, cycles * kWindow, means);
    }
    out_of_steps += verdict.stop == StopReason::kCount ? 1 : 0;
    held += verdict.interval->low <= 1 && 1 <= verdict.interval->high ? 1 : 0;
    far += std::abs(sum / static_cast<double>(means.size() * kWindow) - 1) > 0.015 ? 1 : 0;
  }
  const double coverage = static_cast<double>(held) / kLaunches;
  RecordProperty("coverage_percent", std::to_string(100 * coverage));
  RecordProperty("beyond_one_and_a_half_percent", std::to_string(100.0 * far / kLaunches));
  EXPECT_LE(out_of_steps, kLaunches / 50)
      << "what is told is told of launches that stop by precision";
  EXPECT_GE(coverage, GetParam().least_coverage);
  EXPECT_LE(far, kLaunches / 20) << "95 % of the estimates are within 1.5 times the precision";
}

INSTANTIATE_TEST_SUITE_P(Steps, Automatic,
                         testing::Values(Kind{"even", even, 0.92},
                                         Kind{"exponential_tail", with_an_exponential_tail, 0.85},
                                         Kind{"autocorrelated", autocorrelated, 0.92},
                                         Kind{"lockstep", in_lockstep, 0.90}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace stepbench::schedule
