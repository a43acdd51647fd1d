// SPDX-License-Identifier: Apache-2.0
// Is a value right for an option, is a catalogue right in itself?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench {

// What is wrong with `value`, as a sentence without a place: "expected an integer >= 0, found -2";
// nothing when right. Integers are accepted where numbers are expected.
[[nodiscard]] std::optional<std::string> check_value(const Option& option, const Value& value);

// "an integer >= 0", "one of none, step", "a number in 0 .. 1, or auto"
[[nodiscard]] std::string expectation(const Option& option);

// Mistakes of the catalogue itself: repeated names, defaults that check_value() refuses, references
// to options that do not exist, more than 16 phases. Empty when it is right.
[[nodiscard]] std::vector<std::string> validate(const Catalogue& catalogue);

}  // namespace stepbench
