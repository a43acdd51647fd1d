// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.h"

#include <array>
#include <cstddef>

#include "harness/findings/finding.h"
#include "harness/nights/night.h"
#include "harness/traces/analysis.h"
#include "harness/traces/compare_traces.h"
#include "harness/verdict/comparison.h"

namespace stepbench::report {

document::Tone tone_of(Severity severity) {
  if (severity == Severity::kProblem) return document::Tone::kBad;
  return severity == Severity::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
}

document::Tone tone_of(traces::DiffLevel level) {
  if (level == traces::DiffLevel::kError) return document::Tone::kBad;
  return level == traces::DiffLevel::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
}

document::Tone tone_of(traces::IntegrityLevel level) {
  if (level == traces::IntegrityLevel::kError) return document::Tone::kBad;
  return level == traces::IntegrityLevel::kWarning ? document::Tone::kDoubt
                                                   : document::Tone::kPlain;
}

// By verdict: regression, improvement, ok, suspect, inconclusive, invalid, no-data.
using ToneOfVerdict = std::array<document::Tone, names_of(verdict::Verdict{}).size()>;

document::Tone tone_of(const verdict::TestResult& test) {
  using enum document::Tone;
  constexpr ToneOfVerdict kTones = {kBad, kGood, kDim, kDoubt, kPlain, kBad, kBad};
  return kTones.at(static_cast<std::size_t>(test.verdict));
}

document::Tone tone_of(verdict::Verdict verdict) {
  using enum document::Tone;
  constexpr ToneOfVerdict kTones = {kBad, kGood, kGood, kDoubt, kDoubt, kBad, kBad};
  return kTones.at(static_cast<std::size_t>(verdict));
}

document::Tone tone_of(verdict::GateState state) {
  if (state == verdict::GateState::kFailed) return document::Tone::kBad;
  return state == verdict::GateState::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
}

document::Tone tone_of(nights::NightState state, bool worse) {
  switch (state) {
    case nights::NightState::kRegression:
    case nights::NightState::kNoData:
      return document::Tone::kBad;
    case nights::NightState::kSuspect:
      return worse ? document::Tone::kDoubt : document::Tone::kGood;
    case nights::NightState::kImprovement:
      return document::Tone::kGood;
    case nights::NightState::kOk:
    case nights::NightState::kNoVerdict:
      break;
  }
  return document::Tone::kPlain;
}

}  // namespace stepbench::report
