// SPDX-License-Identifier: Apache-2.0
// Checks a value against its option. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// Returns the problem with `value`, without a location: "expected an integer >= 0, found -2";
// nullopt if it is valid. Integers are accepted as numbers.
[[nodiscard]] std::optional<std::string> check_value(const Option& option, const Value& value);

// "an integer >= 0", "one of none, step", "a number in 0 .. 1, or auto"
[[nodiscard]] std::string expectation(const Option& option);

}  // namespace stepbench::catalogue
