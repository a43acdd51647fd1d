// SPDX-License-Identifier: Apache-2.0
// What is known of engine torch_cpp without torch, for programs that plan. Its loader is made by
// workloads/torch_loader.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

[[nodiscard]] Engine torch_cpp_engine();

}  // namespace stepbench::loader
