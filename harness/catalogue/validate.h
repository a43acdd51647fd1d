// SPDX-License-Identifier: Apache-2.0
// Is a catalogue right in itself? Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// Mistakes of the catalogue itself: repeated names, defaults that check_value() refuses, references
// to options that do not exist, more than 16 phases. Empty when it is right. `taken`: metrics of
// the harness, whose names a workload's own may not have.
[[nodiscard]] std::vector<std::string> validate(const Catalogue& catalogue,
                                                std::span<const Metric> taken = {});

}  // namespace stepbench::catalogue
