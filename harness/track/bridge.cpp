// SPDX-License-Identifier: Apache-2.0
#include "harness/track/bridge.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "harness/text/utc.h"
#include "harness/track/screen.h"

namespace stepbench::track {

Bridges bridges_of(std::span<const TrackEvent> events) {
  Bridges bridges;
  for (const TrackEvent& event : events) {
    if (event.what != kBridgedEvent) continue;
    MeasuredSeries measured = measured_series(event);
    bridges[measured.series].push_back({night_of(event), std::move(measured.measurement)});
  }
  return bridges;
}

const Bridge* newest_bridge(const Bridges& bridges, std::string_view series,
                            std::string_view until_utc) {
  const auto found = bridges.find(series);
  if (found == bridges.end()) return nullptr;
  const Bridge* newest = nullptr;
  for (const Bridge& bridge : found->second) {
    if (bridge.night.utc > until_utc) continue;
    if (newest == nullptr || bridge.night.utc >= newest->night.utc) newest = &bridge;
  }
  return newest;
}

const Bridge* bridge_of_night(const Bridges& bridges, std::string_view series,
                              std::string_view run) {
  const auto found = bridges.find(series);
  if (found == bridges.end()) return nullptr;
  const auto one = std::find_if(found->second.rbegin(), found->second.rend(),
                                [&](const Bridge& bridge) { return bridge.night.run == run; });
  return one == found->second.rend() ? nullptr : &*one;
}

bool bridge_is_due(std::size_t points, std::string_view last_utc, std::string_view tonight_utc) {
  if (points < kMinForScreen) return true;
  constexpr std::size_t kDate = 10;
  const auto last = text::parse_utc(last_utc.substr(0, kDate));
  const auto tonight = text::parse_utc(tonight_utc.substr(0, kDate));
  return !last || !tonight || *tonight - *last >= std::chrono::days(kBridgeDays);
}

bool is_over(const ConfirmAnswer& look, bool suspected_higher, double margin) {
  return (suspected_higher ? look.change : -look.change) < margin;
}

ConfirmAnswer look_answer(std::span<const double> good, std::span<const double> tonight) {
  ConfirmAnswer answer = bridge_answer(good, tonight);
  answer.reproduced = false;
  return answer;
}

ConfirmAnswer bridge_answer(std::span<const double> kept, std::span<const double> tonight,
                            double layout_sd) {
  constexpr std::size_t kLeast = 3;
  constexpr double kOneSided95 = 1.6449;
  ConfirmAnswer answer;
  std::vector<double> moved;
  for (std::size_t i = 0; i < std::min(kept.size(), tonight.size()); ++i) {
    const bool usable =
        std::isfinite(kept[i]) && std::isfinite(tonight[i]) && kept[i] > 0 && tonight[i] > 0;
    if (usable) {
      moved.push_back(std::log(tonight[i] / kept[i]));
    } else {
      ++answer.dropped;
    }
  }
  answer.pairs = moved.size();
  answer.judged = moved.size() >= kLeast;
  if (!answer.judged) return answer;
  const auto n = static_cast<double>(moved.size());
  double mean = 0;
  for (const double each : moved) mean += each / n;
  double variance = 0;
  for (const double each : moved) variance += (each - mean) * (each - mean) / (n - 1) / n;
  const double error = std::sqrt(variance);
  answer.reproduced = std::abs(mean) > kBridgeSpreads * std::sqrt(variance + layout_sd * layout_sd);
  answer.change = std::expm1(mean);
  answer.low = std::expm1(mean - kOneSided95 * error);
  answer.high = std::expm1(mean + kOneSided95 * error);
  answer.p =
      error > 0 ? 0.5 * std::erfc(std::abs(mean) / error / std::sqrt(2.0)) : (mean == 0 ? 0.5 : 0);
  return answer;
}

}  // namespace stepbench::track
