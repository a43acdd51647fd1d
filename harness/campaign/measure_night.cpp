// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/measure_night.h"

#include <map>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/estimate/case_rows.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

class NightMeasurement {
 public:
  NightMeasurement(const CampaignContext& context, UnfinishedNight& night, run::Progress& progress,
                   run::Interrupts& interrupts, const Clock& clock)
      : context_(context),
        night_(night),
        progress_(progress),
        interrupts_(interrupts),
        clock_(clock) {}

  MeasuredExperiment measure(const NightExperiment& experiment) {
    RunRequest request = experiment.request;
    request.lock = LockPolicy::kNone;
    request.resume = night_.folder_of(request.file).string();
    if (!request.resume.empty()) {
      try {
        return measure(request, experiment);
      } catch (const ConfigError& error) {
        progress_.say("note: " + request.file + " is measured anew: " + error.what());
        request.resume.clear();
      }
    }
    try {
      return measure(request, experiment);
    } catch (const Error& error) {
      return unfinished(request.file, error.what());
    } catch (const std::system_error& error) {
      return unfinished(request.file, error.what());
    }
  }

 private:
  MeasuredExperiment measure(const RunRequest& request, const NightExperiment& experiment) {
    RunEnd end = run_experiment(
        request, experiment.run, context_, progress_, interrupts_, clock_,
        [&](const fs::path& folder) { night_.begun(request.file, folder); },
        experiment.beside ? &*experiment.beside : nullptr);
    return {.file = request.file,
            .folder = std::move(end.run_folder),
            .results = std::move(end.results)};
  }

  // What was finished before it failed is a night's result all the same.
  MeasuredExperiment unfinished(const std::string& file, std::string why) {
    MeasuredExperiment measured{.file = file, .error = std::move(why)};
    const fs::path folder = night_.folder_of(file);
    if (folder.empty()) return measured;
    try {
      measured.results = record::read_results(folder);
      measured.folder = folder;
    } catch (const Error&) {
      progress_.say("note: nothing can be read of " + folder.string());
    }
    return measured;
  }

  const CampaignContext& context_;
  UnfinishedNight& night_;
  run::Progress& progress_;
  run::Interrupts& interrupts_;
  const Clock& clock_;
};

}  // namespace

MeasuredNight measure_night(std::span<const NightExperiment> experiments,
                            const CampaignContext& context, UnfinishedNight& night,
                            run::Progress& progress, run::Interrupts& interrupts,
                            const Clock& clock) {
  NightMeasurement measurement{context, night, progress, interrupts, clock};
  MeasuredNight measured;
  for (const NightExperiment& experiment : experiments) {
    (void)interrupts.take();
    if (interrupts.first()) break;
    measured.experiments.push_back(measurement.measure(experiment));
  }
  measured.signal = interrupts.first();
  return measured;
}

FailedLaunches failed_launches(const record::Results& results) {
  struct Counts {
    std::size_t measured = 0;
    std::size_t failed = 0;
  };
  FailedLaunches failed;
  std::map<std::string, Counts> cases;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == record::kReferenceArm) continue;  // told, and no failure of tonight's
    Counts& counts = cases[row.key.case_id];
    if (row.outcome.kind != Outcome::Kind::kSkipped) ++failed.of;
    if (row.outcome.kind == Outcome::Kind::kMeasured) ++counts.measured;
    if (row.outcome.kind != Outcome::Kind::kFailed) continue;
    ++counts.failed;
    if (failed.launches++ > 0) continue;
    const std::vector<std::string> varying =
        results.runs.empty() ? std::vector<std::string>{} : results.runs.front().swept;
    failed.first =
        estimate::case_label(row.options, varying, row.key.case_id) + ": " + row.outcome.reason;
  }
  for (const auto& [id, counts] : cases) {
    if (counts.failed > 0 && counts.measured == 0) ++failed.cases_without_any;
  }
  return failed;
}

}  // namespace stepbench::campaign
