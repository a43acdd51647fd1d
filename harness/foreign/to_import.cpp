// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/to_import.h"

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/base/digest.h"
#include "harness/foreign/time_text.h"
#include "harness/json/json_text.h"
#include "harness/track/series.h"

namespace stepbench::foreign {
namespace {

constexpr std::string_view kVersionOption = "track.version";  // as of cases of stepbench
constexpr std::size_t kCommitDigits = 12;

// What a name may be made of that stands in an id.
std::string id_words(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_' || c == '-';
    words += plain ? c : '-';
  }
  return words;
}

// 20260131-120000
std::string id_of_time(const std::string& utc) {
  std::string id;
  for (const char c : utc) {
    if (c == 'T') id += '-';
    if (c >= '0' && c <= '9') id += c;
  }
  return id;
}

std::string launch_digest(const track::LaunchValues& launch) {
  json::JsonText json;
  json.open_object().integer("steps", launch.steps);
  for (const auto& [metric, value] : launch.values) json.number(metric, value);
  return digest(json.close_object().line());
}

class NightMaker {
 public:
  NightMaker(const Measurements& read, const std::filesystem::path& file,
             const ForeignOptions& options)
      : read_(read),
        folder_(std::filesystem::absolute(file).parent_path().string()),
        options_(options),
        experiment_(options.series.empty() ? read.experiment : options.series) {}

  track::Import take() {
    import_.notes = read_.notes;
    std::size_t gaps = 0;
    for (const Measurement& one : read_.all) {
      track::ImportedRun& run = import_.runs[run_of(one)];
      track::ImportedCase& of = run.cases[case_of(one, run)];
      track::ImportedLaunch launch{
          .values = {.launch = static_cast<int>(of.launches.size()), .steps = one.steps},
          .cohort = cohort_of(one.cohort)};
      if (one.value) {
        launch.values.values.emplace(one.metric, *one.value);
      } else {
        launch.outcome = Outcome::failed("without a value");
        ++gaps;
      }
      launch.digest = launch_digest(launch.values);
      of.launches.push_back(std::move(launch));
    }
    for (const auto& [id, fields] : cohorts_) import_.cohorts.push_back({id, fields});
    if (gaps > 0) import_.left_out.emplace_back("without a value", gaps);
    return std::move(import_);
  }

 private:
  using NightKey = std::tuple<std::string, std::string, std::string>;  // time, commit, host

  std::size_t run_of(const Measurement& one) {
    const std::string& host = one.host.empty() ? options_.host : one.host;
    const auto [known, is_new] =
        runs_.try_emplace(NightKey(one.started_utc, one.commit, host), import_.runs.size());
    if (!is_new) return known->second;
    // Commits of one second, as of a day without a time, stay in the order of the file.
    const std::string started =
        later(one.started_utc, static_cast<long>(at_second_[one.started_utc + host]++));
    std::string id = id_of_time(started) + '-' + id_words(experiment_);
    if (!one.commit.empty()) id += '-' + id_words(one.commit.substr(0, kCommitDigits));
    import_.runs.push_back({.run = {.run_id = std::move(id),
                                    .started_utc = started,
                                    .experiment = experiment_,
                                    .host = host,
                                    .folder = folder_,
                                    .git_sha = one.commit,
                                    .git_branch = one.branch,
                                    .context = {{"imported", Value{read_.format}}}}});
    cases_.emplace_back();
    return known->second;
  }

  std::size_t case_of(const Measurement& one, track::ImportedRun& run) {
    const auto at = static_cast<std::size_t>(&run - import_.runs.data());
    json::JsonText json;
    json.open_object().text("experiment", experiment_).text("metric", one.metric);
    json.values("options", one.options).close_object();
    const std::string id = digest(json.line());
    const auto [known, is_new] = cases_[at].try_emplace(id, run.cases.size());
    if (!is_new) return known->second;
    track::ImportedCase made{.case_id = id, .workload = read_.format, .machine = one.machine};
    for (const auto& [name, value] : one.options) made.options.emplace(name, value);
    std::erase_if(made.machine, [](const auto& fact) { return to_text(fact.second).empty(); });
    made.machine.insert_or_assign(std::string(kVersionOption), Value{std::int64_t{1}});
    made.metrics.emplace(one.metric, track::SeriesMetric{one.unit, one.direction});
    run.cases.push_back(std::move(made));
    return known->second;
  }

  std::string cohort_of(const Fields& fields) {
    std::string id = track::cohort_id(fields);
    cohorts_.emplace(id, fields);
    return id;
  }

  const Measurements& read_;
  std::string folder_;
  const ForeignOptions& options_;
  std::string experiment_;
  std::map<NightKey, std::size_t> runs_ = {};
  std::unordered_map<std::string, std::size_t> at_second_ = {};
  std::vector<std::unordered_map<std::string, std::size_t>> cases_ = {};  // by run
  std::map<std::string, Fields> cohorts_ = {};
  track::Import import_ = {};
};

}  // namespace

track::Import to_import(const Measurements& read, const std::filesystem::path& file,
                        const ForeignOptions& options) {
  return NightMaker(read, file, options).take();
}

}  // namespace stepbench::foreign
