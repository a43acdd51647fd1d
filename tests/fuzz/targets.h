// SPDX-License-Identifier: Apache-2.0
// The fuzzed readers. An Error is a valid result; anything else is not caught.
#pragma once

#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_input.h"

namespace stepbench::fuzz {

struct Target {
  std::string_view name;
  void (*read)(Input);
};

[[nodiscard]] const std::vector<Target>& data_targets();
[[nodiscard]] const std::vector<Target>& kept_targets();
[[nodiscard]] const std::vector<Target>& message_targets();
[[nodiscard]] const std::vector<Target>& text_targets();

}  // namespace stepbench::fuzz
