// SPDX-License-Identifier: Apache-2.0
// Was the warm-up long enough? Judged by the active window itself: a warmed-up step does not get
// faster. One that gets slower is another matter, which no warm-up cures. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::schedule {

struct WarmupVerdict {
  enum class Kind : std::uint8_t { kUnknown, kOk, kDrifting, kTooShort };  // on disk by name
  Kind kind = Kind::kUnknown;   // unknown: too few steps for a trend
  std::int64_t more_steps = 0;  // too short: at least so many more warm-up steps
  double change = 0;  // of the step time from the first to the last third: -0.05 = 5 % faster
  bool first_step_slow = false;  // the first step alone stands out
};
constexpr EnumNames<4> names_of(WarmupVerdict::Kind) {
  return {"unknown", "ok", "drifting", "too_short"};
}

// Unknown for a name of a later version.
[[nodiscard]] WarmupVerdict::Kind warmup_kind(std::string_view name);

// The steps of one window, judged by the means of blocks of `block_steps` steps: as many as deliver
// in lockstep. It takes 18 blocks. Blocks that hold a step whose flags are not 0 are left out where
// enough others are there.
[[nodiscard]] WarmupVerdict judge_warmup(std::span<const std::int64_t> step_ns,
                                         std::span<const std::int64_t> flags,
                                         std::int64_t block_steps = 1);

// Of several windows: too short when any is, with the largest hint.
[[nodiscard]] WarmupVerdict worse(const WarmupVerdict& a, const WarmupVerdict& b);

// What more than half of a case's launches say: a trend that only some have is chance. Else ok, or
// unknown where as many could not tell.
[[nodiscard]] WarmupVerdict agreed(std::span<const WarmupVerdict> launches);

// For people: "warm-up too short, at least 12 more steps (...)"; empty when there is nothing to
// say.
[[nodiscard]] std::string describe(const WarmupVerdict& verdict);

}  // namespace stepbench::schedule
