// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/workload.h"
#include "workloads/loader/loader.h"
#include "workloads/loader/loader_facts.h"

namespace stepbench {

// Reports every metric that loader_metrics() (workloads/catalogue) declares and this loader has.
void report_loader(const LoaderMetrics& metrics, const WindowFacts& window, ReportSink& sink);

// A note when an iterable data set has fewer parts than `ranks` ranks have workers.
void report_idle_readers(const Dataset& dataset, std::int64_t num_workers, std::int64_t ranks,
                         ReportSink& sink);

}  // namespace stepbench
