// SPDX-License-Identifier: Apache-2.0
// What `stepbench ab` does with two planned arms: measures them in turns and judges. Prints nothing
// but progress. Throws Error for what the user can mend.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/ab_arms.h"
#include "harness/campaign/device_locks.h"
#include "harness/compare/comparison.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::campaign {

struct AbRequest {
  ArmsRequest arms;
  std::int64_t pairs = 0;  // of every case; 0: looks decide
  // With `pairs`: after so many of them `is_over` is asked whether a case needs no more.
  std::vector<std::size_t> looks = {};
  std::optional<std::uint64_t> seed = {};
  std::vector<std::string> metrics = {};  // tested ones; empty: the step and the peak of memory
  std::vector<std::string> margins = {};
  std::vector<std::string> allow = {};
  std::vector<std::string> labels = {};  // KEY=VALUE
  bool allow_inconclusive = false;
  bool gate_counts = false;         // counts decide alone; every case is profiled
  std::string results = "results";  // the run's folder is made here
  std::string resume = {};          // the folder of a campaign to go on with; empty: a new one
  LockPolicy lock = LockPolicy::kRefuse;
  std::string purpose = {};  // ends the name of the run's folder: "confirm"
  Fields context = {};       // recorded with the run, besides what describes the campaign
  std::function<bool(const record::Results&, const compare::AbPoint&, std::size_t pairs)> is_over =
      {};
};

// What can be refused before anything is planned.
void check_request(const AbRequest& request);

// What follows from a request and its arms, before anything is measured. Throws ConfigError for
// metrics and margins that are none.
struct AbPlan {
  std::vector<Metric> columns = {};  // of both arms
  compare::TestedMetrics tested = {};
  double count_margin = 0;              // of counts, where these decide
  std::vector<std::size_t> looks = {};  // pairs after which the rule runs
};
[[nodiscard]] AbPlan plan_ab(const AbRequest& request, const AbArms& arms);

// What may change the meaning of the verdict, or of the file. To be told even where progress is
// not.
[[nodiscard]] std::vector<std::string> notes_on(const AbRequest& request, const AbArms& arms);

struct AbRun {
  int exit_status = 0;
  std::optional<int> signal = {};         // that interrupted it
  std::filesystem::path run_folder = {};  // empty: interrupted before there was one
  compare::Comparison comparison = {};    // unless interrupted
};

// `on_start` receives the run's folder before the first launch, so that what fails later can be
// told there. `interrupts` is the caller's and lives until it has told the end: a signal or a
// broken pipe must not end the program half-way through that. Main thread only.
[[nodiscard]] AbRun run_ab(const AbRequest& request, const AbArms& arms,
                           const CampaignContext& context, run::Progress& progress,
                           run::Interrupts& interrupts, const Clock& clock,
                           const std::function<void(const std::filesystem::path&)>& on_start);

}  // namespace stepbench::campaign
