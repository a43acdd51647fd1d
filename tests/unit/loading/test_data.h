// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstring>

#include "harness/base/error.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::test {

// One int64 field holding the index; `before` runs first, on the reading thread, and may throw or
// wait.
class IndexDataset : public data::Dataset {
 public:
  explicit IndexDataset(std::int64_t samples,
                        std::function<void(const data::SampleKey&)> before = {})
      : samples_(samples), before_(std::move(before)) {}

  [[nodiscard]] std::int64_t size() const override { return samples_; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
    return std::make_unique<Scratch>();
  }
  void read(const data::SampleKey& key, data::SampleSlots out, Scratch&,
            data::ReadCost&) const override {
    if (before_) before_(key);
    std::memcpy(out[0], &key.index, sizeof key.index);
  }
  [[nodiscard]] std::string digest() const override { return "index"; }

 private:
  std::int64_t samples_;
  std::function<void(const data::SampleKey&)> before_;
  std::vector<FieldSpec> fields_ = {{.name = "index", .shape = {}, .dtype = DType::kInt64}};
};

// One int64 field: 1000 times the epoch in which the sample is read, plus its index.
class EpochDataset final : public IndexDataset {
 public:
  static constexpr std::int64_t kEpoch = 1000;
  using IndexDataset::IndexDataset;
  void read(const data::SampleKey& key, data::SampleSlots out, Scratch&,
            data::ReadCost&) const override {
    const std::int64_t value = key.epoch * kEpoch + key.index;
    std::memcpy(out[0], &value, sizeof value);
  }
};

// The samples of an IndexDataset's batch.
inline std::vector<std::int64_t> indices(const Batch& batch) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(batch.size));
  std::memcpy(values.data(), batch.fields.at(0).data, values.size() * sizeof values[0]);
  return values;
}

// The bytes of all fields, one after another.
inline std::vector<std::byte> bytes(const Batch& batch) {
  std::vector<std::byte> all;
  for (const BatchField& field : batch.fields) {
    const std::size_t size = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    all.insert(all.end(), field.data, field.data + size);
  }
  return all;
}

inline std::vector<std::vector<std::int64_t>> epoch(loader::Loader& loader, std::int64_t number) {
  std::vector<std::vector<std::int64_t>> batches;
  loader.begin_epoch(number);
  while (const std::optional<Batch> batch = loader.next()) batches.push_back(indices(*batch));
  return batches;
}

// The first `count` batches of joined epochs of an EpochDataset in this order.
inline std::vector<std::vector<std::int64_t>> joined_batches(const loader::EpochOrder& order,
                                                             std::int64_t batch_size,
                                                             std::int64_t count) {
  std::vector<std::int64_t> samples;
  for (std::int64_t epoch = 0; std::ssize(samples) < batch_size * count; ++epoch) {
    for (const std::int64_t index : order(epoch)) {
      samples.push_back(epoch * EpochDataset::kEpoch + index);
    }
  }
  std::vector<std::vector<std::int64_t>> batches;
  for (auto first = samples.begin(); std::ssize(batches) < count; first += batch_size) {
    batches.emplace_back(first, first + batch_size);
  }
  return batches;
}

}  // namespace stepbench::test
