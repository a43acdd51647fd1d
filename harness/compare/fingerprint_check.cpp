// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/fingerprint_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "harness/number.h"

namespace stepbench {
namespace {

constexpr double kLimitFp32 = 1e-4;
constexpr double kLimitTf32 = 1e-3;
constexpr double kLimitHalf = 2e-2;

std::string precision_of(const CaseLaunches& one) {
  const auto found = one.first->options.find("model.precision");
  return found == one.first->options.end() || is_null(found->second) ? "fp32"
                                                                     : to_text(found->second);
}

double limit_of(const std::string& precision) {
  if (precision == "bf16" || precision == "fp16") return kLimitHalf;
  return precision == "tf32" ? kLimitTf32 : kLimitFp32;
}

// Of the larger one; a value that is not finite differs from every finite one.
double relative_difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::abs(b - a) / std::max(std::abs(a), std::abs(b));
}

const Fields* fingerprint_of(const CaseLaunches& one) {
  for (const Launch* launch : one.measured) {
    if (!launch->row.report.fingerprint.empty()) return &launch->row.report.fingerprint;
  }
  return nullptr;
}

}  // namespace

std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair) {
  const Fields* base = fingerprint_of(pair.base);
  const Fields* candidate = fingerprint_of(pair.candidate);
  if (base == nullptr || candidate == nullptr) return std::nullopt;
  const std::string a = precision_of(pair.base);
  const std::string b = precision_of(pair.candidate);
  const std::string& coarser = limit_of(a) < limit_of(b) ? b : a;
  std::optional<FingerprintDifference> worst;
  for (const auto& [name, value] : *base) {
    const auto other = candidate->find(name);
    if (other == candidate->end()) continue;
    const auto before = number_of(value);
    const auto after = number_of(other->second);
    if (!before || !after) continue;
    const double relative = relative_difference(*before, *after);
    if (!(relative > limit_of(coarser)) || (worst && worst->relative >= relative)) continue;
    worst = {.name = name,
             .base = *before,
             .candidate = *after,
             .relative = relative,
             .limit = limit_of(coarser),
             .precision = coarser};
  }
  return worst;
}

std::string to_text(const FingerprintDifference& difference) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, " %.6g and %.6g differ by %.1e, more than %.0e for ",
                difference.base, difference.candidate, difference.relative, difference.limit);
  return "the sides do not compute the same: " + difference.name + numbers + difference.precision;
}

}  // namespace stepbench
