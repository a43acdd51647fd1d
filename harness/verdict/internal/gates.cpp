// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/gates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/estimate/noise.h"
#include "harness/record/quality.h"
#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"
#include "harness/stats/trend.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::verdict {
namespace {

using record::Fact;
using record::Quality;

constexpr std::size_t kMinToWarn = 4;
// Allowed difference within one pair, as a multiple of that between the means of about 16 pairs.
constexpr double kOnePair = 4;

// Explains `spread`, the interquartile range of the launches over their median.
std::string cause_of(double spread, const std::optional<WindowSpread>& within) {
  constexpr double kMiddleHalf = 1.349;  // IQR of a normal distribution, in standard deviations
  constexpr double kMinExplainedShare = 0.5;  // of the variance
  if (!within) return {};
  const double predicted = kMiddleHalf * within->relative_sd;
  if (predicted * predicted >= kMinExplainedShare * spread * spread) {
    const double longer = spread / kNoiseWarns;
    return formatted(
        ": their windows are too short for steps that vary so much; measure about {} steps per "
        "launch instead of {} (schedule.active)",
        text::rough_count(static_cast<double>(within->steps) * longer * longer), within->steps);
  }
  return formatted(": short windows alone would give {}, the rest is the machine's",
                   text::percent_text(predicted));
}

struct Watched {
  const char* gate;
  Fact fact;
  bool may_fail;
  const char* what;  // describes the quantity, for messages
};
constexpr std::array kWatched = {
    Watched{"load", Fact::kOthers, true, "CPU time that others used"},
    Watched{"steal", Fact::kSteal, true, "CPU time that the hypervisor took"},
    Watched{"throttling", Fact::kThrottled, true, "launches with a slowed down GPU"},
    Watched{"waiting", Fact::kWaited, false, "time that the training thread waited for a CPU"},
    Watched{"quota", Fact::kQuota, false, "time that the CPU quota stopped the worker"}};

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::optional<double> watched_value(const record::LaunchRow& row, Fact fact) {
  if (row.wall_ns < record::row_of(fact).least_wall_ns) return std::nullopt;
  return Quality(row).value(fact);
}

// Values of pairs in which both launches recorded the fact.
struct Arms {
  std::vector<double> base;
  std::vector<double> candidate;
};

Arms read_pairs(std::span<const CasePair> cases, Fact fact) {
  Arms arms;
  for (const CasePair& one : cases) {
    const std::size_t pairs = std::min(one.base.measured.size(), one.candidate.measured.size());
    for (std::size_t i = 0; i < pairs; ++i) {
      const auto a = watched_value(one.base.measured[i]->row, fact);
      const auto b = watched_value(one.candidate.measured[i]->row, fact);
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

// Launches of a side: all, those that recorded the fact, and those in which it has to be reported.
struct Seen {
  std::size_t launches = 0, watched = 0, reported = 0;
};

Seen launches_of(std::span<const CasePair> cases, CaseLaunches CasePair::*side, Fact fact) {
  Seen seen;
  for (const CasePair& one : cases) {
    for (const record::Launch* launch : (one.*side).measured) {
      const Quality quality(launch->row);
      ++seen.launches;
      if (quality.value(fact)) ++seen.watched;
      const bool enough = launch->row.wall_ns >= record::row_of(fact).least_wall_ns;
      if (enough && quality.reported(fact)) ++seen.reported;
    }
  }
  return seen;
}

struct SideNames {
  const char* base;
  const char* candidate;
};
SideNames names_in(Design design) {
  return design == Design::kInterleaved ? SideNames{"arm A", "arm B"}
                                        : SideNames{"the base", "the candidate"};
}

void warn(Gate& gate, double value, double warns_at, std::string text) {
  gate.state = GateState::kWarning;
  gate.value = value;
  gate.warns_at = warns_at;
  gate.text = std::move(text);
}

void judge_level(const record::FactRow& row, const Arms& arms, std::span<const CasePair> cases,
                 const SideNames& names, Gate& gate) {
  if (row.flag.empty()) {
    const double level = (mean(arms.base) + mean(arms.candidate)) / 2;
    if (row.level(level) < record::FactLevel::kUnusable) return;
    warn(gate, level, row.unusable,
         formatted("the machine was busy: others used {} of its CPU time",
                   text::percent_text(level)));
    return;
  }
  const Seen base = launches_of(cases, &CasePair::base, row.fact);
  const Seen candidate = launches_of(cases, &CasePair::candidate, row.fact);
  const std::size_t all = base.reported + candidate.reported;
  const auto launches = static_cast<std::int64_t>(base.launches + candidate.launches);
  const double share =
      static_cast<double>(all) / static_cast<double>(std::max(launches, std::int64_t{1}));
  // A single throttled launch warns: the device is hot.
  const double warns_at = row.fact == Fact::kThrottled ? 0 : kLabelledWarns;
  if (!(share > warns_at)) return;
  warn(gate, share, warns_at,
       formatted("in {} of {} {} ({} of {}, {} of {})", all, text::counted(launches, "launch"),
                 launch_flag::meaning(row.flag), base.reported, names.base, candidate.reported,
                 names.candidate));
}

// If the fact was recorded on one side only, a difference cannot be ruled out. Not for throttling,
// which needs a GPU.
void judge_watching(const Watched& watched, std::span<const CasePair> cases, const SideNames& names,
                    Gate& gate) {
  const Seen base = launches_of(cases, &CasePair::base, watched.fact);
  const Seen candidate = launches_of(cases, &CasePair::candidate, watched.fact);
  const bool both = (base.watched == 0) == (candidate.watched == 0);
  if (both || watched.fact == Fact::kThrottled || base.launches * candidate.launches == 0) return;
  warn(gate, 0, 0,
       formatted("{} was not watched in {}", watched.what,
                 base.watched == 0 ? names.base : names.candidate));
}

Gate judge_watched(const Watched& watched, std::span<const CasePair> cases, Design design) {
  Gate gate{.name = watched.gate};
  const record::FactRow& row = record::row_of(watched.fact);
  const Arms arms = read_pairs(cases, watched.fact);
  const SideNames names = names_in(design);
  judge_watching(watched, cases, names, gate);
  judge_level(row, arms, cases, names, gate);
  if (arms.base.empty()) return gate;
  const double before = mean(arms.base);
  const double after = mean(arms.candidate);
  const double arm_difference = std::abs(after - before);
  if (!(arm_difference > row.arm_difference) || p_of_difference(arms, design) > kArmDifferenceAlpha)
    return gate;
  const bool fails = watched.may_fail && design == Design::kInterleaved;
  gate.state = fails ? GateState::kFailed : GateState::kWarning;
  gate.value = arm_difference;
  gate.warns_at = row.arm_difference;
  if (fails) gate.fails_at = row.arm_difference;
  gate.text =
      formatted("{} differs by more than chance: {} in {}, {} in {}", watched.what,
                text::percent_text(before), names.base, text::percent_text(after), names.candidate);
  return gate;
}

// True if the power limit reduced the clock of an arm for more than a moment.
bool power_capped(std::span<const CasePair> cases) {
  const Arms arms = read_pairs(cases, Fact::kPowerCap);
  return record::row_of(Fact::kPowerCap).level(std::max(mean(arms.base), mean(arms.candidate))) >=
         record::FactLevel::kSeen;
}

Gate judge_clocks(std::span<const CasePair> cases, Design design) {
  const double arm_difference = record::row_of(Fact::kClock).arm_difference;
  Gate gate{.name = "clocks", .fails_at = arm_difference};
  const Arms arms = read_pairs(cases, Fact::kClock);
  if (arms.base.empty()) return gate;
  const double before = stats::median(arms.base);
  const double after = stats::median(arms.candidate);
  if (!(before > 0) || !(after > 0)) return gate;
  gate.value = after / before - 1;
  if (!(std::abs(gate.value) > arm_difference)) return gate;
  const SideNames names = names_in(design);
  gate.text =
      formatted("the GPU's clock was {} MHz in {} and {} MHz in {}", text::short_number(before, 0),
                names.base, text::short_number(after, 0), names.candidate);
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
  static constexpr std::array<std::string_view, 6> kNames = {"load",   "steal", "throttling",
                                                             "clocks", "noise", "drift"};
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
  Gate gate{.name = "noise", .warns_at = kNoiseWarns};
  std::vector<double> values;
  std::copy_if(step_ns.begin(), step_ns.end(), std::back_inserter(values),
               [](double value) { return std::isfinite(value) && value > 0; });
  if (values.size() < kMinToWarn) return gate;
  gate.value = stats::interquartile_range(values) / stats::median(values);
  if (!(gate.value > kNoiseWarns)) return gate;
  gate.state = GateState::kWarning;
  gate.doubt = formatted("{}'s own launches differ by {}", arm, text::percent_text(gate.value));
  gate.text = formatted("{} (good: below {} %){}", gate.doubt,
                        text::short_number(100 * kNoiseWarns), cause_of(gate.value, within));
  return gate;
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
  Gate gate{.name = "drift", .warns_at = kDriftWarns};
  std::size_t blocks = 0;
  for (const std::vector<double>& levels : cases) blocks = std::max(blocks, levels.size());
  if (blocks < 2) return gate;
  const double slope = stats::pooled_theil_sen_slope(cases);
  gate.value = std::expm1(slope * static_cast<double>(blocks - 1));
  const double size = std::abs(gate.value);
  if (!(size > kDriftWarns) || stats::mann_kendall(cases).p_two_sided > kDriftAlpha) return gate;
  gate.state = GateState::kWarning;
  gate.doubt = "the machine drifted by " + text::percent_text(size);
  gate.text = formatted(
      "the machine drifted: steps of both arms became {}{} from the first block to the last",
      text::percent_text(size), gate.value > 0 ? " slower" : " faster");
  return gate;
}

std::vector<Gate> machine_gates(std::span<const CasePair> cases, Design design) {
  std::vector<Gate> gates;
  for (const Watched& watched : kWatched) gates.push_back(judge_watched(watched, cases, design));
  gates.push_back(judge_clocks(cases, design));
  std::erase_if(gates, [](const Gate& gate) { return gate.state == GateState::kPassed; });
  return gates;
}

bool is_even(const record::LaunchRow& base, const record::LaunchRow& candidate) {
  const auto arm_difference = [&](Fact fact) {
    const auto a = watched_value(base, fact);
    const auto b = watched_value(candidate, fact);
    if (!a || !b) return 0.0;
    return fact == Fact::kClock && *a > 0 ? std::abs(*b / *a - 1) : std::abs(*b - *a);
  };
  const auto is_capped = [](const record::LaunchRow& row) {
    return record::row_of(Fact::kPowerCap).level(watched_value(row, Fact::kPowerCap)) >=
           record::FactLevel::kSeen;
  };
  const bool own_clock = is_capped(base) || is_capped(candidate);
  if (!own_clock &&
      arm_difference(Fact::kClock) > kOnePair * record::row_of(Fact::kClock).arm_difference) {
    return false;
  }
  return std::ranges::none_of(kWatched, [&](const Watched& watched) {
    return watched.may_fail &&
           arm_difference(watched.fact) > kOnePair * record::row_of(watched.fact).arm_difference;
  });
}

std::optional<WindowSpread> window_spread(std::span<const record::Launch* const> launches) {
  double squares = 0;
  std::vector<double> steps;
  for (const record::Launch* launch : launches) {
    const estimate::StepBlocks blocks = estimate::step_blocks(*launch);
    const double spread = stats::spread_of_mean(blocks.means);
    if (!std::isfinite(spread)) continue;
    squares += spread * spread;
    steps.push_back(static_cast<double>(blocks.steps));
  }
  if (steps.empty()) return std::nullopt;
  return WindowSpread{std::sqrt(squares / static_cast<double>(steps.size())),
                      std::llround(stats::median(steps))};
}

AaControl aa_control(std::span<const std::vector<double>> cases, double alpha) {
  AaControl control;
  std::vector<double> pooled;
  std::vector<double> changes;  // differences of logarithms
  for (const std::vector<double>& values : cases) {
    if (values.size() < 4 || !std::all_of(values.begin(), values.end(), [](double value) {
          return std::isfinite(value) && value > 0;
        })) {
      continue;
    }
    std::vector<double> logs(values);
    for (double& value : logs) value = std::log(value);
    const double spread = stats::robust_sd(logs);
    if (spread == 0) continue;
    for (std::size_t i = 0; i + 3 < logs.size(); i += 4) {
      const double difference = logs[i] + logs[i + 3] - logs[i + 1] - logs[i + 2];
      pooled.push_back(difference / spread);
      changes.push_back(difference / 2);
    }
  }
  control.pooled_quads = pooled.size();
  control.p = stats::signed_rank(pooled).p_two_sided;
  const stats::HodgesLehmann middle = stats::hodges_lehmann(changes, kControlConfidence);
  if (std::isfinite(middle.interval.low)) {
    control.change = std::expm1(middle.centre);
    control.interval = {std::expm1(middle.interval.low), std::expm1(middle.interval.high)};
  }
  if (pooled.size() < kMinQuads) return control;
  control.state = control.p <= alpha ? AaControl::State::kFailed : AaControl::State::kPassed;
  return control;
}

}  // namespace stepbench::verdict
