// SPDX-License-Identifier: Apache-2.0
// The samples that are judged: one metric of one case in both arms, its usable values, and launches
// that cost far more than the others of their side. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/rows.h"

namespace stepbench::compare {

// interleaved: the arms took turns in one campaign. sequential: one arm was measured after the
// other, so that drift of the machine looks like a change; such a comparison confirms nothing.
enum class Design : std::uint8_t { kInterleaved, kSequential };
constexpr EnumNames<2> names_of(Design) { return {"interleaved", "sequential"}; }

// Every value is one process. If the arms took turns, equal indexes form a pair, and surplus values
// of the longer arm are used only by unpaired figures; in a sequential design all values count.
struct PairedSamples {
  std::vector<double> base = {};
  std::vector<double> candidate = {};
  Direction direction = Direction::kLowerIsBetter;
  double margin = 0.01;  // largest relative change that does not matter
  bool exact = false;    // a count that should not vary
  bool zeros = false;    // 0 is a valid value, not a sign of failure
};

// Finite values that are valid for a time, rate or count; selected by pairs if the sides took
// turns.

struct UsableSamples {
  std::vector<double> base = {};  // in an interleaved design equal indexes form a pair
  std::vector<double> candidate = {};
  std::vector<double> all_base = {};  // paired or unpaired
  std::vector<double> all_candidate = {};
  std::size_t dropped = 0;  // dropped pairs, or values in a sequential design
};
[[nodiscard]] UsableSamples usable_samples(const PairedSamples& samples, Design design);

// Represents -log(0); a log ratio above kNoPercentage compares a value with zero.
inline constexpr double kFromZero = 1000;
inline constexpr double kNoPercentage = 100;
[[nodiscard]] double log_of(double value);

// -1 if higher is better: multiplied by it, a larger log ratio is worse.
[[nodiscard]] double sign_of(Direction direction);

// Log ratio of each pair; larger is worse.
[[nodiscard]] std::vector<double> log_differences(const UsableSamples& usable, Direction direction);

// Slow launches: users notice them, but the shift of the typical launch does not show them.

struct SlowLaunches {
  std::size_t base = 0;  // slow launches of `base_launches`
  std::size_t base_launches = 0;
  std::size_t candidate = 0;
  std::size_t candidate_launches = 0;
  double excess = 0;  // median excess of slow launches over their side's median: 0.9 = 90 %
  double p = 1;       // Fisher's exact test of equal shares
};

// `base` and `candidate`: cost of each launch, larger is worse. A launch is slow if it exceeds the
// median of its side by 5 % and by five robust standard deviations, pooled over both sides.
[[nodiscard]] SlowLaunches slow_launches(std::span<const double> base,
                                         std::span<const double> candidate);

// "4 of 40 launches of the candidate and none of 40 of the base stand out as worse, by 98 % in the
// middle (that both have as many: p 0.12)"
[[nodiscard]] std::string to_text(const SlowLaunches& slow);

}  // namespace stepbench::compare
