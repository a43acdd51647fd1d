// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/padding.h"

#include <algorithm>
#include <utility>

#include "workloads/data/sample_lengths.h"
#include "workloads/loader/batch_order.h"
#include "workloads/loader/order.h"

namespace stepbench::loader {
namespace {

// Reading this many lengths takes a tenth of a second.
constexpr std::int64_t kMaxSamples = 1'000'000;

}  // namespace

std::optional<double> padding_of_epoch(const data::Dataset& dataset, LoaderOptions options,
                                       EpochOrder order, std::int64_t bucket_batches) {
  const data::SampleLengths* lengths = dataset.lengths();
  if (lengths == nullptr || epoch_samples(dataset.size(), options) > kMaxSamples) {
    return std::nullopt;
  }
  options.lengths = lengths;
  options.bucket_batches = bucket_batches;
  options.joined = false;
  BatchOrder batches(dataset.size(), options, std::move(order));
  batches.begin(0);
  double padded = 0;
  double tokens = 0;
  while (const auto batch = batches.next()) {
    std::int64_t longest = 0;
    for (const std::int64_t index : batch->indices) {
      const std::int64_t length = lengths->of(index, options.seed);
      longest = std::max(longest, length);
      tokens += static_cast<double>(length);
    }
    padded +=
        static_cast<double>(lengths->padded(longest)) * static_cast<double>(batch->indices.size());
  }
  if (padded == 0) return std::nullopt;
  return 1 - tokens / padded;
}

}  // namespace stepbench::loader
