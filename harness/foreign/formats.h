// SPDX-License-Identifier: Apache-2.0
// The formats one by one, as read_foreign() calls them. `file` names them in messages.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "harness/foreign/foreign_options.h"
#include "harness/foreign/measurement.h"
#include "harness/foreign/table.h"

namespace stepbench::foreign {

// Whose JSON it is.
[[nodiscard]] bool is_pytest_benchmark(const nlohmann::json& file);
[[nodiscard]] bool is_google_benchmark(const nlohmann::json& file);
[[nodiscard]] bool is_asv(const nlohmann::json& file);
// machine.json and benchmarks.json, which have no results.
[[nodiscard]] bool is_asv_description(const nlohmann::json& file);

// One number for each benchmark, the median of its rounds or the statistic that is asked for:
// rounds of one process are no launches.
[[nodiscard]] Measurements pytest_benchmark(const nlohmann::json& results, const std::string& file,
                                            const ForeignOptions& options);
// Repetitions are launches; of a file with aggregates alone the medians.
[[nodiscard]] Measurements google_benchmark(const nlohmann::json& results, const std::string& file,
                                            const ForeignOptions& options);
// One commit on one machine; benchmarks.json beside it or one folder up has the units.
[[nodiscard]] Measurements asv(const nlohmann::json& results, const std::filesystem::path& file,
                               const ForeignOptions& options);
[[nodiscard]] Measurements table_measurements(const ForeignTable& table, const std::string& file,
                                              const ForeignOptions& options);

}  // namespace stepbench::foreign
