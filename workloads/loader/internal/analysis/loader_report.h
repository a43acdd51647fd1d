// SPDX-License-Identifier: Apache-2.0
// A loader's metrics: declaration, and values in the measured windows.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/workload.h"
#include "workloads/data/data_kinds.h"
#include "workloads/loader/internal/analysis/loader_facts.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Metrics that every workload with a DataLoader reports in addition to the harness's, for the
// catalogue.
[[nodiscard]] std::vector<Metric> loader_metrics();

// Reports the declared metrics that apply to this loader.
void report_loader(const LoaderMetrics& metrics, const WindowFacts& window,
                   const CoreFacts& machine, ReportSink& sink);

// Reports the stored size of the data set.
void report_stored(const data::StoredSize& stored, ReportSink& sink);
// Adds a note if the page cache can hold the data set: reads then tell little about the storage.
void note_data_in_memory(const data::StoredSize& stored, std::int64_t memory_bytes,
                         ReportSink& sink);

// Adds a note if an iterable data set has fewer parts than `ranks` ranks have workers.
void report_idle_readers(const data::Dataset& dataset, std::int64_t num_workers, std::int64_t ranks,
                         ReportSink& sink);

}  // namespace stepbench::loader
