// SPDX-License-Identifier: Apache-2.0
// How much a model's step computes, and how much its device can: rates and MFU follow from them and
// the step's time. Torch-free.
#pragma once

#include <optional>
#include <string_view>

#include "harness/workload.h"

namespace stepbench::step {

// Reports model_flops_per_step, and the device's peak rate where it is known or given
// (model.device_peak_flops): rates and MFU follow from them and the step's time. A part of a device
// (MIG) has no known peak. After the steps: CUDA is asked for the device's name.
void report_model_work(const ResolvedCase& resolved, double flops_per_step, ReportSink& sink);

// What a device can do at most, in FLOP/s of dense matrix products, by the name that its driver
// gives it and the value of model.precision. nullopt if it is not in the table.
[[nodiscard]] std::optional<double> device_peak_flops(std::string_view device_name,
                                                      std::string_view precision);

}  // namespace stepbench::step
