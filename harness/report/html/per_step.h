// SPDX-License-Identifier: Apache-2.0
// Sums over profiled steps, told for one step where there are steps. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "harness/text/numbers.h"

namespace stepbench::report {

// Phases and modules have a colour each: those of series without the grey one.
inline constexpr std::size_t kPartColours = 5;

class PerStep {
 public:
  PerStep(std::int64_t steps, std::int64_t whole_ns)
      : steps_(steps), whole_ns_(static_cast<double>(whole_ns)) {}

  [[nodiscard]] double of(std::int64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(std::max<std::int64_t>(steps_, 1));
  }
  [[nodiscard]] std::string words() const { return steps_ > 0 ? " per step" : " in all"; }
  // "1.23 ms per step, 12.3 % of all"
  [[nodiscard]] std::string time(std::int64_t sum_ns) const {
    std::string text = text::duration(of(sum_ns)) + words();
    if (whole_ns_ > 0) text += ", " + text::percent_text(static_cast<double>(sum_ns) / whole_ns_);
    return text;
  }
  [[nodiscard]] std::string calls(std::int64_t count) const {
    return text::significant(of(count)) + (steps_ > 0 ? " calls per step" : " calls");
  }

 private:
  std::int64_t steps_;
  double whole_ns_;
};

}  // namespace stepbench::report
