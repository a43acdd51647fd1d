// SPDX-License-Identifier: Apache-2.0
// The columns of a launch as one table over its cycles, or a part of it. Views into the launch,
// which must outlive it.
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
  // Every step has a value.
  [[nodiscard]] bool complete(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::int64_t sum(std::string_view name) const;
  // One value per step that has one, in order.
  [[nodiscard]] std::vector<double> values(std::string_view name) const;
  // One value per step; 0 where a cycle lacks the column.
  [[nodiscard]] std::vector<std::int64_t> filled(std::string_view name) const;

  // Only the whole epochs of each cycle: from its first to its last step that carries `border` in
  // its flags. False, and nothing is cut, where a cycle has fewer than two such steps.
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
