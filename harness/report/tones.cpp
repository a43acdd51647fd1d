// SPDX-License-Identifier: Apache-2.0
#include "harness/report/tones.h"

#include "harness/analyze/diff.h"
#include "harness/analyze/integrity.h"
#include "harness/compare/comparison.h"
#include "harness/findings/finding.h"
#include "harness/nights/night.h"

namespace stepbench::report {

document::Tone tone_of(Severity severity) {
  if (severity == Severity::kProblem) return document::Tone::kBad;
  return severity == Severity::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
}

document::Tone tone_of(analyze::DiffLevel level) {
  if (level == analyze::DiffLevel::kError) return document::Tone::kBad;
  return level == analyze::DiffLevel::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
}

document::Tone tone_of(analyze::IntegrityLevel level) {
  if (level == analyze::IntegrityLevel::kError) return document::Tone::kBad;
  return level == analyze::IntegrityLevel::kWarning ? document::Tone::kDoubt
                                                    : document::Tone::kPlain;
}

document::Tone tone_of(const compare::TestResult& test) {
  switch (test.verdict) {
    case compare::Verdict::kRegression:
    case compare::Verdict::kInvalid:
    case compare::Verdict::kNoData:
      return document::Tone::kBad;
    case compare::Verdict::kSuspect:
      return document::Tone::kDoubt;
    case compare::Verdict::kImprovement:
      return document::Tone::kGood;
    case compare::Verdict::kOk:
      return document::Tone::kDim;
    case compare::Verdict::kInconclusive:
      break;
  }
  return document::Tone::kPlain;
}

document::Tone tone_of(compare::Verdict verdict) {
  switch (verdict) {
    case compare::Verdict::kRegression:
    case compare::Verdict::kInvalid:
    case compare::Verdict::kNoData:
      return document::Tone::kBad;
    case compare::Verdict::kSuspect:
    case compare::Verdict::kInconclusive:
      return document::Tone::kDoubt;
    case compare::Verdict::kImprovement:
    case compare::Verdict::kOk:
      break;
  }
  return document::Tone::kGood;
}

document::Tone tone_of(compare::GateState state) {
  if (state == compare::GateState::kFailed) return document::Tone::kBad;
  return state == compare::GateState::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
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
