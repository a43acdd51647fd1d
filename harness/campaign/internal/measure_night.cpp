// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/measure_night.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/campaign/internal/plan_forecast.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/fields.h"
#include "harness/nights/night.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
#include "harness/record/result_file.h"
#include "harness/run/agenda.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

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

std::string case_name(const record::Results& results, const std::string& case_id) {
  const auto launch = std::ranges::find(
      results.launches, case_id, [](const record::Launch& each) { return each.row.key.case_id; });
  if (launch == results.launches.end()) return "case " + case_id;
  const std::vector<std::string> varying =
      results.runs.empty() ? std::vector<std::string>{} : results.runs.front().swept;
  return estimate::case_name(launch->row.options, launch->row.workload, varying, case_id);
}

class NightMeasurement {
 public:
  NightMeasurement(std::span<const PlannedExperiment> experiments, const FreshPairs& fresh,
                   const CampaignContext& context, UnfinishedNight& night, run::Progress& progress,
                   run::Interrupts& interrupts, const Clock& clock)
      : experiments_(experiments),
        fresh_(fresh),
        context_(context),
        night_(night),
        progress_(progress),
        interrupts_(interrupts),
        clock_(clock),
        began_ns_(clock.now_ns()) {}

  MeasuredNight take() {
    for (const PlannedExperiment& experiment : experiments_) {
      if (is_interrupted()) break;
      measured_.experiments.push_back(measure_planned(experiment));
    }
    if (!is_interrupted() && fresh_.suspect_cases) measure_fresh();
    measured_.signal = interrupts_.first();
    return std::move(measured_);
  }

 private:
  struct Place {
    std::size_t experiment = 0;
    SuspectCase suspect = {};
  };

  bool is_interrupted() {
    (void)interrupts_.take();
    return interrupts_.first().has_value();
  }

  MeasuredExperiment measure_planned(const PlannedExperiment& experiment) {
    RunRequest request = experiment.request;
    request.lock = LockPolicy::kNone;
    request.resume = night_.folder_of(request.file).string();
    if (!request.resume.empty()) {
      try {
        return measure(request, experiment, experiment.paired_reference);
      } catch (const ConfigError& error) {
        progress_.print_line("note: " + request.file + " is measured again: " + error.what());
        request.resume.clear();
      }
    }
    try {
      return measure(request, experiment, experiment.paired_reference);
    } catch (const Error& error) {
      return unfinished(request.file, error.what());
    } catch (const std::system_error& error) {
      return unfinished(request.file, error.what());
    }
  }

  // Repeats until each pair is measured, or failed too often.
  MeasuredExperiment measure(RunRequest request, const PlannedExperiment& experiment,
                             const std::optional<PairedReference>& paired_reference) {
    const std::set<std::string> paired =
        paired_reference ? paired_cases(experiment.run.planned.plan, *paired_reference)
                         : std::set<std::string>{};
    for (int tries = 1;; ++tries) {
      RunEnd end = run_experiment(
          request, experiment.run, context_, progress_, interrupts_, clock_,
          [&](const fs::path& folder) { night_.begun(request.file, folder); },
          paired_reference ? &*paired_reference : nullptr);
      if (end.signal || tries == run::kTriesOfAPair ||
          !run::has_pairs_to_repeat(end.results, paired)) {
        return {.file = request.file,
                .folder = std::move(end.run_folder),
                .results = std::move(end.results)};
      }
      request.resume = end.run_folder.string();
    }
  }

  // Launches that finished before the failure still count as results of the night.
  MeasuredExperiment unfinished(const std::string& file, std::string why) {
    MeasuredExperiment measured{.file = file, .error = std::move(why)};
    const fs::path folder = night_.folder_of(file);
    if (folder.empty()) return measured;
    try {
      measured.results = record::read_results(folder);
      measured.folder = folder;
    } catch (const Error&) {
      progress_.print_line("note: cannot read " + folder.string());
    }
    return measured;
  }

  [[nodiscard]] int planned_pairs(const Place& place) const {
    for (const plan::PlannedCase& each : experiments_[place.experiment].run.planned.plan.cases) {
      if (each.resolved.case_id == place.suspect.case_id) return night_pairs(each.resolved);
    }
    return 0;
  }

  // So far. Earlier calls of an interrupted night count by their launches.
  [[nodiscard]] double spent_s() const {
    return std::max(1e-9 * static_cast<double>(clock_.now_ns() - began_ns_), launches_s(false));
  }

  [[nodiscard]] double launches_s(bool planned_only) const {
    double seconds = 0;
    for (std::size_t i = 0; i < measured_.experiments.size(); ++i) {
      std::map<std::string, int> planned;
      for (const plan::PlannedCase& each : experiments_[i].run.planned.plan.cases) {
        planned[each.resolved.case_id] = night_pairs(each.resolved);
      }
      for (const record::Launch& launch : measured_.experiments[i].results.launches) {
        const record::LaunchRow& row = launch.row;
        const int pairs = planned[row.key.case_id];
        if (planned_only && pairs > 0 && row.key.launch >= pairs) continue;
        if (row.key.rank == 0) seconds += 1e-9 * static_cast<double>(row.wall_ns);
      }
    }
    return seconds;
  }

  std::vector<Place> suspect_places() {
    std::vector<Place> places;
    for (std::size_t i = 0; i < measured_.experiments.size(); ++i) {
      if (!experiments_[i].paired_reference || measured_.experiments[i].folder.empty()) continue;
      for (SuspectCase& suspect : fresh_.suspect_cases(i, measured_.experiments[i].results)) {
        places.push_back({i, std::move(suspect)});
      }
    }
    std::ranges::stable_sort(
        places, [](const Place& a, const Place& b) { return comes_before(a.suspect, b.suspect); });
    return places;
  }

  void measure_fresh() {
    const double budget_s = fresh_.budget_s.value_or(night_budget_s(launches_s(true)));
    bool is_due = true;  // the first case, if it was left: otherwise no night might decide
    for (const Place& place : suspect_places()) {
      while (!is_interrupted() && is_suspect(place)) {
        const bool is_owed = std::exchange(is_due, false) && place.suspect.left_before;
        if (spent_s() >= budget_s && !is_owed) {
          measured_.experiments[place.experiment].left.insert(place.suspect.case_id);
          break;
        }
        if (!measure_more(place)) break;
      }
    }
  }

  [[nodiscard]] bool is_suspect(const Place& place) const {
    const auto suspect =
        fresh_.suspect_cases(place.experiment, measured_.experiments[place.experiment].results);
    return std::ranges::any_of(
        suspect, [&](const SuspectCase& each) { return each.case_id == place.suspect.case_id; });
  }

  // Returns false if nothing more can be measured of it tonight.
  bool measure_more(const Place& place) {
    MeasuredExperiment& measured = measured_.experiments[place.experiment];
    const PlannedExperiment& experiment = experiments_[place.experiment];
    const std::string& id = place.suspect.case_id;
    const int planned = planned_pairs(place);
    const int launches = launches_of(measured.results, id);
    constexpr int kMax = static_cast<int>(nights::kMaxPairs);
    constexpr int kMore = static_cast<int>(nights::kMorePairs);
    const bool cut = run::has_pairs_to_repeat(measured.results, {id});
    const int rounds =
        cut ? (launches - planned + kMore - 1) / kMore : (launches - planned) / kMore + 1;
    PairedReference paired_reference = *experiment.paired_reference;
    const bool is_last = kMore * rounds > kMax;
    if (is_last) paired_reference.profiled = {id};
    paired_reference.pairs[id] = planned + std::min(kMax, kMore * rounds);
    progress_.print_line(measured.file + ": " + case_name(measured.results, id) +
                         (is_last
                              ? " still looks odd: its operations are recorded"
                              : " looks odd: " + std::to_string(kMore * rounds) + " fresh pairs"));
    RunRequest request = experiment.request;
    request.lock = LockPolicy::kNone;
    request.resume = measured.folder.string();
    try {
      const std::size_t before = measured.results.launches.size();
      measured.results = measure(std::move(request), experiment, paired_reference).results;
      return !is_last && measured.results.launches.size() > before;
    } catch (const Error& error) {
      measured.error = error.what();
      return false;
    }
  }

  std::span<const PlannedExperiment> experiments_;
  const FreshPairs& fresh_;
  const CampaignContext& context_;
  UnfinishedNight& night_;
  run::Progress& progress_;
  run::Interrupts& interrupts_;
  const Clock& clock_;
  std::int64_t began_ns_;
  MeasuredNight measured_ = {};
};

}  // namespace

bool comes_before(const SuspectCase& one, const SuspectCase& other) {
  if (one.left_before != other.left_before) return one.left_before;
  if ((one.deviation > 0) != (other.deviation > 0)) return one.deviation > 0;
  return std::abs(one.deviation) > std::abs(other.deviation);
}

MeasuredNight measure_night(std::span<const PlannedExperiment> experiments, const FreshPairs& fresh,
                            const CampaignContext& context, UnfinishedNight& night,
                            run::Progress& progress, run::Interrupts& interrupts,
                            const Clock& clock) {
  return NightMeasurement{experiments, fresh, context, night, progress, interrupts, clock}.take();
}

FailedLaunches failed_launches(const record::Results& results) {
  FailedLaunches failed;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == record::kReferenceArm) continue;  // reported elsewhere
    if (row.outcome.kind != Outcome::Kind::kSkipped) ++failed.of;
    if (row.outcome.kind != Outcome::Kind::kFailed || failed.launches++ > 0) continue;
    failed.first = case_name(results, row.key.case_id) + ": " + row.outcome.reason;
  }
  return failed;
}

namespace fs = std::filesystem;

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
  read(text::utc_text(now - kNightLasts));
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
