// SPDX-License-Identifier: Apache-2.0
// The order in which Python's DataLoader takes the samples of an epoch, index by index, from
// torch's generator: by RandomSampler, with or without replacement, and by WeightedRandomSampler.
// All engines of a worker with torch use it.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/loader/loader.h"

namespace stepbench::transfer {

struct OrderOptions {
  std::int64_t size = 0;         // samples in the data set
  std::int64_t num_samples = 0;  // per epoch, if they are drawn; 0: size
  bool shuffle = false;
  bool with_replacement = false;  // RandomSampler(replacement=True); overrides shuffle
  // WeightedRandomSampler(weights, num_samples, with_replacement)
  std::vector<double> weights = {};
  std::uint64_t seed = 0;
  bool one_iterator = false;  // persistent workers, or an endless sampler
};

// The sample order of Python's DataLoader(shuffle=...) whose epochs directly follow
// torch.manual_seed(seed). Each epoch's iterator draws a base seed and the sampler a sampler seed;
// a single iterator for all epochs draws the base seed once. A pure function of the epoch. An epoch
// needs all draws before it: ascending epochs are fast. One thread.
[[nodiscard]] loader::EpochOrder torch_epoch_order(const OrderOptions& options);

// That order for a data set; empty for an iterable one. Throws as sample_weights() does.
[[nodiscard]] loader::EpochOrder torch_order(const data::Dataset& dataset,
                                             const loader::LoaderOptions& options);

}  // namespace stepbench::transfer
