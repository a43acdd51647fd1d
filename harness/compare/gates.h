// SPDX-License-Identifier: Apache-2.0
// What a machine did to a comparison. A gate fails, and makes the verdict `invalid`, only where it
// may have favoured one arm; the user may allow that by the gate's name, and then it warns. Noise
// and drift meet both arms alike: they widen the interval, and are told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/compare/case_pairs.h"
#include "harness/compare/judge.h"
#include "harness/compare/window_spread.h"
#include "harness/estimate/step_times.h"

namespace stepbench::compare {

enum class GateState : std::uint8_t { kPassed, kWarning, kFailed };  // written to disk by name
constexpr EnumNames<3> names_of(GateState) { return {"passed", "warning", "failed"}; }

struct Gate {
  std::string name = {};     // "noise", "drift", "load", ...: what --allow takes
  std::string case_id = {};  // empty: of the whole comparison
  GateState state = GateState::kPassed;
  double value = 0;                     // what was seen
  std::optional<double> warns_at = {};  // beyond which it warns
  std::optional<double> fails_at = {};  // beyond which it fails; nullopt: it only warns
  std::string text = {};                // one sentence with the numbers
  bool allowed = false;
};

// Limits: statistics of torch.utils.benchmark for noise; others are choices. Those of what a
// machine did stand in record/quality.h.
inline constexpr double kNoiseWarns = 0.10;  // interquartile range over median of an arm's launches
inline constexpr double kDriftWarns = 0.02;  // of step times, first block to last
inline constexpr double kDriftAlpha = 0.05;
inline constexpr double kLabelledWarns = 0.10;  // of the launches, told of a fact of their machine
inline constexpr double kApartAlpha = 0.01;

// What --allow takes: gates that may fail, and "noise" and "drift", which do nothing.
[[nodiscard]] std::span<const std::string_view> gate_names();

// Fails become warnings where `allow` names them.
void apply_allowed(std::span<const std::string> allow, std::vector<Gate>& gates);

// Of one arm's step times, by launch; what is no number is left out. Passes with fewer than four
// launches. `within`: what their windows alone explain; the text says whether these are too short
// or the machine was noisy.
[[nodiscard]] Gate noise_gate(std::span<const double> step_ns, std::string_view arm,
                              const std::optional<WindowSpread>& within = {});

// Drift: whether the machine became slower or faster while a campaign ran. Pairs cancel it.

// Mean log step time of each block of one case, both arms alike, in run order.
[[nodiscard]] std::vector<double> block_levels(const CasePair& pair,
                                               const estimate::StepTimes& times);

// `cases`: block_levels of each. Theil-Sen slope over all cases, from the first block of the
// longest to its last; it counts only where the levels rise or fall more than chance would
// (Mann-Kendall).
[[nodiscard]] Gate drift_gate(std::span<const std::vector<double>> cases);

// What the machine did to the launches of two arms, and whether it did it to one of them more than
// to the other: then a difference may be the machine's.
//
// load (CPU time that others used), steal, throttling and clocks of the GPU may fail where the arms
// differ by more than chance. Waiting for a CPU and a quota that hit only warn: an arm with more
// threads brings them upon itself. Over all cases; in a sequential design, which confirms nothing,
// all of them only warn. What was watched in one arm alone warns. Gates that have nothing to say
// are left out.
[[nodiscard]] std::vector<Gate> machine_gates(std::span<const CasePair> cases, Design design);

// False of a pair of launches that differ in what may fail by far more than two arms may: it says
// more of the machine than of the programs, and is measured again.
[[nodiscard]] bool is_even(const record::LaunchRow& base, const record::LaunchRow& candidate);

}  // namespace stepbench::compare
