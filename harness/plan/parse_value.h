// SPDX-License-Identifier: Apache-2.0
// Converts text of a file or a command line to an option's value. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/yaml_document.h"

namespace stepbench::plan {

// Parses the value of an option from the file or the command line. `text` is already interpolated;
// quoted text is never read as a number. Throws Error describing the expected value.
[[nodiscard]] Value parse_value(const Option& option, std::string_view text, bool quoted);

// The same for the first of `options` (one name in several variants) that accepts it.
[[nodiscard]] Value parse_value(std::span<const Option* const> options, std::string_view text,
                                bool quoted);

}  // namespace stepbench::plan
