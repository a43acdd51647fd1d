// SPDX-License-Identifier: Apache-2.0
// Injects faults of a worker process.
#pragma once

#include <string_view>

namespace stepbench {

// May not return. `control_descriptor` is the channel to the controller.
void inject_fault(std::string_view behaviour, int control_descriptor);

[[noreturn]] void hang();

}  // namespace stepbench
