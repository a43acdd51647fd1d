// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "harness/ops/op_log.h"
#include "harness/ops/op_tree.h"

namespace stepbench {

// The names on disk.
[[nodiscard]] std::string_view name_of(OpKind kind);
[[nodiscard]] std::string_view name_of(ActivityKind kind);

}  // namespace stepbench
