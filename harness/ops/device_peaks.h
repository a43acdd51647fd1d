// SPDX-License-Identifier: Apache-2.0
// What devices can do at most, by their makers' words: the one table of peaks, which MFU and
// efficiency are held against. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/ops/dtype.h"

namespace stepbench::ops {

// Of dense matrix products, without sparsity; 0: the device has no such mode, or its maker does not
// say. fp32 on the ordinary cores; bf16 and fp16 with sums in fp32; fp64 on tensor cores where they
// do it.
struct DevicePeaks {
  double fp64_flops = 0;  // per second, as all
  double fp32_flops = 0;
  double tf32_flops = 0;
  double bf16_flops = 0;
  double fp16_flops = 0;
  double fp8_flops = 0;
  double memory_bytes = 0;
  std::string_view source = {};

  // nullopt where it is not known.
  [[nodiscard]] std::optional<double> flops(Dtype dtype) const;
};

// By the whole name that the driver gives the device. A device that carries such a name and
// something more ("Laptop GPU", "D", "Ti", a part of a MIG device) is another one: nullopt.
[[nodiscard]] std::optional<DevicePeaks> device_peaks(std::string_view device_name);

}  // namespace stepbench::ops
