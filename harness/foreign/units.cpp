// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/units.h"

#include <array>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::foreign {
namespace {

constexpr double kKibi = 1024;

struct KnownUnit {
  std::string_view text;
  std::string_view name;
  double factor;
};
constexpr std::array kUnits = {
    KnownUnit{"ns", "ns", 1},
    KnownUnit{"nanoseconds", "ns", 1},
    KnownUnit{"us", "ns", 1e3},
    KnownUnit{"\u00b5s", "ns", 1e3},
    KnownUnit{"\u03bcs", "ns", 1e3},
    KnownUnit{"microseconds", "ns", 1e3},
    KnownUnit{"ms", "ns", 1e6},
    KnownUnit{"milliseconds", "ns", 1e6},
    KnownUnit{"s", "ns", 1e9},
    KnownUnit{"sec", "ns", 1e9},
    KnownUnit{"seconds", "ns", 1e9},
    KnownUnit{"min", "ns", 60e9},
    KnownUnit{"B", "bytes", 1},
    KnownUnit{"bytes", "bytes", 1},
    KnownUnit{"kB", "bytes", 1e3},
    KnownUnit{"MB", "bytes", 1e6},
    KnownUnit{"GB", "bytes", 1e9},
    KnownUnit{"KiB", "bytes", kKibi},
    KnownUnit{"MiB", "bytes", kKibi* kKibi},
    KnownUnit{"GiB", "bytes", kKibi* kKibi* kKibi},
};

bool is_rate(std::string_view text) {
  return text.find("per_s") != std::string_view::npos || text.ends_with("/s") ||
         text.ends_with("/sec");
}

}  // namespace

Unit unit_of(std::string_view text) {
  for (const KnownUnit& known : kUnits) {
    if (known.text == text) return {std::string(known.name), known.factor};
  }
  return {std::string(text), 1};
}

Direction direction_of(std::string_view better, const Unit& unit, std::string_view metric) {
  if (better == "lower") return Direction::kLowerIsBetter;
  if (better == "higher") return Direction::kHigherIsBetter;
  if (better == "neither") return Direction::kNeither;
  if (unit.name == "ns" || unit.name == "bytes") return Direction::kLowerIsBetter;
  if (is_rate(unit.name) || is_rate(metric)) return Direction::kHigherIsBetter;
  throw ConfigError("--better", "say whether '" + std::string(metric) +
                                    "' is better when it is lower or higher: its unit (" +
                                    (unit.name.empty() ? "none" : unit.name) + ") does not tell");
}

}  // namespace stepbench::foreign
