// SPDX-License-Identifier: Apache-2.0
// What a figure says of itself: which chart of charts.js draws it, and of what. What several
// figures of a page share stands once in the page's data, under `charts`. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/json/json_text.h"

namespace stepbench::report {

inline constexpr double kNsPerMs = 1e6;

// {"chart":"heat": what it is drawn of follows, then close_object().
[[nodiscard]] json::JsonText chart(std::string_view name);

// With as many digits as any screen shows; null where a value is not finite.
void add_numbers(json::JsonText& json, std::string_view key, std::span<const double> values,
                 int digits = 6);
// A text of any length as charts show it: its middle is cut out.
[[nodiscard]] std::string chart_text(std::string_view text);
void add_places(json::JsonText& json, std::string_view key, std::span<const std::size_t> places);

// Places of what is drawn of very many values: of each stretch the smallest and the largest, the
// first and the last. All of them where there are no more than `points`; 4 or more are kept.
[[nodiscard]] std::vector<std::size_t> thin_out(std::span<const double> values, std::size_t points);

}  // namespace stepbench::report
