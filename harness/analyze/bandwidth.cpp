// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/bandwidth.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "harness/stats/order.h"

namespace stepbench::analyze {
namespace {

struct RateChange {
  std::int64_t at_ns = 0;
  double gb_per_s = 0;
};

std::string_view kind_of(std::string_view name) {
  constexpr std::string_view kLongest = "Memcpy HtoD";
  if (name.starts_with("Memset")) return name.substr(0, 6);
  return name.starts_with("Memcpy") ? name.substr(0, kLongest.size()) : "Memcpy Unknown";
}

HolisticBandwidth summary_of(std::string_view kind, std::vector<RateChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const RateChange& a, const RateChange& b) {
    if (a.at_ns != b.at_ns) return a.at_ns < b.at_ns;
    return a.gb_per_s < b.gb_per_s;
  });
  std::vector<double> rates;
  double rate = 0;
  int running = 0;
  for (const RateChange& change : changes) {
    rate += change.gb_per_s;
    running += change.gb_per_s > 0 ? 1 : -1;
    // Sums and differences leave a residue where nothing runs.
    if (running > 0) rates.push_back(rate);
    if (running == 0) rate = 0;
  }
  std::sort(rates.begin(), rates.end());
  HolisticBandwidth out = {.kind = std::string(kind), .count = std::ssize(rates)};
  if (rates.empty()) return out;
  out.min = rates.front();
  out.max = rates.back();
  out.mean = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  out.sd = stats::standard_deviation(rates);
  out.p25 = stats::quantile_of_sorted(rates, 0.25);
  out.median = stats::quantile_of_sorted(rates, 0.5);
  out.p75 = stats::quantile_of_sorted(rates, 0.75);
  return out;
}

}  // namespace

std::vector<HolisticBandwidth> memory_bandwidth(const Timeline& timeline,
                                                const std::vector<std::size_t>& rows) {
  std::map<std::string_view, std::vector<RateChange>> changes;
  for (const std::size_t row : rows) {
    const trace::TraceEvent& event = *timeline.work[row].event;
    if (event.kind == trace::EventKind::kKernel || event.value <= 0) continue;
    const std::int64_t duration_ns = event.duration_ns();
    if (duration_ns <= 0) continue;
    const double rate = static_cast<double>(event.value) / static_cast<double>(duration_ns);
    std::vector<RateChange>& of_kind = changes[kind_of(timeline.name(event))];
    of_kind.push_back({event.start_ns, rate});
    of_kind.push_back({event.start_ns + duration_ns, -rate});
  }
  std::vector<HolisticBandwidth> out;
  for (auto& [kind, of_kind] : changes) out.push_back(summary_of(kind, of_kind));
  return out;
}

}  // namespace stepbench::analyze
