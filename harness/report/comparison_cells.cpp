// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison_cells.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

#include "harness/stats/effect_size.h"
#include "harness/text/numbers.h"

namespace stepbench {
namespace {

std::string needed_text(std::size_t pairs) {
  if (pairs > kMaxPairsNeeded) return ">" + std::to_string(kMaxPairsNeeded);
  return "~" + std::to_string(pairs);
}

}  // namespace

std::string compared_value(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  if (unit == "ns") return duration(value);
  if (unit == "bytes") return byte_text(value);
  return significant(value);
}

std::string change_text(const TestResult& test) {
  return test.change ? signed_percent(*test.change) + " %" : "?";
}

std::string interval_text_of(const TestResult& test) {
  if (!test.change || !std::isfinite(test.interval.high)) return "-";
  return '[' + signed_percent(test.interval.low) + ", " + signed_percent(test.interval.high) + ']';
}

std::string adjusted_p_text(double p) {
  if (std::isnan(p)) return "-";
  if (p < 0.001) return "<0.001";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.3f", p);
  return text.data();
}

std::string verdict_text(const TestResult& test, const std::string& unit) {
  std::string text(name_of(test.verdict));
  switch (test.verdict) {
    case Verdict::kSuspect:
      text += test.slower ? ": worse" : ": better";
      break;
    case Verdict::kInconclusive:
      if (test.reason == TestReason::kTooFewPairs) {
        text += ": needs at least 6 " + unit + ", better 20";
      } else if (test.pairs_needed) {
        text += ": " + std::string(words_of(test.reason));
        if (!words_of(test.reason).empty()) text += ", ";
        text += "needs " + needed_text(*test.pairs_needed) + ' ' + unit;
      }
      break;
    case Verdict::kNoData:
    case Verdict::kInvalid:
      if (test.reason != TestReason::kNone) text += ": " + std::string(words_of(test.reason));
      break;
    case Verdict::kRegression:
    case Verdict::kImprovement:
    case Verdict::kOk:
      break;
  }
  return text;
}

Tint tint_of(const TestResult& test) {
  switch (test.verdict) {
    case Verdict::kRegression:
    case Verdict::kInvalid:
    case Verdict::kNoData:
      return Tint::kFailed;
    case Verdict::kSuspect:
      return test.slower ? Tint::kFailed : Tint::kBest;
    case Verdict::kImprovement:
      return Tint::kBest;
    case Verdict::kOk:
      return Tint::kDim;
    case Verdict::kInconclusive:
      return Tint::kNone;
  }
  return Tint::kNone;
}

}  // namespace stepbench
