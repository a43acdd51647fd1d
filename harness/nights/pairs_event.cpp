// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/pairs_event.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "harness/nights/pairs_text.h"
#include "harness/nights/state_fields.h"

namespace stepbench::nights {
namespace {

constexpr std::string_view kBefore = "reference";  // the event of older versions

// Of `count` pairs a mean and its error is known: as many that have both.
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
                   .pairs = pairs_like(moved, error, std::min(count, kMostPairs)),
                   .first = count,
                   .reference = reference});
  }
  return all;
}

}  // namespace

track::TrackEvent event_of(const NightPairs& night) {
  track::TrackEvent event{.what = std::string(kPairsEvent), .reason = night.reason};
  track::set_night(event, night.night);
  event.details["pairs"] = json::object_text(night);
  return event;
}

NightPairs night_pairs(const track::TrackEvent& event) {
  NightPairs night;
  if (event.what == kBefore) {
    night.build = text_of(event.details, "tonight");
    night.reference = text_of(event.details, "build");
    night.reference_run = text_of(event.details, "run");
    night.series = pairs_of_before(text_of(event.details, "ratios"));
    if (night.series.empty()) night.why = NoPairs::kReferenceFails;
  } else {
    night = json::read_text<NightPairs>(text_of(event.details, "pairs"));
  }
  night.night = track::night_of(event);
  night.reason = event.reason;
  return night;
}

bool is_pairs_event(const track::TrackEvent& event) {
  return event.alert_id.empty() && (event.what == kPairsEvent || event.what == kBefore);
}

}  // namespace stepbench::nights
