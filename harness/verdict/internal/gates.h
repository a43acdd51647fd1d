// SPDX-License-Identifier: Apache-2.0
// Effects of the machine on a comparison, and the A/A check of a whole campaign. A gate fails, and
// makes the verdict `invalid`, only if the machine may have favoured one arm; the user may allow it
// by the gate's name, which turns the failure into a warning. Noise and drift affect both arms
// alike: they widen the interval, and are reported. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/record/result_file.h"
#include "harness/stats/order_statistics.h"
#include "harness/verdict/internal/case_pairs.h"
#include "harness/verdict/internal/judge.h"

namespace stepbench::verdict {

// Spread between launches of one program that is explained by the finite number of steps in their
// windows, estimated from blocks of steps. Any further spread is due to the machine.

struct WindowSpread {
  double relative_sd = 0;  // of a launch's mean step
  std::int64_t steps = 0;  // per launch
};

// nullopt if the launches have too few steps.
[[nodiscard]] std::optional<WindowSpread> window_spread(
    std::span<const record::Launch* const> launches);

enum class GateState : std::uint8_t { kPassed, kWarning, kFailed };  // written to disk by name
constexpr EnumNames<3> names_of(GateState) { return {"passed", "warning", "failed"}; }

struct Gate {
  std::string name = {};     // "noise", "drift", "load", ...; accepted by --allow
  std::string case_id = {};  // empty: applies to the whole comparison
  GateState state = GateState::kPassed;
  double value = 0;                     // observed value
  std::optional<double> warns_at = {};  // threshold for a warning
  std::optional<double> fails_at = {};  // threshold for a failure; nullopt: never fails
  std::string text = {};                // one sentence with the numbers
  std::string doubt = {};  // its short form, without causes and remedies; empty: the same
  bool allowed = false;
};

// Limits: the noise limit is that of torch.utils.benchmark, the others are choices. Limits on facts
// of the machine are in record/quality.h.
inline constexpr double kNoiseWarns = 0.10;  // interquartile range over median of an arm's launches
inline constexpr double kDriftWarns = 0.02;  // change of step times, first block to last
inline constexpr double kDriftAlpha = 0.05;
inline constexpr double kLabelledWarns = 0.10;  // share of launches that report a fact
inline constexpr double kArmDifferenceAlpha = 0.01;

// Names accepted by --allow: gates that may fail, and "noise" and "drift", which have no effect.
[[nodiscard]] std::span<const std::string_view> gate_names();

// Turns failures of the gates named in `allow` into warnings.
void apply_allowed(std::span<const std::string> allow, std::vector<Gate>& gates);

// Judges one arm's step times, one per launch; ignores values that are not finite. Passes with
// fewer than four launches. `within`: the spread that the windows alone explain; the text says
// whether they are too short or the machine was noisy.
[[nodiscard]] Gate noise_gate(std::span<const double> step_ns, std::string_view arm,
                              const std::optional<WindowSpread>& within = {});

// Drift: the machine became slower or faster during a campaign. Pairs cancel it.

// Mean log step time of each block of one case over both arms, in run order.
[[nodiscard]] std::vector<double> block_levels(const CasePair& pair,
                                               const estimate::StepTimes& times);

// `cases`: block_levels of each. Theil-Sen slope over all cases, scaled from the first block of the
// longest case to its last; reported only if the trend is significant (Mann-Kendall).
[[nodiscard]] Gate drift_gate(std::span<const std::vector<double>> cases);

// Checks whether the machine disturbed one arm more than the other, so that it may have caused a
// difference.
//
// load (CPU time used by other programs), steal, throttling and GPU clocks fail if the arms differ
// by more than chance. Waiting for a CPU and hitting a CPU quota only warn: an arm with more
// threads causes them itself. Covers all cases together; in a sequential design, which confirms
// nothing, all gates only warn. A fact recorded in one arm only also warns. Gates that pass are
// omitted.
[[nodiscard]] std::vector<Gate> machine_gates(std::span<const CasePair> cases, Design design);

// Returns false if the launches of a pair differ in a fact that may fail by far more than two arms
// may: such a pair reflects the machine rather than the programs and is measured again.
[[nodiscard]] bool is_even(const record::LaunchRow& base, const record::LaunchRow& candidate);

// A/A control: a comparison of the launches of arm A with each other.

// Tests whether a campaign would find a difference between identical programs. Splits the launches
// of arm A, in run order, into quads and compares the first and fourth with the second and third;
// as in an ABBA block, linear drift cancels.
struct AaControl {
  enum class State : std::uint8_t { kTooFew, kPassed, kFailed };  // written to disk by name
  State state = State::kTooFew;
  std::size_t pooled_quads = 0;
  double p =
      1;  // signed-rank over all quads, each divided by the robust standard deviation of its case
  // Relative change of A against itself: Hodges-Lehmann over all quads, with its interval; nullopt
  // with too few quads.
  std::optional<double> change = {};
  stats::Interval interval = {};
};
constexpr EnumNames<3> names_of(AaControl::State) {
  return {"too few runs to tell", "passed", "failed"};
}

inline constexpr std::size_t kMinQuads = 20;  // with fewer it never passes

// `cases`: for each case the values of its A launches in run order.
[[nodiscard]] AaControl aa_control(std::span<const std::vector<double>> cases, double alpha = 0.01);

inline constexpr double kControlConfidence = 0.95;  // of `interval`

}  // namespace stepbench::verdict
