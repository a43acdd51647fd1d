// SPDX-License-Identifier: Apache-2.0
// Numbers as cells: the words of harness/text/numbers.h, and what they are sorted by. Without a
// number, or with one that is not finite, a cell is "-". Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/document/table.h"
#include "harness/text/numbers.h"

namespace stepbench::document {

// A cell that leads there.
[[nodiscard]] inline Cell linked(Cell cell, std::string link) {
  cell.link = std::move(link);
  return cell;
}
// The number in the unit of its column: "12.3".
[[nodiscard]] Cell number(std::optional<double> value);
// At most `decimals`: "12.25".
[[nodiscard]] Cell short_number(std::optional<double> value, int decimals = 1);
// "12,345"
[[nodiscard]] Cell count(std::int64_t value);
// In the unit of its column, given in nanoseconds. What is too little for it is "<0.001".
[[nodiscard]] Cell time(std::optional<double> ns, const text::TimeUnit& unit);
// A part of `whole_ns`, as above but in no smaller digits than the fourth of the whole: "0.01"
// beside 10.0, and "<0.01" what is less.
[[nodiscard]] Cell part_of_time(double ns, const text::TimeUnit& unit, double whole_ns);
// With its own unit: "12.3 ms", "+12.3 ms".
[[nodiscard]] Cell duration(std::optional<double> ns);
[[nodiscard]] Cell signed_duration(std::optional<double> ns);
[[nodiscard]] Cell bytes(std::optional<double> value);
// In a column of percent: "12.3".
[[nodiscard]] Cell percent(std::optional<double> share);
// `part` of `whole`; "-" of nothing.
[[nodiscard]] Cell share(double part, double whole);
// "12.3 %"
[[nodiscard]] Cell percent_text(std::optional<double> share);
// "+1.23 %"
[[nodiscard]] Cell change(std::optional<double> relative);

}  // namespace stepbench::document
