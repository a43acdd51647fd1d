// SPDX-License-Identifier: Apache-2.0
// One point of the plan with every option filled in: the input of a worker. A value type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/option_values.h"

namespace stepbench {

class ResolvedCase {
 public:
  std::string case_id;   // 16 hex digits, stable over versions
  std::string point_id;  // case_id before an arm's overrides; equal to case_id outside `ab`
  std::string workload;
  OptionValues options;  // full name -> value; null: not applicable in this case

  [[nodiscard]] bool has(std::string_view name) const;  // present and not null
  // These throw Error naming the option if it is absent, null or of another type.
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;  // accepts an integer
  [[nodiscard]] const std::string& text(std::string_view name) const;
  // The same, but return `otherwise` if it is absent or null.
  [[nodiscard]] bool flag_or(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::int64_t integer_or(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] double number_or(std::string_view name, double otherwise) const;
  [[nodiscard]] std::string text_or(std::string_view name, std::string_view otherwise) const;
};

}  // namespace stepbench
