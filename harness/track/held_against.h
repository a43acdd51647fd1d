// SPDX-License-Identifier: Apache-2.0
// What a series is held against tonight: the ratios of its level to one reference program where one
// was measured beside tonight's, else the values of its level. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/track/level.h"
#include "harness/track/night_facts.h"
#include "harness/track/reference.h"
#include "harness/track/screen.h"

namespace stepbench::track {

struct HeldAgainst {
  SeriesLevel level = {};
  std::vector<std::size_t> points = {};   // of the level, those that count, oldest first
  std::vector<double> segment = {};       // their values or ratios, tonight's last
  const ReferenceRatio* ratio = nullptr;  // tonight's; null: by values
  const ReferenceNight* reference = nullptr;
  RatioSegment ratios = {};
  double layout_sd = kLayoutSd;

  [[nodiscard]] bool by_ratio() const { return ratio != nullptr; }
};

// `at`: index of tonight's point.
[[nodiscard]] HeldAgainst held_against(const SeriesHistory& series, std::size_t at,
                                       const NightFacts& facts);

// Whether tonight is worth a measurement.
[[nodiscard]] ScreenAnswer screen_tonight(const HeldAgainst& held, const SeriesHistory& series,
                                          const NightFacts& facts);

// What another environment did since the night before, by what it did to the reference program:
// 0.08; nothing where that did not run in both.
[[nodiscard]] std::optional<double> environment_did(const HeldAgainst& held,
                                                    const SeriesHistory& series, std::size_t at,
                                                    const NightFacts& facts);

}  // namespace stepbench::track
