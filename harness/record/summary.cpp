// SPDX-License-Identifier: Apache-2.0
#include "harness/record/summary.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "harness/stats/order.h"

namespace stepbench {
namespace {

// Bits of the `flags` column, as in results/SCHEMA.md.
constexpr std::int64_t kEpochBorderBit = 1;
constexpr std::int64_t kFirstBatchBit = 8;
constexpr std::pair<std::int64_t, std::string_view> kFlagNames[] = {
    {kEpochBorderBit, "epoch border"},
    {2, "partial batch"},
    {4, "throttled"},
    {kFirstBatchBit, "first batch"},
    {~std::int64_t{15}, "of another kind"}};

// The columns of a launch, over all its cycles. A column that a part lacks counts as 0 there.
class Steps {
 public:
  explicit Steps(const Launch& launch) {
    for (const SamplesRow& part : launch.samples) {
      const std::size_t more = part.values.empty() ? 0 : part.values.front().size();
      for (std::size_t i = 0; i < part.columns.size(); ++i) {
        const auto [at, is_new] = values_.try_emplace(part.columns[i]);
        if (is_new) names_.push_back(part.columns[i]);
        at->second.resize(size_, 0);
        present_[part.columns[i]].emplace_back(size_, size_ + more);
        at->second.insert(at->second.end(), part.values[i].begin(), part.values[i].end());
      }
      size_ += more;
    }
    for (auto& [name, column] : values_) column.resize(size_, 0);
    choose_steady();
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<std::size_t>& steady() const { return steady_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  [[nodiscard]] std::span<const std::int64_t> column(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::span<const std::int64_t>{} : found->second;
  }

  // Those of `steps` in whose part the column stands.
  [[nodiscard]] std::vector<std::size_t> having(std::string_view name,
                                                std::span<const std::size_t> steps) const {
    std::vector<std::size_t> found;
    const auto ranges = present_.find(name);
    if (ranges == present_.end()) return found;
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(found), [&](std::size_t step) {
      return std::any_of(ranges->second.begin(), ranges->second.end(), [&](const auto& range) {
        return step >= range.first && step < range.second;
      });
    });
    return found;
  }

  [[nodiscard]] std::vector<double> pick(std::string_view name,
                                         std::span<const std::size_t> steps) const {
    const auto values = column(name);
    std::vector<double> picked;
    if (values.empty()) return picked;
    picked.reserve(steps.size());
    for (const std::size_t step : steps) picked.push_back(static_cast<double>(values[step]));
    return picked;
  }

 private:
  void choose_steady() {
    const auto flags = column("flags");
    for (std::size_t i = 0; i < size_; ++i) {
      if (flags.empty() || flags[i] == 0) steady_.push_back(i);
    }
  }

  std::map<std::string, std::vector<std::int64_t>, std::less<>> values_;
  // Ranges of steps in whose part each column stands.
  std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>, std::less<>> present_;
  std::vector<std::string> names_;
  std::vector<std::size_t> steady_;
  std::size_t size_ = 0;
};

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

constexpr std::string_view kDeviceSuffix = "_device_ns";

bool is_phase(std::string_view column) {
  return column.ends_with("_ns") && !column.ends_with(kDeviceSuffix) && column != "step_ns" &&
         column != "epoch_wait_ns" && column != "host_lead_ns";
}

// A window whose events failed has no device times, and host_lead_ns may be left out of any window.
void add_device(const Steps& steps, std::span<const std::size_t> all, LaunchSummary& summary) {
  const std::vector<std::size_t> used = steps.having("step_device_ns", all);
  const std::vector<double> spans = steps.pick("step_device_ns", used);
  if (spans.empty()) return;
  summary.device_step_ns = median(spans);
  const double total = std::accumulate(spans.begin(), spans.end(), 0.0);
  for (const std::string& column : steps.names()) {
    if (!column.ends_with(kDeviceSuffix) || column == "step_device_ns") continue;
    const std::vector<double> times = steps.pick(column, used);
    const double sum_ns = std::accumulate(times.begin(), times.end(), 0.0);
    summary.device.push_back({.name = column.substr(0, column.size() - kDeviceSuffix.size()),
                              .median_ns = median(times),
                              .share = total > 0 ? sum_ns / total : 0});
  }
  const std::vector<double> lead = steps.pick("host_lead_ns", steps.having("host_lead_ns", used));
  if (!lead.empty()) summary.host_lead_ns = median(lead);
}

void add_phases(const Steps& steps, std::span<const std::size_t> used, double total,
                LaunchSummary& summary) {
  for (const std::string& column : steps.names()) {
    if (!is_phase(column)) continue;
    const std::vector<double> times = steps.pick(column, used);
    PhaseSummary phase{.name = column.substr(0, column.size() - 3),
                       .median_ns = median(times),
                       .share = total > 0 ? sum(times) / total : 0};
    if (phase.name == "data_wait") summary.data_wait_share = phase.share;
    summary.phases.push_back(std::move(phase));
  }
  std::stable_partition(summary.phases.begin(), summary.phases.end(),
                        [](const PhaseSummary& phase) { return phase.name != "other"; });
}

std::vector<FlaggedSteps> count_flags(std::span<const std::int64_t> flags) {
  std::vector<FlaggedSteps> counted;
  for (const auto& [bits, name] : kFlagNames) {
    const auto steps = std::count_if(flags.begin(), flags.end(), [bits = bits](std::int64_t flag) {
      return (flag & bits) != 0;
    });
    if (steps > 0) counted.push_back({name, steps});
  }
  return counted;
}

std::optional<double> rate(std::span<const double> counts, double total_ns) {
  if (counts.empty() || total_ns <= 0) return std::nullopt;
  return sum(counts) / (total_ns * 1e-9);
}

// What a step at an epoch's border waited beyond a steady step. The loader's very first batch is no
// border.
std::optional<double> epoch_gap(const Steps& steps) {
  const auto flags = steps.column("flags");
  const auto wait = steps.column("epoch_wait_ns");
  if (flags.empty() || wait.empty()) return std::nullopt;
  const std::vector<double> steady = steps.pick("data_wait_ns", steps.steady());
  const double usual = steady.empty() ? 0 : median(steady);
  std::vector<double> gaps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if ((flags[i] & kEpochBorderBit) == 0 || (flags[i] & kFirstBatchBit) != 0) continue;
    gaps.push_back(std::max(0.0, static_cast<double>(wait[i]) - usual));
  }
  if (gaps.empty()) return std::nullopt;
  return median(gaps);
}

void add_model_rate(const LaunchReport::Metrics& metrics, double steps, double total_ns,
                    LaunchSummary& summary) {
  const auto metric = [&](std::string_view name) {
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : found->second;
  };
  const auto flops = metric("model_flops_per_step");
  if (!flops || total_ns <= 0) return;
  summary.achieved_flops_per_s = *flops * steps / (total_ns * 1e-9);
  const auto peak = metric("device_peak_flops");
  if (peak && *peak > 0) summary.mfu = *summary.achieved_flops_per_s / *peak;
}

}  // namespace

std::optional<LaunchSummary> summarise(const Launch& launch) {
  const Steps steps(launch);
  if (steps.size() == 0 || steps.column("step_ns").empty()) return std::nullopt;
  LaunchSummary summary;
  summary.steps = static_cast<std::int64_t>(steps.size());
  summary.steady_steps = static_cast<std::int64_t>(steps.steady().size());
  summary.flagged = count_flags(steps.column("flags"));
  summary.no_steady_steps = steps.steady().empty();
  std::vector<std::size_t> used = steps.steady();
  if (used.empty()) {
    used.resize(steps.size());
    std::iota(used.begin(), used.end(), std::size_t{0});
  }
  std::vector<double> times = steps.pick("step_ns", used);
  std::sort(times.begin(), times.end());
  const double total = sum(times);
  summary.step_median_ns = quantile_of_sorted(times, 0.5);
  summary.step_p90_ns = quantile_of_sorted(times, 0.9);
  summary.step_p99_ns = quantile_of_sorted(times, 0.99);
  summary.step_iqr_ns = quantile_of_sorted(times, 0.75) - quantile_of_sorted(times, 0.25);
  add_device(steps, used, summary);
  add_phases(steps, used, total, summary);
  summary.samples_per_s = rate(steps.pick("samples", used), total);
  summary.tokens_per_s = rate(steps.pick("tokens", used), total);
  summary.epoch_gap_ns = epoch_gap(steps);
  add_model_rate(launch.row.report.metrics, static_cast<double>(used.size()), total, summary);
  return summary;
}

}  // namespace stepbench
