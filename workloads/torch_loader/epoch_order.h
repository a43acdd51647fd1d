// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/loader/loader.h"

namespace stepbench {

struct OrderOptions {
  std::int64_t size = 0;  // samples in the data set
  bool shuffle = false;
  bool with_replacement = false;  // RandomSampler(replacement=True); wins over shuffle
  std::uint64_t seed = 0;
  bool persistent_workers = false;
};

// The sample order of Python's DataLoader(shuffle=...) whose epochs directly follow
// torch.manual_seed(seed). Each epoch's iterator draws a base seed and the sampler a sampler
// seed; persistent workers draw the base seed once. A pure function of the epoch.
[[nodiscard]] EpochOrder torch_epoch_order(const OrderOptions& options);

}  // namespace stepbench
