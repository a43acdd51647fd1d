// SPDX-License-Identifier: Apache-2.0
// Is a value right for an option? Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// What is wrong with `value`, as a sentence without a place: "expected an integer >= 0, found -2";
// nullopt if it is right. Integers are accepted where numbers are expected.
[[nodiscard]] std::optional<std::string> check_value(const Option& option, const Value& value);

// "an integer >= 0", "one of none, step", "a number in 0 .. 1, or auto"
[[nodiscard]] std::string expectation(const Option& option);

}  // namespace stepbench::catalogue
