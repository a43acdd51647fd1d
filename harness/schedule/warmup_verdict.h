// SPDX-License-Identifier: Apache-2.0
// Was the warm-up long enough? Judged by the active window itself: a warmed-up step does not get
// faster. Steps that get slower are drifting, which no warm-up fixes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::schedule {

struct WarmupVerdict {
  enum class Kind : std::uint8_t { kUnknown, kOk, kDrifting, kTooShort };  // on disk by name
  Kind kind = Kind::kUnknown;    // kUnknown: too few steps for a trend
  std::int64_t more_steps = 0;   // if too short: minimum of further warm-up steps
  double change = 0;             // step time, last vs first third: -0.05 = 5 % faster
  bool first_step_slow = false;  // only the first step is an outlier
};
constexpr EnumNames<4> names_of(WarmupVerdict::Kind) {
  return {"unknown", "ok", "drifting", "too_short"};
}

// kUnknown for a name of a later version.
[[nodiscard]] WarmupVerdict::Kind warmup_kind(std::string_view name);

// Judges the steps of one window by means of blocks of `block_steps` steps: the number of workers
// that deliver in lockstep. Needs 18 blocks. Skips blocks with a flagged step if enough others
// remain.
[[nodiscard]] WarmupVerdict judge_warmup(std::span<const std::int64_t> step_ns,
                                         std::span<const std::int64_t> flags,
                                         std::int64_t block_steps = 1);

// Combines windows: too short if either is, with the larger hint.
[[nodiscard]] WarmupVerdict worse(const WarmupVerdict& a, const WarmupVerdict& b);

// The verdict of more than half of a case's launches: a trend in only some is chance. Otherwise ok,
// or unknown if as many were unknown.
[[nodiscard]] WarmupVerdict agreed(std::span<const WarmupVerdict> launches);

// For people: "warm-up too short, at least 12 more steps (...)"; empty if there is nothing to
// report.
[[nodiscard]] std::string describe(const WarmupVerdict& verdict);

}  // namespace stepbench::schedule
