// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/names/shared_memory.h"

#include "workloads/loader/fork/segment.h"

namespace stepbench::structure {

bool has_shared_memory() { return !loader::in_mib(loader::shared_memory_free()).empty(); }

}  // namespace stepbench::structure
