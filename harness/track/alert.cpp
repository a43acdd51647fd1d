// SPDX-License-Identifier: Apache-2.0
#include "harness/track/alert.h"

#include <array>
#include <utility>

namespace stepbench {
namespace {

constexpr std::array<std::pair<AlertState, std::string_view>, 9> kStateNames = {{
    {AlertState::kSuspect, "suspect"},
    {AlertState::kNotReproduced, "not-reproduced"},
    {AlertState::kReproduced, "reproduced"},
    {AlertState::kRegression, "regression"},
    {AlertState::kImprovement, "improvement"},
    {AlertState::kEnvironmentChange, "environment-change"},
    {AlertState::kAcknowledged, "acknowledged"},
    {AlertState::kFixed, "fixed"},
    {AlertState::kInvalid, "invalid"},
}};

}  // namespace

std::string_view name_of(AlertState state) {
  for (const auto& [known, name] : kStateNames) {
    if (known == state) return name;
  }
  return {};
}

std::optional<AlertState> alert_state_of(std::string_view name) {
  for (const auto& [state, known] : kStateNames) {
    if (known == name) return state;
  }
  return std::nullopt;
}

}  // namespace stepbench
