// SPDX-License-Identifier: Apache-2.0
// The torch-free part of engine torch_cpp, for programs that plan. workloads/torch_loader makes its
// loader.
#pragma once

#include "workloads/loader/engine.h"

namespace stepbench::loader {

[[nodiscard]] Engine torch_cpp_engine();

}  // namespace stepbench::loader
