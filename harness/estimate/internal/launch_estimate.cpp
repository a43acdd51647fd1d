// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/internal/launch_estimate.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "harness/base/step_flags.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {

std::span<const std::int64_t> StepColumns::Part::column(std::string_view name) const {
  const std::vector<std::int64_t>* values = samples->steps.find(name);
  return values == nullptr ? std::span<const std::int64_t>()
                           : std::span(*values).subspan(from, to - from);
}

StepColumns::StepColumns(const record::Launch& launch) {
  for (const record::CycleSamples& samples : launch.samples) {
    const std::size_t size = samples.steps.steps();
    if (size == 0) continue;
    for (const std::string& name : samples.steps.names) {
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    }
    parts_.push_back({&samples, 0, size});
    steps_ += size;
  }
}

bool StepColumns::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool StepColumns::complete(std::string_view name) const {
  return !parts_.empty() && std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.column(name).size() == part.to - part.from;
  });
}

std::int64_t StepColumns::sum(std::string_view name) const {
  std::int64_t total = 0;
  for (const Part& part : parts_) {
    const auto values = part.column(name);
    total = std::accumulate(values.begin(), values.end(), total);
  }
  return total;
}

std::vector<double> StepColumns::values(std::string_view name) const {
  std::vector<double> all;
  for (const Part& part : parts_) {
    const auto values = part.column(name);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<std::int64_t> StepColumns::filled(std::string_view name) const {
  std::vector<std::int64_t> all;
  all.reserve(steps_);
  for (const Part& part : parts_) {
    const auto values = part.column(name);
    if (values.empty()) {
      all.resize(all.size() + (part.to - part.from), 0);
    } else {
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

bool StepColumns::cut_to_epochs(std::int64_t border) {
  std::vector<Part> kept;
  for (auto cycle = parts_.begin(); cycle != parts_.end();) {
    const auto end = std::find_if(cycle, parts_.end(), [&](const Part& part) {
      return part.samples->cycle != cycle->samples->cycle;
    });
    std::vector<std::pair<std::size_t, std::size_t>> borders;  // part of the cycle, step in it
    for (auto part = cycle; part != end; ++part) {
      const auto flags = part->column("flags");
      for (std::size_t i = 0; i < flags.size(); ++i) {
        if ((flags[i] & border) == 0) continue;
        borders.emplace_back(static_cast<std::size_t>(part - cycle), part->from + i);
      }
    }
    if (borders.size() < 2) return false;
    const auto [first_part, first_step] = borders.front();
    const auto [last_part, last_step] = borders.back();
    for (std::size_t i = first_part; i <= last_part; ++i) {
      Part part = *(cycle + static_cast<std::ptrdiff_t>(i));
      if (i == first_part) part.from = first_step;
      if (i == last_part) part.to = last_step;
      if (part.to > part.from) kept.push_back(part);
    }
    cycle = end;
  }
  if (kept.empty()) return false;
  parts_ = std::move(kept);
  steps_ = std::accumulate(
      parts_.begin(), parts_.end(), std::size_t{0},
      [](std::size_t steps, const Part& part) { return steps + (part.to - part.from); });
  return true;
}

namespace {

constexpr int kFirstMinorWithWholeWindows = 3;

bool ran_on_device(const record::LaunchRow& row) {
  std::string device = text_of(row.report.effective, "device");
  if (device.empty()) device = text_of(row.options, "device");
  return device.starts_with("cuda");
}

void other_last(std::vector<PhaseTime>& phases) {
  std::stable_partition(phases.begin(), phases.end(),
                        [](const PhaseTime& phase) { return phase.name != "other"; });
}

std::vector<PhaseTime> phases_at(PhasePlace place, const record::Launch& launch,
                                 const StepColumns& steps) {
  std::vector<PhaseTime> phases;
  for (const std::string_view column : steps.names()) {
    auto phase = phase_of(launch, column);
    if (phase && phase->place == place) {
      phases.push_back({std::move(phase->name), steps.sum(column)});
    }
  }
  return phases;
}

void add_host(const record::Launch& launch, const StepColumns& steps, LaunchEstimate& out) {
  out.host_ns = steps.sum("step_ns");
  out.phases = phases_at(PhasePlace::kHost, launch, steps);
  other_last(out.phases);
}

// `model_flops_per_step` refers to the largest step.
void add_model(const record::Launch& launch, const StepColumns& steps, LaunchEstimate& out) {
  const auto reported = [&](std::string_view name) -> std::optional<double> {
    const auto found = launch.row.report.metrics.find(name);
    return found == launch.row.report.metrics.end() ? std::nullopt : found->second;
  };
  out.device_peak_flops = reported("device_peak_flops");
  out.flops_per_step = reported("model_flops_per_step");
  if (!out.flops_per_step || !steps.complete("samples")) return;
  const std::vector<double> samples = steps.values("samples");
  const double most = *std::max_element(samples.begin(), samples.end());
  if (!(most > 0)) return;
  *out.flops_per_step *=
      static_cast<double>(steps.sum("samples")) / static_cast<double>(samples.size()) / most;
}

// Files before 1.3 record the device span of each step, not the time from the end of one step to
// the end of the next.
void add_device(const record::Launch& launch, const StepColumns& steps, bool old_file,
                LaunchEstimate& out) {
  const auto medians = [&](std::string_view name) {
    const std::vector<double> values = steps.values(name);
    return values.empty() ? std::nullopt : std::optional(stats::median(values));
  };
  out.device_span_ns = medians("step_device_ns");
  out.host_lead_ns = medians("host_lead_ns");
  const std::string_view clock = old_file ? "step_device_ns" : "period_device_ns";
  if (!steps.complete(clock)) return;
  out.device_ns = steps.sum(clock);
  out.device_spans = old_file;
  out.device_phases = phases_at(PhasePlace::kComputeStream, launch, steps);
  out.side_phases = phases_at(PhasePlace::kSideStream, launch, steps);
  if (old_file && steps.has("idle_device_ns")) {
    out.device_phases.push_back({"other", steps.sum("idle_device_ns")});
  }
  other_last(out.device_phases);
}

void add_to_other(std::vector<PhaseTime>& phases, std::int64_t ns) {
  if (!phases.empty() && phases.back().name == "other") phases.back().ns += ns;
}

// With several ranks, a launch takes as long as the slowest rank and does the work of all. Time
// that rank 0 waited for slower ranks counts as `other`.
void add_group(const record::Launch& launch, LaunchEstimate& out) {
  const Fields& schedule = launch.row.report.schedule;
  if (schedule.contains("group_apart")) {  // the ranks ran independently: no common rate
    out.samples.reset();
    out.tokens.reset();
  }
  const auto whole = number_of(schedule, "group_window_ns");
  if (!whole) return;
  const StepClock clock = clock_of(out);
  const std::int64_t more_ns = static_cast<std::int64_t>(*whole) - window_ns(out, clock);
  if (more_ns > 0) {
    if (clock == StepClock::kDevice) {
      *out.device_ns += more_ns;
      add_to_other(out.device_phases, more_ns);
    } else {
      if (out.drained_ns) *out.drained_ns += more_ns;
      out.host_ns += more_ns;
      add_to_other(out.phases, more_ns);
    }
  }
  const auto all = [&](std::optional<std::int64_t>& work, std::string_view name) {
    if (const auto sum = number_of(schedule, name)) work = static_cast<std::int64_t>(*sum);
  };
  all(out.samples, "group_samples");
  all(out.tokens, "group_tokens");
}

std::vector<FlaggedSteps> count_flags(std::span<const std::int64_t> flags) {
  std::vector<FlaggedSteps> counted;
  for (const auto& [bits, name] : kStepFlagNames) {
    const auto steps = std::count_if(flags.begin(), flags.end(), [bits = bits](std::int64_t flag) {
      return (flag & bits) != 0;
    });
    if (steps > 0) counted.push_back({name, steps});
  }
  return counted;
}

StepQuantiles quantiles_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  StepQuantiles out;
  out.p50_ns = stats::quantile_of_sorted(times, 0.5);
  out.p90_ns = stats::quantile_of_sorted(times, 0.9);
  out.any_p99_ns = stats::quantile_of_sorted(times, 0.99);
  if (times.size() >= kMinStepsForP99) out.p99_ns = out.any_p99_ns;
  out.iqr_ns = stats::quantile_of_sorted(times, 0.75) - stats::quantile_of_sorted(times, 0.25);
  return out;
}

std::vector<double> latencies(const StepColumns& steps) {
  if (steps.complete("request_latency_ns")) return steps.values("request_latency_ns");
  std::vector<double> times = steps.values("step_ns");
  const std::vector<std::int64_t> wait = steps.filled("data_wait_ns");
  for (std::size_t i = 0; i < times.size(); ++i) times[i] -= static_cast<double>(wait[i]);
  return times;
}

Latency latency_of(std::span<const double> times) {
  constexpr std::size_t kBlocks = 10;
  constexpr double kConfidence = 0.95;
  Latency out{.p50_ns = stats::median(times)};
  const std::size_t length = times.size() / kBlocks;
  if (length == 0) return out;
  std::vector<double> medians;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    medians.push_back(stats::median(times.subspan(block * length, length)));
  }
  out.interval_ns = stats::median_interval(medians, kConfidence);
  return out;
}

// The loader's very first batch does not count as a border. `turn`: steps delivered together by the
// workers.
std::optional<EpochBorders> borders_of(const StepColumns& steps, std::int64_t turn) {
  if (!steps.has("epoch_wait_ns") || !steps.has("data_wait_ns")) return std::nullopt;
  const std::vector<std::int64_t> flags = steps.filled("flags");
  const std::vector<std::int64_t> wait = steps.filled("data_wait_ns");
  EpochBorders out;
  double in_turns = 0;
  double elsewhere = 0;
  std::int64_t steps_in_turns = 0;
  std::int64_t others = 0;
  std::int64_t left = 0;  // remaining steps of the border's turn
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if ((flags[i] & kFirstBatch) != 0) continue;
    if ((flags[i] & kEpochBorder) != 0) {
      ++out.steps;
      left = turn;
    }
    const bool in_turn = left > 0;
    (in_turn ? in_turns : elsewhere) += static_cast<double>(wait[i]);
    ++(in_turn ? steps_in_turns : others);
    if (in_turn) --left;
  }
  if (out.steps == 0) return std::nullopt;
  const double usual = others == 0 ? 0 : elsewhere / static_cast<double>(others);
  out.gap_ns =
      (in_turns - static_cast<double>(steps_in_turns) * usual) / static_cast<double>(out.steps);
  return out;
}

bool wants_latency(const record::Launch& launch) {
  return text_of(launch.row.options, "schedule.sync") == "step";
}

}  // namespace

std::optional<LaunchEstimate> estimate_of(const record::Launch& launch) {
  StepColumns steps(launch);
  if (steps.steps() == 0 || !steps.complete("step_ns")) return std::nullopt;
  LaunchEstimate out;
  const bool old_file = launch.schema_minor < kFirstMinorWithWholeWindows;
  const auto count = [&](std::string_view name) {
    return steps.has(name) ? std::optional(steps.sum(name)) : std::nullopt;
  };
  out.flagged = count_flags(steps.filled("flags"));
  const double turn = number_of(launch.row.options, "schedule.block").value_or(1);
  out.borders = borders_of(steps, std::max<std::int64_t>(static_cast<std::int64_t>(turn), 1));
  const bool cut = old_file && steps.cut_to_epochs(kEpochBorder);
  out.uneven = old_file && !cut && steps.has("data_wait_ns");
  out.steps = static_cast<std::int64_t>(steps.steps());
  out.on_device = ran_on_device(launch.row);
  add_host(launch, steps, out);
  add_device(launch, steps, old_file, out);
  if (const auto drained = number_of(launch.row.report.schedule, "window_drained_ns")) {
    out.drained_ns = static_cast<std::int64_t>(*drained);
  }
  out.no_rates = out.on_device && !out.device_ns && !out.drained_ns;
  out.samples = count("samples");
  out.tokens = count("tokens");
  out.bytes = count("bytes");
  add_model(launch, steps, out);
  add_group(launch, out);
  const bool latency = wants_latency(launch);
  std::vector<double> times = latency ? latencies(steps) : steps.values("step_ns");
  if (latency) out.latency = latency_of(times);
  out.quantiles = quantiles_of(std::move(times));
  return out;
}

std::vector<double> quantile_times(const record::Launch& launch) {
  StepColumns steps(launch);
  if (steps.steps() == 0 || !steps.complete("step_ns")) return {};
  if (launch.schema_minor < kFirstMinorWithWholeWindows) {
    static_cast<void>(steps.cut_to_epochs(kEpochBorder));
  }
  return wants_latency(launch) ? latencies(steps) : steps.values("step_ns");
}

StepClock clock_of(const LaunchEstimate& launch) {
  if (launch.device_ns) return StepClock::kDevice;
  return launch.on_device ? StepClock::kDrained : StepClock::kHost;
}

StepClock common(StepClock a, StepClock b) { return a == b ? a : StepClock::kDrained; }

std::int64_t window_ns(const LaunchEstimate& launch, StepClock clock) {
  if (clock == StepClock::kHost) return launch.host_ns;
  // With events at both ends, a window's device time is equivalent to the time between two drained
  // moments; plain host time would include the work that was queued before the window.
  if (launch.device_ns) return *launch.device_ns;
  return launch.drained_ns.value_or(launch.host_ns);
}

double step_ns(const LaunchEstimate& launch, StepClock clock) {
  return static_cast<double>(window_ns(launch, clock)) / static_cast<double>(launch.steps);
}

ModelRate model_rate(double flops_per_step, std::optional<double> device_peak_flops,
                     double step_ns) {
  ModelRate rate{.flops_per_s = flops_per_step / (step_ns * 1e-9)};
  if (!device_peak_flops || !(*device_peak_flops > 0)) return rate;
  const double mfu = rate.flops_per_s / *device_peak_flops;
  rate.refused = mfu > 1;
  if (!rate.refused) rate.mfu = mfu;
  return rate;
}

double headline_ns(const LaunchEstimate& launch, StepClock clock) {
  return launch.latency ? launch.latency->p50_ns : step_ns(launch, clock);
}

namespace {

// Files before 1.4 do not record which columns are phases, and no file does for columns that its
// worker never declared. For those, every time is a phase except these. queue_wait_ns occurs in
// files before 0.2.
bool guessed_by_name(std::string_view column) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"step_ns", "epoch_wait_ns", "host_lead_ns", "step_device_ns", "period_device_ns",
       "overlap_device_ns", "idle_device_ns", "queue_wait_ns", "request_latency_ns",
       "time_to_first_token_ns", "time_per_output_token_ns"});
  return column.ends_with("_ns") &&
         std::find(kOthers.begin(), kOthers.end(), column) == kOthers.end();
}

bool is_phase(const record::Launch& launch, std::string_view column) {
  if (launch.phases != nullptr) {
    const auto declared = launch.phases->find(column);
    if (declared != launch.phases->end()) return declared->second;
  }
  return guessed_by_name(column);
}

}  // namespace

std::optional<PhaseColumn> phase_of(const record::Launch& launch, std::string_view column) {
  if (!is_phase(launch, column)) return std::nullopt;
  constexpr auto kSuffixes = std::to_array<std::pair<std::string_view, PhasePlace>>(
      {{"_side_device_ns", PhasePlace::kSideStream},
       {"_device_ns", PhasePlace::kComputeStream},
       {"_ns", PhasePlace::kHost}});
  for (const auto& [suffix, place] : kSuffixes) {
    if (!column.ends_with(suffix)) continue;
    column.remove_suffix(suffix.size());
    return PhaseColumn{std::string(column), place};
  }
  return std::nullopt;
}

}  // namespace stepbench::estimate
