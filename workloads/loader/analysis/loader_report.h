// SPDX-License-Identifier: Apache-2.0
// The metrics of a loader: their declaration, and their values in the measured windows.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/workload.h"
#include "workloads/loader/analysis/loader_facts.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// What every workload with a DataLoader reports beyond the harness's metrics, for the catalogue.
[[nodiscard]] std::vector<Metric> loader_metrics();

// Reports every metric that loader_metrics() declares and this loader has.
void report_loader(const LoaderMetrics& metrics, const WindowFacts& window,
                   const CoreFacts& machine, ReportSink& sink);

// A note when an iterable data set has fewer parts than `ranks` ranks have workers.
void report_idle_readers(const data::Dataset& dataset, std::int64_t num_workers, std::int64_t ranks,
                         ReportSink& sink);

}  // namespace stepbench::loader
