// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "workloads/loader/sample_order.h"

namespace stepbench::loader {

using Indices = std::vector<std::int64_t>;

BatchOrder::BatchOrder(std::int64_t samples, const LoaderOptions& options, EpochOrder order)
    : samples_(samples),
      options_(options),
      order_(std::move(order)),
      indices_(std::make_shared<const Indices>()) {}

void BatchOrder::begin(std::int64_t epoch) {
  at_ = 0;
  epoch_ = drawn_ = epoch;
  if (samples_ < 0) {
    indices_ = std::make_shared<const Indices>(static_cast<std::size_t>(options_.batch_size));
    batches_ = kEndless;
    return;
  }
  Indices order = order_(epoch);
  sort_by_length(order, options_, epoch);
  indices_ = std::make_shared<const Indices>(std::move(order));
  left_ = pass_ = drawn();
  const bool endless = options_.joined && pass_ > 0;
  batches_ = endless ? kEndless : batch_count(pass_, options_.batch_size, options_.drop_last);
}

std::optional<BatchSamples> BatchOrder::next() {
  if (samples_ < 0) return BatchSamples{.indices = *indices_, .epoch = epoch_};
  if (endless() && drawn() - at_ < options_.batch_size) append_epochs();
  const std::int64_t size = std::min(options_.batch_size, drawn() - at_);
  if (size == 0 || (options_.drop_last && size < options_.batch_size)) return std::nullopt;
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

// Makes a new vector: batches under way own the old one.
void BatchOrder::append_epochs() {
  auto indices = std::make_shared<Indices>(indices_->begin() + at_, indices_->end());
  while (static_cast<std::int64_t>(indices->size()) < options_.batch_size) {
    Indices epoch = order_(++drawn_);
    assert(static_cast<std::int64_t>(epoch.size()) == pass_);
    // The first samples complete the previous epoch's last batch and stay unsorted.
    const auto batch = static_cast<std::size_t>(options_.batch_size);
    const std::size_t fill = (batch - indices->size()) % batch;
    if (fill < epoch.size()) {
      sort_by_length(std::span(epoch).subspan(fill), options_, drawn_);
    }
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
