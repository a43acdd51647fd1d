// SPDX-License-Identifier: Apache-2.0
#include "harness/record/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "harness/base/value.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::record {
namespace {

constexpr std::string_view kOfRank = "rank.";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLimitFp32 = 1e-4;
constexpr double kLimitTf32 = 1e-3;
constexpr double kLimitHalf = 2e-2;

// nullopt for a value of another type. JSON has null for NaN and infinities.
std::optional<double> number_or_nan(const Value& value) {
  if (is_null(value)) return kNan;
  const auto number = number_of(value);
  return number && !std::isfinite(*number) ? kNan : number;
}

}  // namespace

Fingerprints fingerprints_of(std::span<const Launch* const> launches) {
  std::map<std::string, std::vector<double>, std::less<>> values;
  bool first = true;
  for (const Launch* launch : launches) {
    const Fields& recorded = launch->row.report.fingerprint;
    if (recorded.empty()) continue;
    for (const auto& [name, value] : recorded) {
      const auto number = number_or_nan(value);
      if (!number) continue;
      if (first) values[name];
      if (const auto at = values.find(name); at != values.end()) at->second.push_back(*number);
    }
    first = false;
  }
  Fingerprints found;
  for (const auto& [name, computed] : values) {
    const bool finite = std::none_of(computed.begin(), computed.end(),
                                     [](double value) { return std::isnan(value); });
    if (!finite) {
      found.emplace(name, Computed{kNan, kNan, kNan, 0});
      continue;
    }
    const auto [low, high] = std::minmax_element(computed.begin(), computed.end());
    found.emplace(name,
                  Computed{stats::median(computed), *low, *high, relative_difference(*low, *high)});
  }
  return found;
}

std::string fingerprint_of_rank(std::string_view name, int rank) {
  return std::string(kOfRank) + std::to_string(rank) + "." + std::string(name);
}

std::string fingerprint_words(std::string_view name) {
  if (!name.starts_with(kOfRank)) return std::string(name);
  const std::string_view of_rank = name.substr(kOfRank.size());
  const std::size_t dot = std::min(of_rank.find('.'), of_rank.size() - 1);
  return std::string(of_rank.substr(dot + 1)) + " of rank " + std::string(of_rank.substr(0, dot));
}

double relative_difference(double a, double b) {
  if (a == b || (!std::isfinite(a) && !std::isfinite(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::abs(b - a) / std::max(std::abs(a), std::abs(b));
}

double precision_limit(std::string_view precision) {
  if (precision == "bf16" || precision == "fp16") return kLimitHalf;
  return precision == "tf32" ? kLimitTf32 : kLimitFp32;
}

std::string precision_of(const LaunchRow& row) {
  const auto found = row.options.find("model.precision");
  return found == row.options.end() || is_null(found->second) ? "fp32" : to_text(found->second);
}

double same_within(double limit, double spread) {
  constexpr double kTimesOwnSpread = 2;
  return std::isfinite(spread) ? std::max(limit, kTimesOwnSpread * spread) : limit;
}

}  // namespace stepbench::record
