// SPDX-License-Identifier: Apache-2.0
// Columns of a launch as one table over all its cycles, or over part of them. Holds views into the
// launch, which must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::estimate {

class StepColumns {
 public:
  explicit StepColumns(const record::Launch& launch);

  [[nodiscard]] std::size_t steps() const { return steps_; }
  // In order of first appearance.
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }
  // True if every step has a value.
  [[nodiscard]] bool complete(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::int64_t sum(std::string_view name) const;
  // Values of the steps that have one, in order.
  [[nodiscard]] std::vector<double> values(std::string_view name) const;
  // One value per step; 0 for cycles without the column.
  [[nodiscard]] std::vector<std::int64_t> filled(std::string_view name) const;

  // Restricts each cycle to whole epochs: from its first to its last step with `border` in its
  // flags. Returns false and changes nothing if a cycle has fewer than two such steps.
  bool cut_to_epochs(std::int64_t border);

 private:
  struct Part {
    const record::CycleSamples* samples = nullptr;
    std::size_t from = 0;
    std::size_t to = 0;
    [[nodiscard]] std::span<const std::int64_t> column(std::string_view name) const;
  };
  std::vector<Part> parts_;
  std::vector<std::string_view> names_;
  std::size_t steps_ = 0;
};

}  // namespace stepbench::estimate
