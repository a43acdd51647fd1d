// SPDX-License-Identifier: Apache-2.0
// Numbers as table cells: formatted by harness/text/numbers.h, with a value to sort by. A missing
// number or one that is not finite is "-". Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/document/table.h"
#include "harness/text/numbers.h"

namespace stepbench::document {

[[nodiscard]] inline Cell linked(Cell cell, std::string link) {
  cell.link = std::move(link);
  return cell;
}
// In the unit of its column: "12.3".
[[nodiscard]] Cell number(std::optional<double> value);
// At most `decimals`: "12.25".
[[nodiscard]] Cell short_number(std::optional<double> value, int decimals = 1);
// "12,345"
[[nodiscard]] Cell count(std::int64_t value);
// `ns` in the column's unit; "<0.001" if it is too small for that unit.
[[nodiscard]] Cell time(std::optional<double> ns, const text::TimeUnit& unit);
// A part of `whole_ns`, as time(), but with no digit below the fourth of the whole: "0.01" next to
// 10.0, and "<0.01" if it is smaller.
[[nodiscard]] Cell part_of_time(double ns, const text::TimeUnit& unit, double whole_ns);
// With a unit: "12.3 ms", "+12.3 ms".
[[nodiscard]] Cell duration(std::optional<double> ns);
[[nodiscard]] Cell signed_duration(std::optional<double> ns);
[[nodiscard]] Cell bytes(std::optional<double> value);
// For a column in percent: "12.3".
[[nodiscard]] Cell percent(std::optional<double> share);
// `part` of `whole` in percent; "-" if `whole` is 0.
[[nodiscard]] Cell share(double part, double whole);
// "12.3 %"
[[nodiscard]] Cell percent_text(std::optional<double> share);
// "+1.23 %"
[[nodiscard]] Cell change(std::optional<double> relative);

}  // namespace stepbench::document
