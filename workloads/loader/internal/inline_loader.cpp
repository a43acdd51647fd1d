// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/inline_loader.h"

#include <utility>

#include "harness/workload.h"
#include "workloads/loader/batches.h"

namespace stepbench::loader {

InlineLoader::InlineLoader(const data::Dataset& dataset, const LoaderOptions& options,
                           EpochOrder order, const Clock& clock)
    : options_(options),
      order_(dataset.size(), options, std::move(order)),
      clock_(clock),
      memory_(dataset.fields(), options.batch_size, options.reuse_buffers),
      reader_(dataset, memory_, reader_options(options, 0, 1), clock),
      samples_(dataset.size()) {}

void InlineLoader::begin_epoch(std::int64_t epoch) {
  const std::int64_t began = clock_.now_ns();
  order_.begin(epoch);
  reader_.restart();
  next_batch_ = 0;
  ++metrics_.epochs;
  metrics_.epoch_begin_ns += clock_.now_ns() - began;
}

std::optional<Batch> InlineLoader::next() {
  const std::int64_t began = clock_.now_ns();
  const std::optional<BatchSamples> samples = order_.next();
  if (!samples) {
    metrics_.epoch_end_ns += clock_.now_ns() - began;
    return std::nullopt;
  }
  BatchCost cost;
  std::int64_t pinning_ns = 0;
  const auto account = [&] {
    const std::int64_t wait_ns = clock_.now_ns() - began;
    metrics_.fetch_ns += cost.fetch_ns;
    metrics_.decode_ns += cost.decode_ns;
    metrics_.collate_ns += cost.collate_ns();
    metrics_.skipped_samples += cost.skipped;
    metrics_.read_ns += cost.total_ns();
    metrics_.pin_ns += pinning_ns;
    metrics_.pinning_ns += pinning_ns;
    metrics_.dispatch_ns += wait_ns - cost.total_ns() - pinning_ns;
    metrics_.wait_ns.push_back(wait_ns);
    metrics_.queue_depth.push_back(0);
    if (worker_span_listener != nullptr) worker_span_listener->own_batch(cost);
  };
  const std::int64_t index = next_batch_++;  // a failed batch is skipped, as in Python
  try {
    Batch batch = reader_.read(*samples, cost);
    if (batch.size == 0) {
      metrics_.epoch_end_ns += clock_.now_ns() - began;
      return std::nullopt;
    }
    batch.index = index;
    if (options_.pinned != nullptr) {
      const std::int64_t read = clock_.now_ns();
      batch = pinned_copy(batch, *options_.pinned);
      pinning_ns = clock_.now_ns() - read;
    }
    metrics_.count(batch);
    account();
    return batch;
  } catch (...) {
    account();
    throw;
  }
}

std::int64_t InlineLoader::batches_per_epoch() const { return epoch_batches(samples_, options_); }

void InlineLoader::reset_metrics() { metrics_ = {}; }

Engine inline_engine() {
  return {.variant = {.name = "inline",
                      .doc = "The training thread reads each batch itself (Python's "
                             "num_workers=0)."},
          .has_workers = false,
          .make = [](const data::Dataset& dataset, const LoaderOptions& options, EpochOrder order,
                     const WorkerContext& context) -> std::unique_ptr<Loader> {
            return std::make_unique<InlineLoader>(dataset, options, std::move(order),
                                                  context.clock);
          }};
}

}  // namespace stepbench::loader
