// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "harness/base/exit_status.h"
#include "harness/report/history.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShownFields = 4;  // of an environment

std::string program_of(const nights::NightPairs& pairs, const nights::History& history) {
  const nights::TrackedRun* run = history.find_run(pairs.reference_run);
  const std::string build = "build " + pairs.reference.substr(0, 8);
  return run == nullptr ? build : night_date(*run) + " (" + build + ')';
}

std::string reference_words_of(const nights::NightPairs& pairs, const nights::History& history) {
  const std::string reason = pairs.reason.empty() ? std::string() : ": " + pairs.reason;
  const std::string begins =
      pairs.begins_reference() ? "; tonight's program is the reference from now on" : std::string();
  switch (pairs.why) {
    case nights::NightReason::kMeasured:
    case nights::NightReason::kBudget:
    case nights::NightReason::kInterrupted:
      return "in turns with the reference program of " + program_of(pairs, history);
    case nights::NightReason::kNoReference:
      return "the first night: tonight's program is the reference from now on";
    case nights::NightReason::kBaseline:
      return "a new baseline: tonight's program is the reference from now on";
    case nights::NightReason::kReferenceMissing:
      return "the reference program is missing" + reason + begins;
    case nights::NightReason::kReferenceFails:
      return "the reference program fails" + reason + begins +
             (pairs.begins_reference() ? ". A change between the two is not detected: rebuild that "
                                         "commit and measure it with `stepbench ab`"
                                       : "");
    case nights::NightReason::kTonightFails:
      return "tonight's program fails" + reason;
    case nights::NightReason::kSameProgram:
      return "tonight's program is the reference: nothing to compare";
    case nights::NightReason::kCannotStore:
      return "tonight's program cannot be a reference" + reason;
    default:
      return {};
  }
}

}  // namespace

std::string state_words(nights::NightState state) {
  std::string words(name_of(state));
  std::ranges::replace(words, '-', ' ');
  return words;
}

std::string night_title(const nights::Night& night) {
  if (night.experiments.empty()) return "no night";
  std::vector<std::string> names;
  std::set<std::string> programs;
  std::string first = night.experiments.front().run.started_utc;
  for (const nights::NightExperiment& each : night.experiments) {
    names.push_back(each.run.experiment);
    programs.insert(program_text(each.run));
    first = std::min(first, each.run.started_utc);
  }
  std::string text = "night " + text::minute_text(first) + " on " +
                     night.experiments.front().run.host + ": " + text::join_and(names);
  if (programs.size() == 1 && !programs.begin()->empty()) text += " (" + *programs.begin() + ')';
  return text;
}

std::vector<std::string> reference_words(const nights::Night& night,
                                         const nights::History& history) {
  std::vector<std::string> lines;
  for (const nights::NightExperiment& each : night.experiments) {
    if (each.pairs.night.run.empty()) continue;  // `track add` has only values
    std::string line = reference_words_of(each.pairs, history);
    if (night.experiments.size() > 1) line = each.run.experiment + ": " + line;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string environment_words(const nights::Night& night) {
  std::vector<std::string> parts;
  for (const nights::NightExperiment& each : night.experiments) {
    if (each.environment.empty()) continue;
    std::vector<std::string> fields;
    for (const nights::EnvironmentChange& change : each.environment) {
      fields.push_back(change.field + ' ' + change.before + " -> " + change.tonight);
    }
    const std::size_t all = fields.size();
    fields.resize(std::min(all, kShownFields));
    if (all > kShownFields) fields.push_back(std::to_string(all - kShownFields) + " more");
    std::vector<double> moved;  // changes of its step series
    for (const nights::ReferenceMoved& one : each.reference_moved) {
      const auto series = std::ranges::find(
          night.series, one.series, [](const nights::NightSeries& of) { return of.series.id; });
      const bool step =
          series != night.series.end() && series->series.metric == nights::kStepSeries;
      if (step) moved.push_back(one.change);
    }
    std::string text = text::join(fields);
    if (!moved.empty()) {
      text += ": reference " + text::signed_percent(stats::median(moved)) + " %";
    }
    if (std::ranges::find(parts, text) == parts.end()) parts.push_back(std::move(text));
  }
  return text::join(parts, "; ");
}

std::string counts_text(const nights::Night& night) {
  std::vector<std::string> parts;
  for (const nights::NightState state :
       {nights::NightState::kOk, nights::NightState::kImprovement, nights::NightState::kSuspect,
        nights::NightState::kRegression, nights::NightState::kNoVerdict,
        nights::NightState::kNoData}) {
    const std::size_t count = night.count(state);
    if (count > 0) parts.push_back(std::to_string(count) + ' ' + state_words(state));
  }
  const std::string all = text::counted(std::ssize(night.series), "series");
  return parts.empty() ? all : all + ": " + text::join(parts);
}

std::string verdict_reason(const nights::Night& night) {
  if (night.verdict == nights::NightState::kNoData && night.exit_code == kExitUsage) {
    return ": an experiment aborted";
  }
  if (night.verdict == nights::NightState::kNoData && night.count(night.verdict) == 0) {
    return night.series.empty() ? ": no measurements to judge" : ": launches failed";
  }
  if (night.verdict == nights::NightState::kRegression && night.reported.empty()) {
    return ", from earlier nights";
  }
  return {};
}

std::string series_reason(const nights::NightSeries& series) {
  switch (series.why) {
    case nights::NightReason::kBudget:
      return "not measured: budget; it comes first the next night";
    case nights::NightReason::kInterrupted:
      return "not measured: interrupted; it comes first the next night";
    case nights::NightReason::kOneBuild:
      return text::counted(series.pairs, "pair") +
             " of one build: may be its memory layout; the next build decides";
    case nights::NightReason::kNoValue:
      return "planned tonight, but has no value";
    case nights::NightReason::kValues:
      return "values without a reference program: shown, not judged";
    case nights::NightReason::kIgnored:
      return "ignored by a note";
    case nights::NightReason::kFuture:
      return "the night's date is in the future; check the machine's clock";
    case nights::NightReason::kReferenceFails:
      return "fewer than three pairs: the reference program fails";
    case nights::NightReason::kTonightFails:
      return "fewer than three pairs: tonight's program fails";
    default:
      break;
  }
  if (!series.noisy) return {};
  return "too noisy: its launches differ by more than " + text::percent_text(nights::kNoisyCv) +
         ", so small changes are found late";
}

}  // namespace stepbench::report
