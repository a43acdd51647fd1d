// SPDX-License-Identifier: Apache-2.0
// A night's verdict for people: on a terminal, or as a comment. A quiet night is two lines. Pure;
// any thread.
#pragma once

#include <string>

#include "harness/campaign/check_night.h"
#include "harness/report/table.h"

namespace stepbench::report {

struct NightView {
  track::ScreenKind screen = track::ScreenKind::kRobustZ;
  // What follows each command line that is proposed: "" or " --db URL".
  std::string history_words = {};
  TableStyle style = {};
};

[[nodiscard]] std::string night_page(const campaign::CheckedNight& checked, const NightView& view);
// Begins with a hidden marker, by which a bot finds its own comment again.
[[nodiscard]] std::string night_markdown(const campaign::CheckedNight& checked,
                                         const NightView& view);

}  // namespace stepbench::report
