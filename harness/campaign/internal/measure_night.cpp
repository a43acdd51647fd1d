// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/measure_night.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/plan_forecast.h"
#include "harness/json/fields.h"
#include "harness/nights/night.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
#include "harness/record/result_file.h"
#include "harness/run/agenda.h"
#include "harness/text/time_text.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// Highest launch number of a case of tonight's program, plus one.
int launches_of(const record::Results& results, const std::string& case_id) {
  int launches = 0;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    if (key.case_id != case_id || !key.arm.empty() || key.pass != Pass::kTiming) continue;
    launches = std::max(launches, key.launch + 1);
  }
  return launches;
}

class NightMeasurement {
 public:
  NightMeasurement(std::span<NightlyExperiment> experiments, UnfinishedNight& night,
                   const Launching& launching)
      : experiments_(experiments),
        night_(night),
        launching_(launching),
        began_ns_(launching.clock.now_ns()) {}

  std::optional<int> measure(std::optional<double> budget_s) {
    for (NightlyExperiment& experiment : experiments_) {
      if (!is_interrupted()) measure_planned(experiment);
    }
    if (!is_interrupted()) measure_fresh(budget_s);
    return launching_.interrupts.first();
  }

 private:
  struct Place {
    NightlyExperiment* experiment = nullptr;
    SuspectCase suspect = {};
  };

  bool is_interrupted() {
    (void)launching_.interrupts.take();
    return launching_.interrupts.first().has_value();
  }

  void measure_planned(NightlyExperiment& experiment) {
    const auto& reference = experiment.reference.paired_reference;
    const fs::path begun = night_.folder_of(experiment.request.file);
    if (!begun.empty()) {
      try {
        return measure(experiment, begun, reference);
      } catch (const ConfigError& error) {
        launching_.progress.print_line(
            formatted("note: {} is measured again: {}", experiment.request.file, error.what()));
      }
    }
    try {
      measure(experiment, {}, reference);
    } catch (const Error& error) {
      note_failure(experiment, error.what());
    } catch (const std::system_error& error) {
      note_failure(experiment, error.what());
    }
  }

  // Repeats until each pair is measured, or failed too often. `resume`: its folder; empty: a new
  // one.
  void measure(NightlyExperiment& experiment, const fs::path& resume,
               const std::optional<PairedReference>& paired_reference) {
    RunRequest request = experiment.request;
    request.lock = LockPolicy::kNone;
    request.resume = resume.string();
    const std::set<std::string> paired = paired_cases(experiment);
    for (int tries = 1;; ++tries) {
      RunEnd end = run_experiment(
          request, experiment.run, launching_,
          [&](const fs::path& folder) { night_.begun(request.file, folder); },
          paired_reference ? &*paired_reference : nullptr);
      if (end.signal || tries == run::kTriesOfAPair ||
          !run::has_pairs_to_repeat(end.results, paired)) {
        experiment.folder = std::move(end.run_folder);
        experiment.results = std::move(end.results);
        return;
      }
      request.resume = end.run_folder.string();
    }
  }

  // Launches that finished before the failure still count as results of the night.
  void note_failure(NightlyExperiment& experiment, std::string why) {
    experiment.error = std::move(why);
    const fs::path folder = night_.folder_of(experiment.request.file);
    if (folder.empty()) return;
    try {
      experiment.results = record::read_results(folder);
      experiment.folder = folder;
    } catch (const Error&) {
      launching_.progress.print_line("note: cannot read " + folder.string());
    }
  }

  // So far. Earlier calls of an interrupted night count by their launches.
  [[nodiscard]] double spent_s() const {
    return std::max(1e-9 * static_cast<double>(launching_.clock.now_ns() - began_ns_),
                    launches_s(false));
  }

  [[nodiscard]] double launches_s(bool planned_only) const {
    double seconds = 0;
    for (const NightlyExperiment& experiment : experiments_) {
      std::map<std::string, int> planned = planned_pairs(experiment);
      for (const record::Launch& launch : experiment.results.launches) {
        const record::LaunchRow& row = launch.row;
        const int pairs = planned[row.key.case_id];
        if (planned_only && pairs > 0 && row.key.launch >= pairs) continue;
        if (row.key.rank == 0) seconds += 1e-9 * static_cast<double>(row.wall_ns);
      }
    }
    return seconds;
  }

  std::vector<SuspectCase> suspects_of(NightlyExperiment& experiment) {
    const PairedNight night = paired_night(experiment, launching_.context);
    experiment.judged = night.series.size();
    std::size_t judged = 0;
    for (const NightlyExperiment& each : experiments_) judged += each.judged;
    return suspect_cases(experiment, night, judged);
  }

  std::vector<Place> suspect_places() {
    std::vector<Place> places;
    for (NightlyExperiment& experiment : experiments_) {
      if (!experiment.reference.paired_reference || experiment.folder.empty()) continue;
      for (SuspectCase& suspect : suspects_of(experiment)) {
        places.push_back({&experiment, std::move(suspect)});
      }
    }
    std::ranges::stable_sort(
        places, [](const Place& a, const Place& b) { return comes_before(a.suspect, b.suspect); });
    return places;
  }

  void measure_fresh(std::optional<double> budget_s) {
    const double most_s = budget_s.value_or(night_budget_s(launches_s(true)));
    bool is_due = true;  // the first case, if it was left: otherwise no night might decide
    for (const auto& [experiment, suspect] : suspect_places()) {
      while (!is_interrupted() && is_suspect(*experiment, suspect.case_id)) {
        const bool is_owed = std::exchange(is_due, false) && suspect.left_before;
        if (spent_s() >= most_s && !is_owed) {
          experiment->left.insert(suspect.case_id);
          break;
        }
        if (!measure_more(*experiment, suspect.case_id)) break;
      }
    }
  }

  [[nodiscard]] bool is_suspect(NightlyExperiment& experiment, const std::string& case_id) {
    const std::vector<SuspectCase> suspects = suspects_of(experiment);
    return std::ranges::find(suspects, case_id, &SuspectCase::case_id) != suspects.end();
  }

  // Returns false if nothing more can be measured of it tonight.
  bool measure_more(NightlyExperiment& experiment, const std::string& id) {
    const int planned = planned_pairs(experiment)[id];
    const int launches = launches_of(experiment.results, id);
    constexpr int kMax = static_cast<int>(nights::kMaxPairs);
    constexpr int kMore = static_cast<int>(nights::kMorePairs);
    const bool cut = run::has_pairs_to_repeat(experiment.results, {id});
    const int rounds =
        cut ? (launches - planned + kMore - 1) / kMore : (launches - planned) / kMore + 1;
    PairedReference paired_reference = *experiment.reference.paired_reference;
    const bool is_last = kMore * rounds > kMax;
    if (is_last) paired_reference.profiled = {id};
    paired_reference.pairs[id] = planned + std::min(kMax, kMore * rounds);
    launching_.progress.print_line(
        formatted("{}: {}{}", experiment.request.file, case_name(experiment.results, id),
                  is_last ? " still looks odd: its operations are recorded"
                          : formatted(" looks odd: {} fresh pairs", kMore * rounds)));
    try {
      const std::size_t before = experiment.results.launches.size();
      measure(experiment, experiment.folder, paired_reference);
      return !is_last && experiment.results.launches.size() > before;
    } catch (const Error& error) {
      experiment.error = error.what();
      return false;
    }
  }

  std::span<NightlyExperiment> experiments_;
  UnfinishedNight& night_;
  const Launching& launching_;
  std::int64_t began_ns_;
};

}  // namespace

std::optional<int> measure_night(std::span<NightlyExperiment> experiments,
                                 std::optional<double> budget_s, UnfinishedNight& night,
                                 const Launching& launching) {
  return NightMeasurement(experiments, night, launching).measure(budget_s);
}

// A line of its file: an experiment of the night that has begun.
struct BegunExperiment {
  std::string began_utc = {};  // the night
  std::string experiment = {};
  std::string folder = {};
};

template <typename V>
void fields(V& v, json::Of<BegunExperiment> auto& begun) {
  v("began_utc", begun.began_utc)("experiment", begun.experiment)("folder", begun.folder);
}

UnfinishedNight::UnfinishedNight(const fs::path& results, const std::string& key,
                                 std::chrono::system_clock::time_point now)
    : file_(results / (std::string(record::kUnfinishedNight) + digest(key) + ".jsonl")),
      began_utc_(text::utc_text(now)) {
  read(text::utc_text(now - nights::kNightLasts));
}

void UnfinishedNight::read(const std::string& oldest_utc) {
  const auto text = os::read_text(file_);
  if (!text) return;
  std::string began;
  std::map<std::string, std::string> folders;
  std::string_view rest = *text;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos;
       rest.remove_prefix(end + 1)) {
    const std::string line{rest.substr(0, end)};
    try {
      const auto begun = json::read_text<BegunExperiment>(line);
      if (began.empty()) began = begun.began_utc;
      if (!begun.experiment.empty()) folders[begun.experiment] = begun.folder;
    } catch (const json::LineError&) {
      continue;  // a damaged line: its experiment is measured again
    }
  }
  if (began < oldest_utc) return;
  resumes_ = true;
  began_utc_ = began;
  folders_ = std::move(folders);
}

fs::path UnfinishedNight::folder_of(const std::string& experiment) const {
  const auto found = folders_.find(experiment);
  std::error_code ignored;
  if (found == folders_.end() || !fs::is_directory(found->second, ignored)) return {};
  return found->second;
}

void UnfinishedNight::restart(std::chrono::system_clock::time_point now) {
  end();
  resumes_ = false;
  folders_.clear();
  began_utc_ = text::utc_text(now);
}

void UnfinishedNight::begun(const std::string& experiment, const fs::path& folder) {
  const std::string path = fs::absolute(folder).lexically_normal().string();
  if (folder_of(experiment) == path) return;
  folders_[experiment] = path;
  std::string text;
  for (const auto& [name, place] : folders_) {
    text += json::object_text(BegunExperiment{began_utc_, name, place}) + '\n';
  }
  os::write_output_file({}, file_, text);
}

void UnfinishedNight::end() {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace stepbench::campaign
