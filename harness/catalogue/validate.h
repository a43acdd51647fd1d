// SPDX-License-Identifier: Apache-2.0
// Consistency checks of a catalogue. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// Returns the errors of the catalogue itself: repeated names, defaults that check_value() rejects,
// references to missing options, more than 16 phases. Empty if it is valid. `taken`: the harness's
// metrics, whose names are reserved.
[[nodiscard]] std::vector<std::string> validate(const Catalogue& catalogue,
                                                std::span<const Metric> taken = {});

}  // namespace stepbench::catalogue
