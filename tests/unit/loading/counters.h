// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "workloads/data/dataset.h"

namespace stepbench::test {

// Reader r yields 100 r, 100 r + 1, ..., as many as its entry, each plus `per_epoch` times the
// epoch.
class Counters final : public data::IterableDataset {
 public:
  explicit Counters(std::vector<std::int64_t> lengths, std::int64_t bad = -1,
                    std::int64_t per_epoch = 0)
      : lengths_(std::move(lengths)), bad_(bad), per_epoch_(per_epoch) {}

  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::string digest() const override { return "counters"; }
  [[nodiscard]] std::unique_ptr<data::SampleStream> stream(
      const data::StreamShare& share) const override {
    const std::int64_t reader = share.rank * share.workers + share.worker;
    return std::make_unique<Counter>(reader * 100 + share.epoch * per_epoch_,
                                     lengths_.at(static_cast<std::size_t>(reader)), bad_);
  }

 private:
  class Counter final : public data::SampleStream {
   public:
    Counter(std::int64_t next, std::int64_t left, std::int64_t bad)
        : next_(next), left_(left), bad_(bad) {}
    bool next(data::SampleSlots out, data::ReadCost&) override {
      if (left_-- <= 0) return false;
      const std::int64_t value = next_++;
      if (value == bad_) throw Error("a.tar: entry 7: damaged");
      std::memcpy(out[0], &value, sizeof value);
      return true;
    }

   private:
    std::int64_t next_, left_, bad_;
  };

  std::vector<std::int64_t> lengths_;
  std::int64_t bad_;
  std::int64_t per_epoch_;
  std::vector<FieldSpec> fields_ = {{.name = "index", .shape = {}, .dtype = DType::kInt64}};
};

}  // namespace stepbench::test
