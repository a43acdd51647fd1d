// SPDX-License-Identifier: Apache-2.0
// data.kind synthetic: generated samples of a chosen size and cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/data/dataset.h"

namespace stepbench::data {

enum class SampleCost : std::uint8_t { kNone, kSleep, kSpin };
constexpr EnumNames<3> names_of(SampleCost) { return {"none", "sleep", "spin"}; }
enum class CostDistribution : std::uint8_t { kFixed, kNormal, kExponential, kGamma };
constexpr EnumNames<4> names_of(CostDistribution) {
  return {"fixed", "normal", "exponential", "gamma"};
}

struct SyntheticOptions {
  std::int64_t samples = 1024;
  std::vector<std::int64_t> shape = {3, 224, 224};  // of the field `image`
  std::int64_t classes = 10;
  bool fill = true;  // false: only the label is written
  SampleCost cost = SampleCost::kNone;
  double cost_us = 0;
  CostDistribution distribution = CostDistribution::kFixed;
  double cost_cv = 0.25;
  std::int64_t touch_bytes = 0;
  double straggler_share = 0;  // share of samples that cost straggler_us more
  double straggler_us = 0;
  double collate_us = 0;          // per sample, counted as neither fetching nor decoding
  DType dtype = DType::kFloat32;  // of `image`: kFloat32 or kUInt8
};

// Samples that are a function of (seed, index): image uniform in [-1, 1) or over all bytes,
// label uniform in [0, classes).
class Synthetic final : public Dataset {
 public:
  explicit Synthetic(SyntheticOptions options);

  [[nodiscard]] std::int64_t size() const override { return options_.samples; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override;
  void read(const SampleKey& key, SampleSlots out, Scratch& scratch, ReadCost& cost) const override;
  [[nodiscard]] std::int64_t classes() const override { return options_.classes; }
  [[nodiscard]] std::vector<std::int64_t> labels(std::uint64_t seed) const override;
  [[nodiscard]] std::string digest() const override;

  // The emulated cost of a sample; a function of (seed, index), never negative.
  [[nodiscard]] double cost_us(const SampleKey& key) const;

 private:
  [[nodiscard]] std::int64_t label(std::uint64_t seed, std::int64_t index) const;
  [[nodiscard]] double usual_cost_us(const SampleKey& key) const;

  SyntheticOptions options_;
  std::vector<FieldSpec> fields_;
};

// The row of data.kind.
[[nodiscard]] DataKind synthetic_kind();

}  // namespace stepbench::data
