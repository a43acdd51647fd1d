// SPDX-License-Identifier: Apache-2.0
// A machine that measures processes: their CV is 1 %, its own level is a random walk of 0.3 % per
// process. With tails, 7 % of them take longer by an exponential of 4 %. The same seed gives the
// same numbers everywhere.
#pragma once

#include "harness/stats/random.h"
#include "harness/verdict/internal/judge.h"
#include "tests/testing.h"
#include "tests/unit/stats/normal_draws.h"

namespace stepbench {

class Machine {
 public:
  explicit Machine(std::uint64_t seed, bool tails = false) : random_(seed), tails_(tails) {}

  // Time of one process in ns; `effect` is a ratio.
  double process(double effect) {
    drift_ += 0.003 * normal();
    const double level = 1e6 * effect * std::exp(drift_ + 0.01 * normal());
    return tails_ && random_.unit() < 0.07 ? level * (1 - 0.04 * std::log(1 - random_.unit()))
                                           : level;
  }

  // Appends one block of two pairs.
  void block(double effect, verdict::PairedSamples& samples) {
    const bool b_first = random_.below(2) == 1;
    for (const bool b : {b_first, !b_first, !b_first, b_first}) {
      (b ? samples.candidate : samples.base).push_back(process(b ? effect : 1));
    }
  }

  verdict::PairedSamples campaign(std::size_t pairs, double effect, double margin = 0) {
    verdict::PairedSamples samples{.margin = margin};
    samples.base.reserve(pairs);
    samples.candidate.reserve(pairs);
    while (samples.base.size() < pairs) block(effect, samples);
    return samples;
  }

 private:
  double normal() { return normals_.next(random_); }

  stats::Random random_;
  bool tails_;
  double drift_ = 0;
  NormalDraws normals_;
};

}  // namespace stepbench
