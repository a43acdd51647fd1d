// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/workload.h"

namespace stepbench {

// Reports model_flops_per_step, and the device's peak rate where it is known or given
// (model.device_peak_flops): rates and MFU follow from them and the step's time. A part of a device
// (MIG) has no known peak.
void report_model_work(const ResolvedCase& resolved, double flops_per_step, bool on_cuda,
                       ReportSink& sink);

}  // namespace stepbench
