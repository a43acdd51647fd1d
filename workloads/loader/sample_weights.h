// SPDX-License-Identifier: Apache-2.0
// Weights of the weighted samplers: from a file, or balanced over classes.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// How likely each sample is to be drawn (options.weights: a file, or `balanced`); they need not sum
// to one. Throws ConfigError(loader.weights) for what torch.multinomial refuses, for a data set
// whose samples have no class, and for another number of weights than of samples; and
// ConfigError(loader.num_samples) for more draws without replacement than there are samples.
[[nodiscard]] std::vector<double> sample_weights(const data::Dataset& dataset,
                                                 const LoaderOptions& options);

// One over the number of samples of the same class.
[[nodiscard]] std::vector<double> balanced_weights(const std::vector<std::int64_t>& labels);

}  // namespace stepbench::loader
