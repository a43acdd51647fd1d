// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/amounts.h"

#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

// Parses "1.5h" with the units in `units`.
double amount(const std::string& option, const std::string& text, std::span<const Unit> units,
              const std::string& expected) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && std::isfinite(number) && number > 0) {
    const std::string_view name(rest, static_cast<std::size_t>(end - rest));
    for (const Unit& unit : units) {
      if (unit.name == name) return number * unit.factor;
    }
  }
  throw ConfigError(option, "expected " + expected + ", found `" + text + "`");
}

}  // namespace

double seconds_of(const std::string& option, const std::string& text) {
  static constexpr Unit kUnits[] = {{"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
  return amount(option, text, kUnits, "a time such as 90s, 20m or 1.5h");
}

double bytes_of(const std::string& option, const std::string& text) {
  static constexpr Unit kUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30},
                                    {"TiB", 0x1p40}, {"kB", 1e3},     {"MB", 1e6},
                                    {"GB", 1e9},     {"TB", 1e12}};
  return amount(option, text, kUnits, "a size such as 512MiB or 20GiB");
}

}  // namespace stepbench::cli
