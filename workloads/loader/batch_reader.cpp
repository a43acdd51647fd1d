// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batch_reader.h"

#include <algorithm>

#include "harness/base/error.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::loader {

Batch BatchReader::read(const BatchSamples& samples, BatchCost& cost,
                        const std::atomic<bool>* stop) {
  cost.began_ns = cost.ended_ns = clock_.now_ns();
  Batch batch = memory_->take(static_cast<std::int64_t>(samples.indices.size()));
  if (const std::int64_t padded = length(samples); padded > 0) set_length(batch, padded);
  fill(batch, samples, cost, stop);
  return batch;
}

std::int64_t BatchReader::length(const BatchSamples& samples) const {
  const data::SampleLengths* lengths = dataset_.lengths();
  if (lengths == nullptr) return 0;
  std::int64_t longest = 0;
  for (const std::int64_t index : samples.indices) {
    longest = std::max(longest, lengths->of(index, options_.seed));
  }
  return lengths->padded(longest);
}

// Pads the sample that was read last.
void BatchReader::pad(Batch& batch, std::int64_t index) {
  const std::int64_t padded = batch.fields[0].spec->shape[0];
  const std::int64_t length = dataset_.lengths()->of(index, options_.seed);
  data::put_padding(slots_, length, padded);
  *batch.padding += padded - length;
}

void BatchReader::fill(Batch& batch, const BatchSamples& samples, BatchCost& cost,
                       const std::atomic<bool>* stop) {
  data::ReadCost reads{.clock = &clock_};
  const auto account = [&] {
    cost.ended_ns = clock_.now_ns();
    cost.fetch_ns = reads.fetch_ns;
    cost.decode_ns = reads.decode_ns;
    cost.skipped = reads.skipped;
  };
  try {
    const bool pads = dataset_.lengths() != nullptr;
    if (pads) batch.padding = 0;
    slots_.clear();
    for (const BatchField& field : batch.fields) slots_.push_back(field.data);
    std::int64_t got = 0;
    for (const std::int64_t index : samples.indices) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Error("stopped");
      if (dataset_.iterable() != nullptr) {
        if (!next_of_stream(samples.epoch, reads)) break;
      } else {
        const data::SampleKey key{
            .index = index, .seed = options_.seed, .epoch = samples.epoch_of(got)};
        dataset_.read(key, slots_, *scratch_, reads);
        if (pads) pad(batch, index);
      }
      for (std::size_t f = 0; f < slots_.size(); ++f) slots_[f] += batch.fields[f].spec->bytes();
      ++got;
    }
    if (got < batch.size) {
      batch.size = options_.drop_last ? 0 : got;
      batch.partial = true;
    }
    account();
  } catch (...) {
    account();
    throw;
  }
}

bool BatchReader::next_of_stream(std::int64_t epoch, data::ReadCost& reads) {
  if (!stream_ || stream_epoch_ != epoch) {
    stream_epoch_ = epoch;
    stream_ended_ = false;
    open_stream(epoch);
  }
  while (!stream_ended_) {
    if (stream_->next(slots_, reads)) return pass_yields_ = true;
    if (options_.joined && pass_yields_) {
      open_stream(pass_ + 1);
    } else {
      stream_ended_ = true;
    }
  }
  return false;
}

void BatchReader::open_stream(std::int64_t pass) {
  pass_ = pass;
  pass_yields_ = false;
  stream_ = dataset_.iterable()->stream({.seed = options_.seed,
                                         .epoch = pass,
                                         .rank = options_.rank,
                                         .world = options_.world,
                                         .worker = options_.worker,
                                         .workers = options_.workers});
}

}  // namespace stepbench::loader
