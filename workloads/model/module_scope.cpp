// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/module_scope.h"

namespace stepbench {

constinit thread_local ModuleListener* module_listener = nullptr;

}  // namespace stepbench
