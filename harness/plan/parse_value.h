// SPDX-License-Identifier: Apache-2.0
// Text of a file or a command line -> the value of an option. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/yaml_document.h"

namespace stepbench::plan {

// The value of an option as it stands in the file or on the command line. `text` is interpolated
// already; quoted text is never read as a number. Throws Error with a sentence that says what was
// expected.
[[nodiscard]] Value parse_value(const Option& option, std::string_view text, bool quoted);

// As above for the first of `options` (the same name in several variants) that accepts it.
[[nodiscard]] Value parse_value(std::span<const Option* const> options, std::string_view text,
                                bool quoted);

}  // namespace stepbench::plan
