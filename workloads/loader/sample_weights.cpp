// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/sample_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include "harness/base/error.h"
#include "workloads/data/number_file.h"
#include "workloads/loader/order.h"

namespace stepbench::loader {
namespace {

constexpr const char* kWeightsOption = "loader.weights";
// Limit of torch.multinomial.
constexpr std::size_t kMaxWeights = std::size_t{1} << 24;

void require_drawable(const std::vector<double>& weights) {
  if (weights.size() > kMaxWeights) {
    throw ConfigError(kWeightsOption, std::to_string(weights.size()) +
                                          " samples; torch.multinomial draws from at most 2^24");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i]) && weights[i] >= 0) continue;
    std::ostringstream weight;
    weight << weights[i];
    throw ConfigError(kWeightsOption, "weight " + std::to_string(i) + " is " + weight.str() +
                                          ", expected a finite number that is not negative");
  }
  if (std::accumulate(weights.begin(), weights.end(), 0.0) > 0) return;
  throw ConfigError(kWeightsOption, "all weights are zero: there is nothing to draw");
}

}  // namespace

std::vector<double> balanced_weights(const std::vector<std::int64_t>& labels) {
  std::map<std::int64_t, double> counts;
  for (const std::int64_t label : labels) ++counts[label];
  std::vector<double> weights;
  weights.reserve(labels.size());
  for (const std::int64_t label : labels) weights.push_back(1 / counts[label]);
  return weights;
}

std::vector<double> sample_weights(const data::Dataset& dataset, const LoaderOptions& options) {
  std::vector<double> weights;
  if (options.weights == "balanced") {
    weights = balanced_weights(dataset.labels(options.seed));
    if (weights.empty()) {
      throw ConfigError(kWeightsOption,
                        "balanced needs samples with one class each, and this data set has none; "
                        "give a file with a weight per sample");
    }
  } else {
    weights =
        data::read_numbers({.option = kWeightsOption,
                            .path = options.weights,
                            .expected = "`balanced` or a text file with a weight per sample"});
    if (weights.size() != static_cast<std::size_t>(dataset.size())) {
      throw ConfigError(kWeightsOption, options.weights + " has " + std::to_string(weights.size()) +
                                            " weights for " + std::to_string(dataset.size()) +
                                            " samples");
    }
  }
  require_drawable(weights);
  const std::int64_t draws = epoch_samples(dataset.size(), options);
  if (!options.with_replacement && draws > dataset.size()) {
    throw ConfigError("loader.num_samples", "cannot draw " + std::to_string(draws) + " of " +
                                                std::to_string(dataset.size()) +
                                                " samples without replacement");
  }
  return weights;
}

}  // namespace stepbench::loader
