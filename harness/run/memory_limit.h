// SPDX-License-Identifier: Apache-2.0
// Limits the memory of a launch: one that exceeds its limit fails alone, without affecting the
// machine. Pure, except for reading a device's size; main thread.
#pragma once

#include <cstdint>

#include "harness/base/resolved_case.h"
#include "harness/machine/device_state.h"
#include "harness/run/launch.h"

namespace stepbench::run {

// Memory that libraries map but never touch, which the kernel still counts as data: 0.5 GiB for an
// idle worker with libtorch, plus each thread's stack.
inline constexpr std::int64_t kMappedOnlyBytes = std::int64_t{1} << 30;

// If the case uses a device, limits device memory: torch's allocator gets that share of it and
// rejects more. Otherwise limits the process tree: the kernel denies each process more data than
// `bytes` + kMappedOnlyBytes (RLIMIT_DATA; RLIMIT_AS would count 3 GB of address space for an idle
// worker, and creating a control group is usually not permitted), and the launch is ended when the
// tree holds more than `bytes`. `devices`: null if there are none. A device slice (MIG) is not
// limited, because its size is unknown here.
void limit_memory(std::int64_t bytes, const ResolvedCase& resolved,
                  const machine::NvmlSession* devices, LaunchRequest& request);

}  // namespace stepbench::run
