// SPDX-License-Identifier: Apache-2.0
// The metrics of a loader: their declaration, and their values in the measured windows.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/workload.h"
#include "workloads/data/stored_size.h"
#include "workloads/loader/analysis/loader_facts.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// What every workload with a DataLoader reports beyond the harness's metrics, for the catalogue.
[[nodiscard]] std::vector<Metric> loader_metrics();

// Reports every metric that loader_metrics() declares and this loader has.
void report_loader(const LoaderMetrics& metrics, const WindowFacts& window,
                   const CoreFacts& machine, ReportSink& sink);

// How large the data set is where it lies.
void report_stored(const data::StoredSize& stored, ReportSink& sink);
// A note where the page cache of so much memory may hold it: what is read tells little of storage.
void note_data_in_memory(const data::StoredSize& stored, std::int64_t memory_bytes,
                         ReportSink& sink);

// A note when an iterable data set has fewer parts than `ranks` ranks have workers.
void report_idle_readers(const data::Dataset& dataset, std::int64_t num_workers, std::int64_t ranks,
                         ReportSink& sink);

}  // namespace stepbench::loader
