// SPDX-License-Identifier: Apache-2.0
#include "harness/report/headroom.h"

#include <algorithm>
#include <optional>

#include "harness/estimate/measured_alone.h"
#include "harness/estimate/ranking.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using estimate::CaseRow;

constexpr std::size_t kLaunchesForBounds = 6;

// Bounds of the saving from the intervals of both cases; nullopt with too few launches.
struct SavingBounds {
  double least = 0;
  double most = 0;
};
std::optional<SavingBounds> saving_bounds(const CaseRow& both, const CaseRow& step) {
  if (both.spread != estimate::Spread::kOverLaunches ||
      step.spread != estimate::Spread::kOverLaunches) {
    return std::nullopt;
  }
  return SavingBounds{.least = both.interval_ns.low - step.interval_ns.high,
                      .most = both.interval_ns.high - step.interval_ns.low};
}

// Splits the saving into parts. Clamped so that they sum to it, since launches are noisy.
std::string headroom_parts(const CaseRow& both, const CaseRow& step) {
  if (!both.data_wait_share) return {};
  const auto waits_ns = [](const CaseRow& row) {
    return row.data_wait_share.value_or(0) * *row.step_ns;
  };
  const double saved_ns = *both.step_ns - *step.step_ns;
  const double waiting_ns = std::clamp(waits_ns(both) - waits_ns(step), 0.0, saved_ns);
  return ": " + text::duration(waiting_ns) + " waiting, " + text::duration(saved_ns - waiting_ns) +
         " because the two share the machine";
}

std::string three_numbers(const CaseRow& both, const CaseRow* loader, const CaseRow& step) {
  return (loader == nullptr ? "; " : "; loader alone " + text::duration(*loader->step_ns) + ", ") +
         "step alone " + text::duration(*step.step_ns) + ", both " + text::duration(*both.step_ns);
}

std::string headroom_line(const CaseRow& both, const CaseRow& step) {
  const double saved = *both.step_ns - *step.step_ns;
  const std::optional<SavingBounds> known = saving_bounds(both, step);
  if (saved <= 0 || (known && known->least <= 0)) {
    std::string text = "a perfect loader would save nothing measurable with these launches";
    if (known && known->most > 0) {
      text += ": at most " + text::duration(known->most) + " (" +
              text::percent_text(known->most / *both.step_ns) + ")";
    }
    return text;
  }
  std::string text = "a perfect loader would save " + text::duration(saved) + " (" +
                     text::percent_text(saved / *both.step_ns) + ")" + headroom_parts(both, step);
  if (known) {
    return text + "; " + text::duration(known->least) + " to " + text::duration(known->most) +
           " in all";
  }
  const std::size_t launches = std::min(both.measured.size(), step.measured.size());
  return text + "; too few launches to call it (n=" + std::to_string(launches) + ", " +
         std::to_string(kLaunchesForBounds) + " needed)";
}

}  // namespace

std::vector<std::string> headroom_lines(const std::vector<CaseRow>& rows,
                                        const record::Results& results) {
  const estimate::StandaloneCases standalone(rows);
  std::vector<const CaseRow*> cases;
  for (const CaseRow& row : rows) {
    if (!estimate::is_standalone(row) && estimate::is_timed(row) &&
        standalone.find(row, "step") != nullptr) {
      cases.push_back(&row);
    }
  }
  const estimate::RowNames names(rows, results);
  std::vector<std::string> lines;
  for (const CaseRow* both : cases) {
    const CaseRow& step = *standalone.find(*both, "step");
    lines.push_back((cases.size() > 1 ? names.name(*both) + ": " : "") +
                    headroom_line(*both, step) +
                    three_numbers(*both, standalone.find(*both, "loader"), step));
  }
  return lines;
}

}  // namespace stepbench::report
