// SPDX-License-Identifier: Apache-2.0
// Values of one launch of a search. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "harness/record/result_file.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::tune {

// Value of the objective; nullopt unless positive and finite.
[[nodiscard]] std::optional<double> value_of(const record::Launch& launch,
                                             const verdict::TestedMetric& objective);
// Logarithm to minimise: for a rate, that of the time per unit of work.
[[nodiscard]] double log_cost(double value, Direction direction);

// Peak memory; on the device if it is recorded there.
[[nodiscard]] std::optional<double> memory_bytes_of(const record::Launch& launch);
[[nodiscard]] std::optional<double> cpu_s_per_1k_samples_of(const record::Launch& launch);
[[nodiscard]] double wall_s_of(const record::Launch& launch);

// Classifies a reason of failure.
[[nodiscard]] bool ran_out_of_memory(const std::string& reason);

}  // namespace stepbench::tune
