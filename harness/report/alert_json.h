// SPDX-License-Identifier: Apache-2.0
// An alert as one line of JSON, "stepbench.alert" 2.0.0: the input of the command of `nightly
// --on-alert`. Fields: tools/examples/nightly/README.md. Pure; any thread.
#pragma once

#include <string>

#include "harness/nights/alert.h"
#include "harness/track/history.h"

namespace stepbench::report {

inline constexpr const char* kAlertSchema = "stepbench.alert";
inline constexpr const char* kAlertVersion = "2.0.0";

// One sentence for a chat or a mail subject. `history` has the alert's series and runs; missing
// ones are named by id.
[[nodiscard]] std::string alert_sentence(const nights::Alert& alert, const track::History& history);

// `show`: command line that shows the alert.
[[nodiscard]] std::string alert_json(const nights::Alert& alert, const track::History& history,
                                     const std::string& show);

}  // namespace stepbench::report
