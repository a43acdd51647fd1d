// SPDX-License-Identifier: Apache-2.0
// Noise of this machine as kept by `stepbench doctor --measure`, and its quote.
#pragma once

#include <filesystem>

#include "harness/campaign/examine_machine.h"

namespace stepbench {

inline constexpr const char* kKeptQuote =
    "this machine showed 1.2 % between launches on 2026-01-31 (stepbench doctor --measure): 10 "
    "pairs find 2.7 %, 40 pairs 1.8 %";

// `state`: the user's XDG_STATE_HOME.
inline void keep_noise(const std::filesystem::path& state) {
  const Fields identity = campaign::machine_identity("/");
  campaign::store_machine(
      campaign::place_for_machine({{"XDG_STATE_HOME", state.string()}}, identity),
      {.measured_utc = "2026-01-31T12:00:00Z",
       .machine = identity,
       .seconds = 60,
       .cases = {
           {.name = "compute", .launch_sd = 0.012, .found_by_10 = 0.027, .found_by_40 = 0.018}}});
}

}  // namespace stepbench
