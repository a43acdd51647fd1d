// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "workloads/loader/order.h"

namespace stepbench::loader {

using Indices = std::vector<std::int64_t>;

BatchOrder::BatchOrder(std::int64_t samples, const LoaderOptions& options, EpochOrder order)
    : samples_(samples),
      batch_size_(options.batch_size),
      drop_last_(options.drop_last),
      joined_(options.joined),
      order_(std::move(order)),
      indices_(std::make_shared<const Indices>()) {}

void BatchOrder::begin(std::int64_t epoch) {
  at_ = 0;
  epoch_ = drawn_ = epoch;
  if (samples_ < 0) {
    indices_ = std::make_shared<const Indices>(static_cast<std::size_t>(batch_size_));
    batches_ = kEndless;
    return;
  }
  indices_ = std::make_shared<const Indices>(order_(epoch));
  left_ = pass_ = drawn();
  const bool endless = joined_ && pass_ > 0;
  batches_ = endless ? kEndless : batch_count(pass_, batch_size_, drop_last_);
}

std::optional<BatchSamples> BatchOrder::next() {
  if (samples_ < 0) return BatchSamples{.indices = *indices_, .epoch = epoch_};
  if (endless() && drawn() - at_ < batch_size_) append_epochs();
  const std::int64_t size = std::min(batch_size_, drawn() - at_);
  if (size == 0 || (drop_last_ && size < batch_size_)) return std::nullopt;
  BatchSamples batch{.indices = std::span(*indices_).subspan(static_cast<std::size_t>(at_),
                                                             static_cast<std::size_t>(size)),
                     .epoch = epoch_};
  at_ += size;
  if (!endless()) return batch;
  batch.left = left_;
  batch.pass = pass_;
  batch.owner = indices_;
  move_on(size);
  return batch;
}

// Batches under way keep what they point into.
void BatchOrder::append_epochs() {
  auto indices = std::make_shared<Indices>(indices_->begin() + at_, indices_->end());
  while (static_cast<std::int64_t>(indices->size()) < batch_size_) {
    const Indices epoch = order_(++drawn_);
    assert(static_cast<std::int64_t>(epoch.size()) == pass_);
    indices->insert(indices->end(), epoch.begin(), epoch.end());
  }
  indices_ = std::move(indices);
  at_ = 0;
}

void BatchOrder::move_on(std::int64_t samples) {
  for (; samples >= left_; left_ = pass_, ++epoch_) samples -= left_;
  left_ -= samples;
}

}  // namespace stepbench::loader
