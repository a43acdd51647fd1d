// SPDX-License-Identifier: Apache-2.0
// Peak rates of devices according to their makers: the only table of peaks, used for MFU and
// efficiency. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/ops/dtype.h"

namespace stepbench::ops {

// Rates of dense matrix products, without sparsity; 0: the device lacks the mode, or its maker
// gives no rate. fp32 on ordinary cores; bf16 and fp16 with fp32 accumulation; fp64 on tensor cores
// if supported.
struct DevicePeaks {
  double fp64_flops = 0;  // all rates are per second
  double fp32_flops = 0;
  double tf32_flops = 0;
  double bf16_flops = 0;
  double fp16_flops = 0;
  double fp8_flops = 0;
  double memory_bytes = 0;
  std::string_view source = {};

  // nullopt if unknown.
  [[nodiscard]] std::optional<double> flops(Dtype dtype) const;
};

// Looks up the full name that the driver reports. A name with an addition ("Laptop GPU", "D", "Ti",
// a part of a MIG device) is a different device: nullopt.
[[nodiscard]] std::optional<DevicePeaks> device_peaks(std::string_view device_name);

}  // namespace stepbench::ops
