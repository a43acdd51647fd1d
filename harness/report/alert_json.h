// SPDX-License-Identifier: Apache-2.0
// An alert as one line of JSON, "stepbench.alert" 2.0.0: what `nightly --on-alert` hands to a
// command that tells people. tools/examples/nightly/README.md has the fields. Pure; any thread.
#pragma once

#include <string>

#include "harness/nights/alert.h"
#include "harness/track/history.h"

namespace stepbench::report {

inline constexpr const char* kAlertSchema = "stepbench.alert";
inline constexpr const char* kAlertVersion = "2.0.0";

// One sentence for a chat or the subject of a mail. `history` holds the alert's series and runs;
// what it lacks is called by its id.
[[nodiscard]] std::string alert_sentence(const nights::Alert& alert, const track::History& history);

// `show`: a command line that shows it.
[[nodiscard]] std::string alert_json(const nights::Alert& alert, const track::History& history,
                                     const std::string& show);

}  // namespace stepbench::report
