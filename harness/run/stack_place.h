// SPDX-License-Identifier: Apache-2.0
// Where a Python program stands, by what its faulthandler printed. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stepbench::run {

struct StackPlace {
  std::string text;       // "train.py, line 12, in step": the innermost frame of the user's
  bool in_torch = false;  // what that frame called lies in torch
};

// Of the last stack in `output`; nothing without any, or without a frame of the user's.
[[nodiscard]] std::optional<StackPlace> place_in_stack(std::string_view output);

}  // namespace stepbench::run
