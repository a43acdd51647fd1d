// SPDX-License-Identifier: Apache-2.0
// Weights of the weighted samplers: from a file, or balanced over classes.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// The relative probability of each sample (options.weights: a file, or `balanced`). Throws
// ConfigError(loader.weights) for weights that torch.multinomial rejects, for a data set whose
// samples have no class, and if the numbers of weights and samples differ;
// ConfigError(loader.num_samples) for more draws without replacement than samples.
[[nodiscard]] std::vector<double> sample_weights(const data::Dataset& dataset,
                                                 const LoaderOptions& options);

// Weight of a sample: 1 / (number of samples of its class).
[[nodiscard]] std::vector<double> balanced_weights(const std::vector<std::int64_t>& labels);

}  // namespace stepbench::loader
