// SPDX-License-Identifier: Apache-2.0
#include "harness/report/headroom.h"

#include <algorithm>
#include <optional>

#include "harness/estimate/ranking.h"
#include "harness/estimate/replayed.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using estimate::CaseRow;
using estimate::find_replayed;
using estimate::Replayed;

constexpr std::size_t kLaunchesForBounds = 6;

// By what the intervals of both allow at least and at most; nullopt: of too few launches.
struct SavingBounds {
  double least = 0;
  double most = 0;
};
std::optional<SavingBounds> saving_bounds(const CaseRow& as_is, const CaseRow& stopped) {
  if (as_is.spread != estimate::Spread::kOverLaunches ||
      stopped.spread != estimate::Spread::kOverLaunches) {
    return std::nullopt;
  }
  return SavingBounds{.least = as_is.interval_ns.low - stopped.interval_ns.high,
                      .most = as_is.interval_ns.high - stopped.interval_ns.low};
}

// They sum to what is saved: launches differ by more than one part of nothing.
std::string headroom_parts(const CaseRow& as_is, const CaseRow* working, const CaseRow& stopped) {
  if (working == nullptr) return {};
  const double between_ns = std::clamp(*working->step_ns, *stopped.step_ns, *as_is.step_ns);
  return ": " + text::duration(*as_is.step_ns - between_ns) + " waiting, " +
         text::duration(between_ns - *stopped.step_ns) + " because its workers take CPU";
}

std::string headroom_line(const CaseRow& as_is, const CaseRow* working, const CaseRow& stopped) {
  const double saved = *as_is.step_ns - *stopped.step_ns;
  const std::optional<SavingBounds> known = saving_bounds(as_is, stopped);
  if (saved <= 0 || (known && known->least <= 0)) {
    std::string text = "a perfect loader would save nothing that these launches can tell";
    if (known && known->most > 0) {
      text += ": at most " + text::duration(known->most) + " (" +
              text::percent_text(known->most / *as_is.step_ns) + ")";
    }
    return text;
  }
  std::string text = "a perfect loader would save " + text::duration(saved) + " (" +
                     text::percent_text(saved / *as_is.step_ns) + ")" +
                     headroom_parts(as_is, working, stopped);
  if (known) {
    return text + "; " + text::duration(known->least) + " to " + text::duration(known->most) +
           " in all";
  }
  const std::size_t launches = std::min(as_is.measured.size(), stopped.measured.size());
  return text + "; too few launches to call it (n=" + std::to_string(launches) + ", " +
         std::to_string(kLaunchesForBounds) + " needed)";
}

}  // namespace

std::vector<std::string> headroom_lines(const std::vector<CaseRow>& rows,
                                        const record::Results& results) {
  std::vector<const CaseRow*> cases;
  for (const CaseRow& row : rows) {
    if (estimate::replayed(row) == Replayed::kNot && estimate::is_timed(row) &&
        find_replayed(rows, row, Replayed::kStopped) != nullptr) {
      cases.push_back(&row);
    }
  }
  const estimate::RowNames names(rows, results);
  std::vector<std::string> lines;
  for (const CaseRow* as_is : cases) {
    lines.push_back((cases.size() > 1 ? names.name(*as_is) + ": " : "") +
                    headroom_line(*as_is, find_replayed(rows, *as_is, Replayed::kWorking),
                                  *find_replayed(rows, *as_is, Replayed::kStopped)));
  }
  return lines;
}

}  // namespace stepbench::report
