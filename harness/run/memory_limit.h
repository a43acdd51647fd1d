// SPDX-License-Identifier: Apache-2.0
// Keeps a launch from holding more memory than it may: one that wants more ends by itself, and
// nothing else on the machine suffers. Pure, but for reading a device's size; main thread.
#pragma once

#include <cstdint>

#include "harness/base/resolved_case.h"
#include "harness/machine/device_state.h"
#include "harness/run/launch.h"

namespace stepbench::run {

// What libraries map and never touch, which the kernel counts as data all the same: an idle worker
// with libtorch has 0.5 GiB of it, and each thread adds its stack.
inline constexpr std::int64_t kMappedOnlyBytes = std::int64_t{1} << 30;

// Of the device's memory where the case uses one: torch's allocator gets that share of it and
// refuses more. Of the process tree's elsewhere: the kernel refuses each process more data than
// `bytes` and kMappedOnlyBytes (RLIMIT_DATA; address space, RLIMIT_AS, counts 3 GB of an idle
// worker, and a control group is mostly not ours to make), and the launch is ended when the tree
// is seen to hold more than `bytes`. `devices`: null: there are none. A slice of a device (MIG) is
// not limited: its size is not known here.
void limit_memory(std::int64_t bytes, const ResolvedCase& resolved,
                  const machine::NvmlSession* devices, LaunchRequest& request);

}  // namespace stepbench::run
