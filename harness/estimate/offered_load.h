// SPDX-License-Identifier: Apache-2.0
// What requests that arrive on their own account (schedule.arrivals) ask of a server, and whether
// their window tells how long they wait. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/record/reader.h"

namespace stepbench::estimate {

enum class LoadState : std::uint8_t {
  kSteady,
  kSettling,  // the window holds the queue's beginning: waits are read off too short
  kOverload   // waits grow as long as the window lasts, or for all that it can tell
};

struct OfferedLoad {
  double rate_per_s = 0;
  double service_ns = 0;   // mean time to answer a request
  double utilisation = 0;  // rate * service: the share of time that the server is busy
  double requests = 0;     // of a window with its warm-up
  // After so many requests a queue has forgotten how it began: the relaxation time of reflected
  // Brownian motion, 2 (Var S + Var T) / (E T - E S)^2 for services S and distances of arrivals T.
  // Infinite where it never does.
  double settles = 0;

  [[nodiscard]] LoadState state() const;
};

// Nothing where no requests arrived.
[[nodiscard]] std::optional<OfferedLoad> offered_load(const record::Launch& launch);
// Of launches of one case: means, and of `settles` the median.
[[nodiscard]] std::optional<OfferedLoad> offered_load(std::span<const OfferedLoad> launches);

}  // namespace stepbench::estimate
