// SPDX-License-Identifier: Apache-2.0
// What all measurements of a suspicion together say, and when a regression is gone. A program is
// slower or faster by where its code happens to lie; two builds that do the same differ by
// sqrt(2) layout standard deviations, whatever the number of launches. So one pair of builds
// never says enough of a small change: each measurement is of another pair of builds, and the mean
// of m measurements is believed to sqrt((SE^2 + 2 layout^2) / m). The constants were found by
// simulating whole lives (results/tracking_simulation.md). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace stepbench::track {

inline constexpr double kLayoutSd = 0.005;           // of a build, until it is known better
inline constexpr double kTellMargin = 0.01;          // what is told lies beyond it; see margins.h
inline constexpr double kTellSpreads = 2.33;         // one-sided 99 %
inline constexpr double kCloseSpreads = 1.64;        // one-sided 95 %
inline constexpr std::size_t kMostMeasurements = 5;  // of a suspicion
inline constexpr std::size_t kMostToClose = 4;       // low measurements that are looked at

// One measurement of a suspicion: last good against tonight's, in turns.
struct AlertMeasurement {
  bool reproduced = false;
  double change = 0;  // tonight / good - 1, with its one-sided 95 % bounds
  double low = 0;
  double high = 0;
  double p = 1;
  std::int64_t pairs = 0;
  std::string night = {};       // run id
  std::string good = {};        // run id of the last good program's night
  std::string builds = {};      // of both, "GOOD TONIGHT": what tells two measurements apart
  std::string campaign = {};    // folder of its results
  std::string cause = {};       // "data_wait +2.1 ms; aten::copy_ +120 calls/step"
  bool closing = false;         // of a regression that was told: is it there still?
  double layout = kLayoutSd;    // of a build of this series, as far as it was known then
  double margin = kTellMargin;  // the change of it that does not matter
};

enum class Telling : std::uint8_t {
  kUnmeasured,
  kDoubtful,    // one measurement, below the margin
  kReproduced,  // it was there, and layout alone could have done it
  kTold,
  kDismissed  // two measurements whose mean is below the margin, or five that did not suffice
};

// The standard error of its log ratio, by its bounds.
[[nodiscard]] double standard_error(const AlertMeasurement& one);

// `higher`: the value is suspected to have risen. Measurements of the same two builds count as one,
// their mean. Closing ones do not count, nor what earlier nights than the first in which it was
// there measured below the margin.
[[nodiscard]] Telling telling_of(std::span<const AlertMeasurement> measured, bool higher);

// Whether the last two to four closing measurements, none of which found it, say that it is gone:
// mean + 1.64 sqrt((SE^2 + 2 layout^2) / m) below the larger of the margin and half of what was
// told.
[[nodiscard]] bool is_gone(std::span<const AlertMeasurement> measured, bool higher);

// The mean of all measurements that tell, as a share: 0.031. 0 without any.
[[nodiscard]] double told_change(std::span<const AlertMeasurement> measured);

}  // namespace stepbench::track
