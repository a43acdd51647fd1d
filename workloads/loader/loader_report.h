// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/workload.h"
#include "workloads/loader/loader.h"

namespace stepbench {

// Reports every metric that loader_metrics() (workloads/catalogue) declares and this loader has.
void report_loader(const LoaderMetrics& metrics, ReportSink& sink);

}  // namespace stepbench
