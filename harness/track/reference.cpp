// SPDX-License-Identifier: Apache-2.0
#include "harness/track/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>
#include <utility>

#include "harness/stats/order.h"
#include "harness/track/bridge.h"
#include "harness/track/screens.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kLeastPairs = 3;

// One line for each series: a night has as many as its experiment, and a history many nights.
std::string ratios_text(const std::vector<ReferenceRatio>& ratios) {
  std::string text;
  for (const ReferenceRatio& one : ratios) {
    std::array<char, 128> line{};
    const int length = std::snprintf(line.data(), line.size(), " %.9g %.5g %lld %.9g\n", one.moved,
                                     one.error, static_cast<long long>(one.pairs), one.value);
    text += one.series;
    text.append(line.data(), static_cast<std::size_t>(length));
  }
  return text;
}

std::vector<ReferenceRatio> ratios_of(const std::string& text) {
  std::vector<ReferenceRatio> ratios;
  std::istringstream lines(text);
  ReferenceRatio one;
  while (lines >> one.series >> one.moved >> one.error >> one.pairs >> one.value) {
    if (std::isfinite(one.moved) && std::isfinite(one.error)) ratios.push_back(one);
  }
  return ratios;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double each : values) sum += each * each;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

ScreenAnswer answer_of(double moved, double usual, double spread) {
  ScreenAnswer answer;
  answer.usual = std::exp(usual);
  answer.change = std::expm1(moved - usual);
  answer.score = spread > 0 ? (moved - usual) / spread : 0;
  answer.higher = answer.score > kBridgeSpreads;
  answer.lower = answer.score < -kBridgeSpreads;
  return answer;
}

}  // namespace

TrackEvent event_of(const ReferenceNight& night) {
  TrackEvent event{.what = std::string(kReferenceEvent), .reason = night.why};
  event.details["night"] = night.night.run;
  event.details["night_utc"] = night.night.utc;
  event.details["host"] = night.night.host;
  event.details["experiment"] = night.night.experiment;
  event.details["run"] = night.run;
  event.details["build"] = night.build;
  event.details["ratios"] = ratios_text(night.ratios);
  return event;
}

ReferenceNight reference_night(const TrackEvent& event) {
  return {.night = night_of(event),
          .run = text_of(event.details, "run"),
          .build = text_of(event.details, "build"),
          .why = event.reason,
          .ratios = ratios_of(text_of(event.details, "ratios"))};
}

std::optional<ReferenceRatio> reference_ratio(const std::string& series,
                                              std::span<const double> tonight,
                                              std::span<const double> reference) {
  std::vector<double> moved;
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(tonight.size(), reference.size()); ++i) {
    if (!(tonight[i] > 0) || !(reference[i] > 0)) continue;
    if (!std::isfinite(tonight[i]) || !std::isfinite(reference[i])) continue;
    moved.push_back(std::log(tonight[i] / reference[i]));
    values.push_back(reference[i]);
  }
  if (moved.size() < kLeastPairs) return std::nullopt;
  return ReferenceRatio{
      .series = series,
      .moved = mean_of(moved),
      .error = stats::standard_deviation(moved) / std::sqrt(static_cast<double>(moved.size())),
      .pairs = std::ssize(moved),
      .value = stats::median(values)};
}

ReferenceLog::ReferenceLog(std::span<const TrackEvent> events, std::string_view oldest_utc) {
  for (const TrackEvent& event : events) {
    if (event.what != kReferenceEvent) continue;
    if (!oldest_utc.empty() && text_of(event.details, "night_utc") < oldest_utc) continue;
    Entry entry{.night = reference_night(event)};
    std::string run = entry.night.night.run;
    nights_.insert_or_assign(std::move(run), std::move(entry));
  }
  for (auto& [run, entry] : nights_) {
    for (const ReferenceRatio& one : entry.night.ratios) {
      entry.by_series.insert_or_assign(one.series, &one);
    }
  }
}

const ReferenceNight* ReferenceLog::of_run(std::string_view run) const {
  const auto found = nights_.find(run);
  return found == nights_.end() ? nullptr : &found->second.night;
}

const ReferenceRatio* ReferenceLog::find(std::string_view run, std::string_view series) const {
  const auto night = nights_.find(run);
  if (night == nights_.end()) return nullptr;
  const auto one = night->second.by_series.find(series);
  return one == night->second.by_series.end() ? nullptr : one->second;
}

std::string reference_run(std::span<const TrackedRun> runs, std::span<const TrackEvent> events,
                          std::string_view host, std::string_view experiment,
                          const std::function<bool(const TrackedRun&)>& has_program) {
  const auto is_there = [&](const TrackedRun& run) {
    return run.host == host && run.experiment == experiment && (!has_program || has_program(run));
  };
  std::string last;
  for (const TrackEvent& event : events) {
    if (event.what != kReferenceEvent || text_of(event.details, "host") != host ||
        text_of(event.details, "experiment") != experiment) {
      continue;
    }
    // One of which no launch could be held against that night's is of no use to the next.
    last = text_of(event.details, "ratios").empty() ? "" : text_of(event.details, "run");
  }
  std::string oldest_bad;
  for (const Alert& alert : fold_alerts(events).alerts) {
    if (alert.host != host || !is_open(alert.state)) continue;
    const TrackedRun* bad = find_run(runs, alert.first_bad);
    if (bad == nullptr) continue;
    if (oldest_bad.empty() || bad->started_utc < oldest_bad) oldest_bad = bad->started_utc;
  }
  std::string newest;
  for (const TrackedRun& run : runs) {
    if (run.run_id == last && is_there(run)) return last;
    const bool good = oldest_bad.empty() || run.started_utc < oldest_bad;
    if (good && !run.git_dirty && !run.build_id.empty() && is_there(run)) newest = run.run_id;
  }
  return newest;
}

ScreenAnswer screen_ratios(const RatioSegment& segment, double layout_sd, ScreenKind kind) {
  const std::size_t before = segment.moved.size() - 1;
  const double of_one = layout_sd * layout_sd + mean_square(segment.errors);
  if (before >= kMinForScreen) {
    std::vector<double> ratios;
    for (const double each : segment.moved) ratios.push_back(std::exp(each));
    return kind == ScreenKind::kRobustZ ? screens::robust_z(ratios, 0, std::sqrt(of_one))
                                        : screen(ratios, {.kind = kind});
  }
  const std::size_t known = before + (segment.anchored ? 1 : 0);
  if (known == 0) return {.warming_up = true};
  const auto count = static_cast<double>(known);
  const double usual =
      mean_of(std::span(segment.moved).first(before)) * static_cast<double>(before) / count;
  ScreenAnswer answer = answer_of(segment.moved.back(), usual, std::sqrt(of_one * (1 + 1 / count)));
  answer.since = before;
  return answer;
}

ScreenAnswer screen_drift(const RatioSegment& segment, double layout_sd, double margin) {
  constexpr std::size_t kWeek = 7;
  if (segment.moved.size() < 2 * kWeek) return {.warming_up = true};
  const std::span all(segment.moved);
  const double of_one = layout_sd * layout_sd + mean_square(segment.errors);
  ScreenAnswer answer = answer_of(mean_of(all.last(kWeek)), mean_of(all.first(kWeek)),
                                  std::sqrt(2 * of_one / static_cast<double>(kWeek)));
  answer.since = segment.moved.size() - kWeek;
  if (std::abs(answer.change) <= margin) answer.higher = answer.lower = false;
  return answer;
}

double layout_of(std::span<const double> moved, std::span<const double> errors) {
  constexpr std::size_t kBuilds = 10;
  constexpr double kWeight = 10;  // of kLayoutSd, in builds
  constexpr double kLeast = 0.002;
  if (moved.size() < kBuilds) return kLayoutSd;
  // Of one build to the next: neither a spike nor what creeps is layout.
  std::vector<double> steps;
  for (std::size_t i = 1; i < moved.size(); ++i) steps.push_back(moved[i] - moved[i - 1]);
  const double all = stats::robust_sd(steps) / std::numbers::sqrt2;
  const double launches = mean_square(errors);
  const double found = std::max(all * all - launches, 0.0);
  // Among launches that vary more than builds do, a build says little of layout.
  constexpr double kAssumed = kLayoutSd * kLayoutSd;
  const double builds = static_cast<double>(moved.size()) * kAssumed / (kAssumed + launches);
  const double variance = (kWeight * kAssumed + builds * found) / (kWeight + builds);
  return std::sqrt(std::max(variance, kLeast * kLeast));
}

}  // namespace stepbench::track
