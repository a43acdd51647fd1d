// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/ops/op_log.h"
#include "tests/testing.h"

namespace stepbench::gpu {

// Copies to the device.
struct Copies {
  double ns = 0;          // of all copies
  double overlapped = 0;  // overlapped by a kernel on another stream
  std::int64_t count = 0;
};

[[nodiscard]] inline Copies copies_of(const ops::OpLog& log, std::int64_t least_bytes) {
  Copies copies;
  for (const ops::DeviceActivity& copy : log.activities) {
    if (copy.copy != ops::CopyKind::kHostToDevice || copy.bytes < least_bytes) continue;
    EXPECT_TRUE(copy.pinned);
    ++copies.count;
    copies.ns += static_cast<double>(copy.end_ns - copy.start_ns);
    std::int64_t reached = copy.start_ns;
    for (const ops::DeviceActivity& kernel : log.activities) {  // in order of start
      if (kernel.kind != ops::ActivityKind::kKernel || kernel.stream == copy.stream) continue;
      const std::int64_t begin = std::max(kernel.start_ns, reached);
      const std::int64_t end = std::min(kernel.end_ns, copy.end_ns);
      if (end <= begin) continue;
      copies.overlapped += static_cast<double>(end - begin);
      reached = end;
    }
  }
  return copies;
}

}  // namespace stepbench::gpu
