// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/workload.h"

namespace stepbench {

// Reports model_flops_per_step of full batches, and the device's peak rate where it is known or
// given (model.device_peak_flops): rates and MFU follow from them and the step's time.
void report_model_work(const ResolvedCase& resolved, double flops_per_sample, bool on_cuda,
                       ReportSink& sink);

}  // namespace stepbench
