// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/gate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "harness/stats/order.h"

namespace stepbench {
namespace {

constexpr std::size_t kLeastToWarn = 4;
constexpr std::size_t kLeastToFail = 6;

}  // namespace

std::string_view name_of(GateState state) {
  switch (state) {
    case GateState::kPassed:
      return "passed";
    case GateState::kWarning:
      return "warning";
    case GateState::kFailed:
      return "failed";
  }
  return "";
}

std::span<const std::string_view> gate_names() {
  static constexpr std::array<std::string_view, 6> kNames = {"noise", "drift",      "load",
                                                             "steal", "throttling", "clocks"};
  return kNames;
}

void apply_allowed(std::span<const std::string> allow, std::vector<Gate>& gates) {
  for (Gate& gate : gates) {
    if (std::find(allow.begin(), allow.end(), gate.name) == allow.end()) continue;
    gate.allowed = true;
    if (gate.state == GateState::kFailed) gate.state = GateState::kWarning;
  }
}

Gate noise_gate(std::span<const double> step_ns, std::string_view arm) {
  Gate gate{.name = "noise", .warns_at = kNoiseWarns, .fails_at = kNoiseFails};
  std::vector<double> values;
  std::copy_if(step_ns.begin(), step_ns.end(), std::back_inserter(values),
               [](double value) { return std::isfinite(value) && value > 0; });
  if (values.size() < kLeastToWarn) return gate;
  gate.value = interquartile_range(values) / median(values);
  if (!(gate.value > kNoiseWarns)) return gate;
  const bool fails = gate.value > kNoiseFails && values.size() >= kLeastToFail;
  gate.state = fails ? GateState::kFailed : GateState::kWarning;
  std::array<char, 16> share{};
  std::snprintf(share.data(), share.size(), "%.0f", 100 * gate.value);
  gate.text = "noisy: the middle half of " + std::string(arm) + "'s launches spans " +
              share.data() + " % of their median";
  if (fails) gate.text += ", more than 25 %: what else ran decides here, not the program";
  return gate;
}

bool fails(std::span<const Gate> gates) {
  return std::any_of(gates.begin(), gates.end(),
                     [](const Gate& gate) { return gate.state == GateState::kFailed; });
}

}  // namespace stepbench
