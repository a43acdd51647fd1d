// SPDX-License-Identifier: Apache-2.0
// Checks that a catalogue is consistent, and that a value is valid for an option. Pure; any thread.
#pragma once

#include <optional>
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

// Returns the problem with `value`, without a location: "expected an integer >= 0, found -2";
// nullopt if it is valid. Integers are accepted as numbers.
[[nodiscard]] std::optional<std::string> check_value(const Option& option, const Value& value);

// "an integer >= 0", "one of none, step", "a number in 0 .. 1, or auto"
[[nodiscard]] std::string expectation(const Option& option);

}  // namespace stepbench::catalogue
