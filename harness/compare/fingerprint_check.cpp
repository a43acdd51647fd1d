// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/fingerprint_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/record/fingerprint.h"

namespace stepbench {
namespace {

struct Sides {
  explicit Sides(const CasePair& pair)
      : base(fingerprints_of(pair.base.measured)),
        candidate(fingerprints_of(pair.candidate.measured)) {}
  Fingerprints base;
  Fingerprints candidate;
};

std::string coarser_precision(const CasePair& pair) {
  const std::string a = precision_of(*pair.base.first);
  const std::string b = precision_of(*pair.candidate.first);
  return precision_limit(a) < precision_limit(b) ? b : a;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "no finite number";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair) {
  const Sides sides(pair);
  const std::string precision = coarser_precision(pair);
  std::optional<FingerprintDifference> worst;
  for (const auto& [name, base] : sides.base) {
    const auto other = sides.candidate.find(name);
    if (other == sides.candidate.end()) continue;
    const Computed& candidate = other->second;
    const double relative = relative_difference(base.value, candidate.value);
    const double limit =
        same_within(precision_limit(precision), std::max(base.spread, candidate.spread));
    if (!(relative > limit) || (worst && worst->relative >= relative)) continue;
    worst = {.name = name,
             .base = base.value,
             .candidate = candidate.value,
             .relative = relative,
             .limit = limit,
             .precision = precision};
  }
  return worst;
}

std::vector<std::string> fingerprint_notes(const CasePair& pair) {
  const Sides sides(pair);
  std::vector<std::string> notes;
  for (const auto& [name, base] : sides.base) {
    const auto other = sides.candidate.find(name);
    if (other == sides.candidate.end()) continue;
    if (std::isfinite(base.value) || std::isfinite(other->second.value)) continue;
    notes.push_back("neither side has a finite " + name +
                    ": whether they compute the same is not known");
  }
  return notes;
}

std::string to_text(const FingerprintDifference& difference) {
  const std::string begin = "the sides do not compute the same: " + difference.name + ' ';
  const std::string base = number_text(difference.base);
  const std::string candidate = number_text(difference.candidate);
  if (!std::isfinite(difference.relative)) {
    return begin + "is " + base + " in the base and " + candidate + " in the candidate";
  }
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, " differ by %.1e, more than %.0e for ",
                difference.relative, difference.limit);
  return begin + base + " and " + candidate + numbers + difference.precision;
}

}  // namespace stepbench
