// SPDX-License-Identifier: Apache-2.0
// One night of `stepbench nightly`: measure, add to the history, judge, report.
#pragma once

#include <string>
#include <vector>

#include "harness/campaign/run_request.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/on_alert.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/check_options.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {

struct NightlyOptions {
  std::vector<std::string> files = {};
  campaign::RunRequest run = {};  // common to all experiments
  HistoryFlags history = {};
  CheckOptions check = {};
  std::string keep_worker = {};  // empty: see keep_folder()
  bool keep_no_worker = false;
  std::string on_alert = {};
  std::string expect_by = {};  // only check that the night exists; measures nothing
  bool fresh = false;
  std::string budget = {};  // "2h"; empty: three times the expected duration
  LockFlags lock = {};
  bool quiet = false;
};

// The notifier configured by --on-alert, for this history.
[[nodiscard]] AlertNotifier notifier_of(const NightlyOptions& options,
                                        const Environment& environment);

// Returns the exit status of the night. Throws on failure; results measured by then are kept.
[[nodiscard]] int run_night(const NightlyOptions& options, const Environment& environment);

}  // namespace stepbench::cli
