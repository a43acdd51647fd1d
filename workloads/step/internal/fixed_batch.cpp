// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/internal/fixed_batch.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/base/error.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::step {

Batch read_fixed_batch(const data::Dataset& dataset, std::int64_t size, std::uint64_t seed) {
  if (dataset.size() == 0) throw Error("the data set is empty");
  if (auto own = dataset.first_batch(size, seed)) return std::move(*own);
  auto memory = std::make_shared<std::vector<std::unique_ptr<std::byte[]>>>();
  Batch batch{.fields = {}, .size = size, .owner = memory};
  for (const FieldSpec& field : dataset.fields()) {
    const std::size_t bytes = field.bytes() * static_cast<std::size_t>(size);
    batch.fields.push_back(
        {memory->emplace_back(std::make_unique<std::byte[]>(bytes)).get(), field});
  }
  const data::SampleLengths* lengths = dataset.lengths();
  const auto length_of = [&](std::int64_t i) { return lengths->of(i % dataset.size(), seed); };
  if (lengths != nullptr) {
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < size; ++i) longest = std::max(longest, length_of(i));
    set_length(batch, lengths->padded(longest));
    batch.padding = 0;
  }
  const std::unique_ptr<data::Dataset::Scratch> scratch = dataset.make_scratch();
  const data::IterableDataset* iterable = dataset.iterable();
  const std::unique_ptr<data::SampleStream> stream =
      iterable != nullptr ? iterable->stream({.seed = seed}) : nullptr;
  data::ReadCost cost;
  std::vector<std::byte*> slots(batch.fields.size());
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::size_t f = 0; f < slots.size(); ++f) {
      slots[f] = batch.fields[f].data + static_cast<std::size_t>(i) * batch.fields[f].spec->bytes();
    }
    if (stream) {
      if (!stream->next(slots, cost))
        throw Error("the data set has fewer samples than a fixed batch");
      continue;
    }
    dataset.read({.index = i % dataset.size(), .seed = seed, .epoch = 0}, slots, *scratch, cost);
    if (lengths == nullptr) continue;
    const std::int64_t padded = batch.fields[0].spec->shape[0];
    data::put_padding(slots, length_of(i), padded);
    *batch.padding += padded - length_of(i);
  }
  return batch;
}

}  // namespace stepbench::step
