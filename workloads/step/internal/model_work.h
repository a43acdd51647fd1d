// SPDX-License-Identifier: Apache-2.0
// FLOPs of a model's step and the peak rate of its device, from which rates and MFU follow with the
// step's time. Torch-free.
#pragma once

#include <optional>
#include <string_view>

#include "harness/workload.h"

namespace stepbench::step {

// Reports model_flops_per_step, and the device's peak rate if known or given
// (model.device_peak_flops). A MIG slice has no known peak. Call after the steps: queries CUDA for
// the device's name.
void report_model_work(const ResolvedCase& resolved, double flops_per_step, ReportSink& sink);

// Peak FLOP/s of dense matrix products, by the driver's name of the device and the value of
// model.precision. nullopt if it is not in the table.
[[nodiscard]] std::optional<double> device_peak_flops(std::string_view device_name,
                                                      std::string_view precision);

}  // namespace stepbench::step
