// SPDX-License-Identifier: Apache-2.0
// One night of `stepbench nightly`: measured, added to the history, judged and told.
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
  campaign::RunRequest run = {};  // what all experiments have in common
  HistoryFlags history = {};
  CheckOptions check = {};
  std::string keep_worker = {};  // empty: see keep_folder()
  bool keep_no_worker = false;
  std::string on_alert = {};
  std::string expect_by = {};  // nothing is measured: it is asked whether the night is there
  bool fresh = false;
  std::string budget = {};  // "2h"; empty: three times what the planned launches take
  LockFlags lock = {};
  bool quiet = false;
};

// Whom --on-alert tells, and of which history.
[[nodiscard]] AlertNotifier notifier_of(const NightlyOptions& options,
                                        const Environment& environment);

// The exit status of the night. Throws what failed; what was measured by then is kept.
[[nodiscard]] int run_night(const NightlyOptions& options, const Environment& environment);

}  // namespace stepbench::cli
