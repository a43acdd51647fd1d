// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/finding.h"

#include <array>

namespace stepbench {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"info", "warning", "problem"});

}  // namespace

std::string_view name_of(Severity severity) {
  return kNames.at(static_cast<std::size_t>(severity));
}

std::optional<Severity> severity_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames.at(i) == name) return static_cast<Severity>(i);
  }
  return std::nullopt;
}

}  // namespace stepbench
