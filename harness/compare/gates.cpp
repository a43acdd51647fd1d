// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/gates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "harness/base/launch_flags.h"
#include "harness/base/value.h"
#include "harness/stats/order.h"
#include "harness/stats/rank_tests.h"
#include "harness/stats/slope.h"
#include "harness/stats/trend.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::compare {
namespace {

constexpr std::size_t kMinToWarn = 4;
constexpr std::size_t kMinToFail = 6;

// Whose doing `spread`, the middle half of the launches over their median, is.
std::string cause_of(double spread, const std::optional<WindowSpread>& within, bool fails) {
  constexpr double kMiddleHalf = 1.349;       // of a normal distribution, in standard deviations
  constexpr double kMinExplainedShare = 0.5;  // of the variance
  const double predicted = within ? kMiddleHalf * within->relative_sd : 0;
  if (within && predicted * predicted >= kMinExplainedShare * spread * spread) {
    const double longer = spread / kNoiseWarns;
    return ": their windows are too short for steps that vary so much; measure about " +
           text::rough_count(static_cast<double>(within->steps) * longer * longer) +
           " steps per launch instead of " + std::to_string(within->steps) + " (schedule.active)";
  }
  std::string text = fails ? ": the machine is too busy to judge" : "";
  if (within) {
    text += (text.empty() ? ": " : "; ") + std::string("short windows alone would give ") +
            text::percent_text(predicted) + ", the rest is the machine's";
  }
  return text;
}

constexpr std::int64_t kLongEnoughNs = 1'000'000'000;  // for shares that are counted in ticks

bool labelled(const record::LaunchRow& row, std::string_view flag) {
  const auto& flags = row.report.flags;
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

std::optional<double> share_of_life(const record::LaunchRow& row, std::string_view field) {
  const auto value = number_of(row.machine, field);
  if (!value || row.wall_ns < kLongEnoughNs) return std::nullopt;
  return *value / static_cast<double>(row.wall_ns);
}

std::optional<double> share_in_ticks(const record::LaunchRow& row, std::string_view field) {
  return row.wall_ns < kLongEnoughNs ? std::nullopt : number_of(row.machine, field);
}

std::optional<double> others(const record::LaunchRow& row) {
  return share_in_ticks(row, "others_cpu_share");
}
std::optional<double> steal(const record::LaunchRow& row) {
  return share_in_ticks(row, "steal_share");
}
std::optional<double> waiting(const record::LaunchRow& row) {
  const auto waited = number_of(row.machine, "window_run_queue_wait_ns");
  const auto window = number_of(row.machine, "window_ns");
  if (waited && window && *window > 0) return *waited / *window;
  return share_of_life(row, "run_queue_wait_ns");
}
std::optional<double> stopped(const record::LaunchRow& row) {
  return share_of_life(row, "cgroup_throttled_ns");
}
std::optional<double> slowed(const record::LaunchRow& row) {
  if (!row.machine.contains("gpu.throttled")) return std::nullopt;
  return labelled(row, launch_flag::kThrottled) ? 1.0 : 0.0;
}

struct Watched {
  const char* gate;
  std::string_view flag;  // by which a row says it; empty: none
  std::optional<double> (*share)(const record::LaunchRow&);
  double apart;  // beyond which arms differ
  bool may_fail;
  const char* what;   // that differs between the arms
  const char* label;  // what happened in a launch with the flag
};
constexpr std::array kWatched = {
    Watched{"load", "", others, kLoadApartFails, true, "CPU time that others used", ""},
    Watched{"steal", launch_flag::kSteal, steal, kApart, true, "CPU time that the hypervisor took",
            "the hypervisor took CPU time"},
    Watched{"throttling", launch_flag::kThrottled, slowed, kApart, true,
            "launches with a slowed down GPU", "the GPU was slowed down"},
    Watched{"waiting", launch_flag::kWaitedForCpu, waiting, kApart, false,
            "time that the training thread waited for a CPU", "the program had to wait for a CPU"},
    Watched{"quota", launch_flag::kCpuQuota, stopped, kApart, false,
            "time that the CPU quota stopped the worker", "the CPU quota stopped the program"}};

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Values of pairs in which both launches tell.
struct Arms {
  std::vector<double> base;
  std::vector<double> candidate;
};

template <typename Read>
Arms read_pairs(std::span<const CasePair> cases, Read read) {
  Arms arms;
  for (const CasePair& one : cases) {
    const std::size_t pairs = std::min(one.base.measured.size(), one.candidate.measured.size());
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto a = read(one.base.measured[i]->row);
      const auto b = read(one.candidate.measured[i]->row);
      if (!a || !b) continue;
      arms.base.push_back(*a);
      arms.candidate.push_back(*b);
    }
  }
  return arms;
}

double p_of_difference(const Arms& arms, Design design) {
  if (design == Design::kSequential)
    return stats::mann_whitney(arms.base, arms.candidate).p_two_sided;
  std::vector<double> differences(arms.base.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = arms.candidate[i] - arms.base[i];
  }
  return stats::signed_rank(differences).p_two_sided;
}

struct Labels {
  std::size_t base = 0;
  std::size_t candidate = 0;
  std::size_t launches = 0;
};

Labels count_labels(std::span<const CasePair> cases, std::string_view flag) {
  Labels count;
  for (const CasePair& one : cases) {
    for (const record::Launch* launch : one.base.measured)
      count.base += labelled(launch->row, flag);
    for (const record::Launch* launch : one.candidate.measured) {
      count.candidate += labelled(launch->row, flag);
    }
    count.launches += one.base.measured.size() + one.candidate.measured.size();
  }
  return count;
}

// The sides as people know them.
struct SideNames {
  const char* base;
  const char* candidate;
};
SideNames names_in(Design design) {
  return design == Design::kInterleaved ? SideNames{"arm A", "arm B"}
                                        : SideNames{"the base", "the candidate"};
}

void judge_level(const Watched& watched, const Arms& arms, std::span<const CasePair> cases,
                 const SideNames& names, Gate& gate) {
  if (watched.flag.empty()) {
    const double level = (mean(arms.base) + mean(arms.candidate)) / 2;
    if (!(level > kLoadWarns)) return;
    gate.state = GateState::kWarning;
    gate.warns_at = kLoadWarns;
    gate.value = level;
    gate.text =
        "the machine was busy: others used " + text::percent_text(level) + " of its CPU time";
    return;
  }
  const Labels labels = count_labels(cases, watched.flag);
  const std::size_t all = labels.base + labels.candidate;
  const bool any_counts = watched.share == slowed;
  const double level =
      static_cast<double>(all) / static_cast<double>(std::max<std::size_t>(labels.launches, 1));
  if (all == 0 || (!any_counts && !(level > kLabelledWarns))) return;
  gate.state = GateState::kWarning;
  gate.warns_at = any_counts ? 0 : kLabelledWarns;
  gate.value = level;
  gate.text = "in " + std::to_string(all) + " of " +
              text::counted(static_cast<std::int64_t>(labels.launches), "launch") + ' ' +
              watched.label + " (" + std::to_string(labels.base) + " of " + names.base + ", " +
              std::to_string(labels.candidate) + " of " + names.candidate + ')';
}

Gate judge_watched(const Watched& watched, std::span<const CasePair> cases, Design design) {
  Gate gate{.name = watched.gate};
  const Arms arms = read_pairs(cases, watched.share);
  const SideNames names = names_in(design);
  judge_level(watched, arms, cases, names, gate);
  if (arms.base.empty()) return gate;
  const double before = mean(arms.base);
  const double after = mean(arms.candidate);
  const double apart = std::abs(after - before);
  if (!(apart > watched.apart) || p_of_difference(arms, design) > kApartAlpha) return gate;
  const bool fails = watched.may_fail && design == Design::kInterleaved;
  gate.state = fails ? GateState::kFailed : GateState::kWarning;
  gate.value = apart;
  gate.warns_at = watched.apart;
  if (fails) gate.fails_at = watched.apart;
  gate.text = std::string(watched.what) +
              " differs by more than chance: " + text::percent_text(before) + " in " + names.base +
              ", " + text::percent_text(after) + " in " + names.candidate;
  return gate;
}

std::optional<double> clock_of(const record::LaunchRow& row) {
  return number_of(row.machine, "gpu.sm_mhz_median");
}

// Whether the power limit held the clock of an arm down for more than a moment.
bool power_capped(std::span<const CasePair> cases) {
  const Arms arms = read_pairs(cases, [](const record::LaunchRow& row) {
    return number_of(row.machine, "gpu.power_capped_share");
  });
  return std::max(mean(arms.base), mean(arms.candidate)) > kPowerCapped;
}

Gate judge_clocks(std::span<const CasePair> cases, Design design) {
  Gate gate{.name = "clocks", .fails_at = kClocksFail};
  const Arms arms = read_pairs(cases, clock_of);
  if (arms.base.empty()) return gate;
  const double before = stats::median(arms.base);
  const double after = stats::median(arms.candidate);
  if (!(before > 0) || !(after > 0)) return gate;
  gate.value = after / before - 1;
  if (!(std::abs(gate.value) > kClocksFail)) return gate;
  const SideNames names = names_in(design);
  gate.text = "the GPU's clock was " + text::short_number(before, 0) + " MHz in " + names.base +
              " and " + text::short_number(after, 0) + " MHz in " + names.candidate;
  if (power_capped(cases)) {
    gate.state = GateState::kWarning;
    gate.fails_at.reset();
    gate.text +=
        "; it was at its power limit, where the program itself decides the clock: what it draws is "
        "part of the verdict";
    return gate;
  }
  gate.state = design == Design::kInterleaved ? GateState::kFailed : GateState::kWarning;
  gate.text += ": lock it (nvidia-smi -lgc)";
  return gate;
}

}  // namespace

std::span<const std::string_view> gate_names() {
  static constexpr std::array<std::string_view, 6> kNames = {"noise", "drift",      "load",
                                                             "steal", "throttling", "clocks"};
  return kNames;
}

void apply_allowed(std::span<const std::string> allow, std::vector<Gate>& gates) {
  for (Gate& gate : gates) {
    if (std::find(allow.begin(), allow.end(), gate.name) == allow.end()) continue;
    gate.allowed = true;
    if (gate.state == GateState::kFailed) gate.state = GateState::kWarning;
  }
}

Gate noise_gate(std::span<const double> step_ns, std::string_view arm,
                const std::optional<WindowSpread>& within) {
  Gate gate{.name = "noise", .warns_at = kNoiseWarns, .fails_at = kNoiseFails};
  std::vector<double> values;
  std::copy_if(step_ns.begin(), step_ns.end(), std::back_inserter(values),
               [](double value) { return std::isfinite(value) && value > 0; });
  if (values.size() < kMinToWarn) return gate;
  gate.value = stats::interquartile_range(values) / stats::median(values);
  if (!(gate.value > kNoiseWarns)) return gate;
  const bool fails = gate.value > kNoiseFails && values.size() >= kMinToFail;
  gate.state = fails ? GateState::kFailed : GateState::kWarning;
  gate.text = std::string(arm) + "'s own launches differ by " + text::percent_text(gate.value) +
              " (" +
              (fails ? "limit " + text::short_number(100 * kNoiseFails)
                     : "good: below " + text::short_number(100 * kNoiseWarns)) +
              " %)" + cause_of(gate.value, within, fails);
  return gate;
}

bool fails(std::span<const Gate> gates) {
  return std::any_of(gates.begin(), gates.end(),
                     [](const Gate& gate) { return gate.state == GateState::kFailed; });
}

std::vector<double> block_levels(const CasePair& pair, const estimate::StepTimes& times) {
  struct Sum {
    double logs = 0;
    int launches = 0;
  };
  std::map<int, Sum> blocks;
  const std::size_t pairs = std::min(pair.base.measured.size(), pair.candidate.measured.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    const double a = times.base[i];
    const double b = times.candidate[i];
    if (!(a > 0) || !(b > 0)) continue;
    Sum& block = blocks[pair.base.measured[i]->row.block];
    block.logs += std::log(a) + std::log(b);
    block.launches += 2;
  }
  std::vector<double> levels;
  levels.reserve(blocks.size());
  for (const auto& [number, sum] : blocks) levels.push_back(sum.logs / sum.launches);
  return levels;
}

Gate drift_gate(std::span<const std::vector<double>> cases) {
  Gate gate{.name = "drift", .warns_at = kDriftWarns, .fails_at = kDriftFails};
  std::size_t blocks = 0;
  for (const std::vector<double>& levels : cases) blocks = std::max(blocks, levels.size());
  if (blocks < 2) return gate;
  const double slope = stats::pooled_theil_sen_slope(cases);
  gate.value = std::expm1(slope * static_cast<double>(blocks - 1));
  const double size = std::abs(gate.value);
  if (!(size > kDriftWarns) || stats::mann_kendall(cases).p_two_sided > kDriftAlpha) return gate;
  gate.state = size > kDriftFails ? GateState::kFailed : GateState::kWarning;
  gate.text = "the machine drifted: steps of both arms became " + text::percent_text(size) +
              (gate.value > 0 ? " slower" : " faster") + " from the first block to the last";
  if (gate.state == GateState::kFailed) {
    gate.text += ", more than 10 %: it was not the same machine throughout";
  }
  return gate;
}

std::vector<Gate> machine_gates(std::span<const CasePair> cases, Design design) {
  std::vector<Gate> gates;
  for (const Watched& watched : kWatched) gates.push_back(judge_watched(watched, cases, design));
  gates.push_back(judge_clocks(cases, design));
  std::erase_if(gates, [](const Gate& gate) { return gate.state == GateState::kPassed; });
  return gates;
}

}  // namespace stepbench::compare
