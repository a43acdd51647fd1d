// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/pairs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string>

#include "harness/json/fields.h"
#include "harness/json/line_object.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::nights {

template <typename V>
void fields(V& v, json::Of<SeriesPairs> auto& series) {
  v("series", series.series)("first", series.first)("as_share", series.as_share, json::kSparse);
  v("reference", series.reference)("cause", series.cause, json::kSparse);
  std::string pairs;
  if constexpr (!V::kReads) pairs = pairs_text(series.pairs);
  v("pairs", pairs, json::kSparse);
  if constexpr (V::kReads) series.pairs = pairs_of_text(pairs);
}

template <typename V>
void fields(V& v, json::Of<NightPairs> auto& night) {
  v("build", night.build)("reference", night.reference)("reference_run", night.reference_run);
  v("environment", night.environment)("why", night.why, {.known = false});
  v("judged", night.judged)("unfinished", night.unfinished, json::kSparse);
  v("notes", night.notes, json::kSparse)("series", night.series, json::kSparse);
}

namespace {

constexpr double kSmallShare = .02;  // share of the step

std::vector<double> known(std::span<const double> values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  return finite;
}

bool is_small(const MeasuredValues& values) {
  const auto is_zero = [](double value) { return value == 0; };
  if (std::ranges::any_of(values.tonight, is_zero) ||
      std::ranges::any_of(values.reference, is_zero))
    return true;
  const std::vector<double> reference = known(values.reference);
  const std::vector<double> steps = known(values.steps);
  return !reference.empty() && !steps.empty() &&
         stats::median(reference) < kSmallShare * stats::median(steps);
}

constexpr std::string_view kBefore = "reference";  // event name of older versions

// Returns `count` values with this mean and standard error, if only these are known.
std::vector<double> pairs_like(double mean, double error, std::size_t count) {
  std::vector<double> pairs;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back(static_cast<double>(i) - static_cast<double>(count - 1) / 2);
    squares += pairs.back() * pairs.back();
  }
  if (count < 2) return std::vector<double>(count, mean);
  const auto n = static_cast<double>(count);
  const double scale = error * std::sqrt(n) / std::sqrt(squares / (n - 1));
  for (double& pair : pairs) pair = rounded_pair(mean + pair * scale);
  return pairs;
}

std::vector<SeriesPairs> pairs_of_before(const std::string& text) {
  std::vector<SeriesPairs> all;
  std::istringstream lines(text);
  std::string series;
  double moved = 0;
  double error = 0;
  double reference = 0;
  std::size_t count = 0;
  while (lines >> series >> moved >> error >> count >> reference) {
    if (!std::isfinite(moved) || !std::isfinite(error)) continue;
    all.push_back({.series = series,
                   .pairs = pairs_like(moved, error, std::min(count, kMaxPairs)),
                   .reference = reference});
  }
  return all;
}

}  // namespace

SeriesPairs series_pairs(const std::string& series, const MeasuredValues& values) {
  SeriesPairs measured{.series = series, .as_share = values.as_share.value_or(is_small(values))};
  const std::size_t launches = std::min(values.tonight.size(), values.reference.size());
  for (std::size_t i = 0; i < launches; ++i) {
    const double tonight = values.tonight[i];
    const double reference = values.reference[i];
    const double step = i < values.steps.size() ? values.steps[i] : 0;
    const double pair =
        measured.as_share ? (tonight - reference) / step : std::log(tonight / reference);
    if (!std::isfinite(pair)) continue;
    measured.pairs.push_back(rounded_pair(pair));
    if (i < values.first) ++measured.first;
  }
  const std::vector<double> reference = known(values.reference);
  if (!reference.empty()) measured.reference = stats::median(reference);
  return measured;
}

std::map<std::string_view, const SeriesPairs*> NightPairs::by_series() const {
  std::map<std::string_view, const SeriesPairs*> all;
  for (const SeriesPairs& one : series) all.emplace(one.series, &one);
  return all;
}

bool NightPairs::begins_reference() const {
  return !night.run.empty() && reference_run == night.run;
}

TrackEvent event_of(const NightPairs& night) {
  TrackEvent event{.what = std::string(kPairsEvent), .reason = night.reason};
  nights::set_night(event, night.night);
  event.details["pairs"] = json::object_text(night);
  return event;
}

NightPairs night_pairs(const TrackEvent& event) {
  NightPairs night;
  if (event.what == kBefore) {
    night.build = text_of(event.details, "tonight");
    night.reference = text_of(event.details, "build");
    night.reference_run = text_of(event.details, "run");
    night.series = pairs_of_before(text_of(event.details, "ratios"));
    if (night.series.empty()) night.why = NightReason::kReferenceFails;
  } else {
    night = json::read_text<NightPairs>(text_of(event.details, "pairs"));
  }
  night.night = nights::night_of(event);
  night.reason = event.reason;
  return night;
}

bool is_pairs_event(const TrackEvent& event) {
  return event.alert_id.empty() && (event.what == kPairsEvent || event.what == kBefore);
}

namespace {

constexpr double kResolution = 1e-8;

}  // namespace

double rounded_pair(double pair) { return std::round(pair / kResolution) * kResolution; }

std::string pairs_text(const std::vector<double>& pairs) {
  std::string text;
  std::array<char, 32> digits{};
  for (const double pair : pairs) {
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                            rounded_pair(pair), std::chars_format::general, 9);
    if (!text.empty()) text += ' ';
    text.append(digits.data(), end);
  }
  return text;
}

std::vector<double> pairs_of_text(std::string_view text) {
  std::vector<double> pairs;
  pairs.reserve(text.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(text, ' ')));
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double pair = 0;
    const auto [next, error] = std::from_chars(at, end, pair);
    if (error != std::errc() || !std::isfinite(pair))
      throw json::LineError("field 'pairs' is not a list of numbers");
    pairs.push_back(pair);
    at = next < end ? next + 1 : next;
  }
  return pairs;
}

}  // namespace stepbench::nights
