// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/probe.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// Removed with all that is in it.
class ProbeFolder {
 public:
  ProbeFolder() : path_((fs::temp_directory_path() / "stepbench-probe-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw ConfigError(path_, "cannot be made: " + std::generic_category().message(errno));
    }
  }
  ProbeFolder(const ProbeFolder&) = delete;
  ProbeFolder& operator=(const ProbeFolder&) = delete;
  ~ProbeFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Probe probe_cases(RunRequest request, const CampaignContext& context, run::Progress& progress,
                  run::Interrupts& interrupts, const Clock& clock) {
  const ProbeFolder folder;
  request.smoke = true;
  request.launches = 0;
  request.results = folder.path();
  request.keeps_results = false;
  const PlannedRun run = plan_experiment(request, context, true);
  const RunEnd end = run_experiment(request, run, context, progress, interrupts, clock);
  Probe probe{.exit_status = end.exit_status, .signal = end.signal, .costs = {.probed = true}};
  for (const record::Launch& launch : end.results.launches) {
    if (launch.row.outcome.kind == Outcome::Kind::kFailed) probe.failed.push_back(launch.row);
    if (const auto cost = cost_of(launch.row)) {
      probe.costs.by_case.emplace(launch.row.key.case_id, *cost);
    }
  }
  return probe;
}

}  // namespace stepbench::campaign
