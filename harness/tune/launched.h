// SPDX-License-Identifier: Apache-2.0
// What one launch says of a point of a search. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/compare/tested_metrics.h"
#include "harness/record/reader.h"

namespace stepbench::tune {

// Of what is to be made small or large: positive and finite, or nothing.
[[nodiscard]] std::optional<double> value_of(const record::Launch& launch,
                                             const compare::TestedMetric& objective);
// The logarithm of what is to be small: of a rate, of the time that its work takes.
[[nodiscard]] double log_cost(double value, Direction direction);

// The most memory that it held, on the device where that is counted.
[[nodiscard]] std::optional<double> memory_bytes_of(const record::Launch& launch);
[[nodiscard]] std::optional<double> cpu_s_per_1k_samples_of(const record::Launch& launch);
[[nodiscard]] double wall_s_of(const record::Launch& launch);

// By why it failed.
[[nodiscard]] bool ran_out_of_memory(const std::string& reason);

}  // namespace stepbench::tune
