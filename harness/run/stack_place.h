// SPDX-License-Identifier: Apache-2.0
// Finds a Python program's position in the output of its faulthandler. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stepbench::run {

struct StackPlace {
  std::string text;       // "train.py, line 12, in step": the innermost user frame
  bool in_torch = false;  // the frame that it called is in torch
};

// Uses the last stack in `output`; nullopt without a stack or a user frame.
[[nodiscard]] std::optional<StackPlace> place_in_stack(std::string_view output);

}  // namespace stepbench::run
