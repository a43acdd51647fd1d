// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.h"

#include "harness/findings/finding.h"
#include "harness/nights/night.h"
#include "harness/traces/analysis.h"
#include "harness/verdict/comparison.h"

namespace stepbench::report {

document::Tone tone_of(Severity severity) {
  if (severity == Severity::kProblem) return document::Tone::kBad;
  return severity == Severity::kWarning ? document::Tone::kDoubt : document::Tone::kPlain;
}

document::Tone tone_of(traces::IntegrityLevel level) {
  if (level == traces::IntegrityLevel::kError) return document::Tone::kBad;
  return level == traces::IntegrityLevel::kWarning ? document::Tone::kDoubt
                                                   : document::Tone::kPlain;
}

document::Tone tone_of(const verdict::TestResult& test) {
  switch (test.verdict) {
    case verdict::Verdict::kRegression:
    case verdict::Verdict::kInvalid:
    case verdict::Verdict::kNoData:
      return document::Tone::kBad;
    case verdict::Verdict::kSuspect:
      return document::Tone::kDoubt;
    case verdict::Verdict::kImprovement:
      return document::Tone::kGood;
    case verdict::Verdict::kOk:
      return document::Tone::kDim;
    case verdict::Verdict::kInconclusive:
      break;
  }
  return document::Tone::kPlain;
}

document::Tone tone_of(verdict::Verdict verdict) {
  switch (verdict) {
    case verdict::Verdict::kRegression:
    case verdict::Verdict::kInvalid:
    case verdict::Verdict::kNoData:
      return document::Tone::kBad;
    case verdict::Verdict::kSuspect:
    case verdict::Verdict::kInconclusive:
      return document::Tone::kDoubt;
    case verdict::Verdict::kImprovement:
    case verdict::Verdict::kOk:
      break;
  }
  return document::Tone::kGood;
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
