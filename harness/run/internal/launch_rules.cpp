// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/launch_rules.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::run {
namespace {

// Larger integers are not exact in a double; 2^53 ns is 104 days.
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 53U;
constexpr std::int64_t kFreeCells = std::int64_t{8} << 20U;
constexpr std::int64_t kMaxColumns = 64;  // upper bound for a correct worker's samples
constexpr std::int64_t kMaxCycle = 1'000'000'000;

std::string number(std::int64_t value) {
  return value < 0 ? "-" + text::with_separators(-std::max(value, -kMaxNumber))
                   : text::with_separators(value);
}

// "cycle 0, step 17"
std::string place_of(const record::CycleSamples& samples, std::size_t row) {
  const std::vector<std::int64_t>* index = samples.steps.find("index");
  return formatted("cycle {}, step {}", samples.cycle,
                   index == nullptr ? formatted("{} of its window", row) : number((*index)[row]));
}

bool is_host_time(std::string_view column, const LaunchRules& rules) {
  return column == "step_ns" || column == "epoch_wait_ns" || column == "other_ns" ||
         column == "request_latency_ns" || column == "time_to_first_token_ns" ||
         column == "time_per_output_token_ns" || rules.phases.contains(column);
}

bool is_count(std::string_view column) {
  return column == "index" || column == "samples" || column == "tokens" || column == "bytes" ||
         column == "flags";
}

void check_range(const record::CycleSamples& samples, const LaunchRules& rules) {
  for (std::size_t at = 0; at < samples.steps.names.size(); ++at) {
    const std::string& name = samples.steps.names[at];
    const bool natural = is_host_time(name, rules) || is_count(name);
    const std::vector<std::int64_t>& values = samples.steps.columns[at];
    const auto wrong = std::find_if(values.begin(), values.end(), [&](std::int64_t value) {
      return value < (natural ? 0 : -kMaxNumber) || value > kMaxNumber;
    });
    if (wrong == values.end()) continue;
    throw Error(formatted("{}: {} is {}{}",
                          place_of(samples, static_cast<std::size_t>(wrong - values.begin())), name,
                          *wrong < 0 && natural ? "negative, " : "out of range, ", *wrong));
  }
}

void check_sums(const record::CycleSamples& samples, const LaunchRules& rules) {
  if (rules.phases.empty()) return;
  const std::vector<std::int64_t>& step_ns = samples.steps.column("step_ns");
  std::vector<std::int64_t> sums(step_ns.size(), 0);
  for (std::size_t at = 0; at < samples.steps.names.size(); ++at) {
    if (!rules.phases.contains(samples.steps.names[at])) continue;
    const std::vector<std::int64_t>& values = samples.steps.columns[at];
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += values[row];
  }
  const bool whole = samples.steps.find("other_ns") != nullptr;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (sums[row] == step_ns[row] || (!whole && sums[row] < step_ns[row])) continue;
    throw Error(formatted("{}: its phases{} sum to {} ns, step_ns is {}", place_of(samples, row),
                          whole ? " and other_ns" : "", number(sums[row]), number(step_ns[row])));
  }
}

template <typename Values>
std::optional<std::int64_t> integer_in(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? std::nullopt : std::optional{*value};
}

std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMaxNumber : std::min(result, kMaxNumber);
}

}  // namespace

LaunchRules launch_rules(const ResolvedCase& resolved, Pass pass,
                         const record::ColumnRow& columns) {
  LaunchRules rules;
  for (const Metric& column : columns.columns) {
    rules.columns.insert(column.name);
    if (column.phase && !column.name.ends_with("_device_ns")) rules.phases.insert(column.name);
  }
  const auto steps = [&](std::string_view name) { return integer_in(resolved.options, name); };
  const auto active = steps("schedule.active");
  const std::int64_t cycles = steps("schedule.repeat").value_or(0);
  if (is_profiling(pass)) return rules;
  rules.active = active;
  if (active) rules.cycles = cycles;
  // Windows may be a multiple of the requested length, to contain whole epochs.
  constexpr std::int64_t kLongerWindows = 4;
  const std::int64_t asked =
      active ? saturated_product(*active, cycles) : steps("schedule.max_active").value_or(0);
  if (asked > 0) {
    rules.max_cells = kFreeCells + saturated_product(asked, kLongerWindows * kMaxColumns);
  }
  return rules;
}

void LaunchCheck::hello(const protocol::Hello& message) {
  newer_ = message.protocol.max > protocol::kSupported.max;
  scripted_ = text_of(message.software, "clock") == "scripted";
}

bool LaunchCheck::has_our_options(const protocol::Hello& message) const {
  return rules_.catalogue_digest.empty() || message.catalogue_digest.empty() ||
         message.catalogue_digest == rules_.catalogue_digest;
}

void LaunchCheck::stage(const protocol::StageMessage& message) const {
  const std::int64_t numbers[] = {message.steps, message.step_ns};
  for (const std::int64_t value : numbers) {
    if (value < 0 || value > kMaxNumber) throw Error(formatted("out of range: {}", value));
  }
}

void LaunchCheck::cycle(const protocol::CycleMessage& message) {
  if (message.cycle < 0 || message.cycle > kMaxCycle) {
    throw Error(formatted("`cycle` is {}; cycles are counted from 0", message.cycle));
  }
  if (message.steps < 1 || message.steps > kMaxNumber) {
    throw Error(formatted("a window of {} steps", message.steps));
  }
  if (message.mean_step_ns < 0 || message.mean_step_ns > kMaxNumber) {
    throw Error(formatted("a mean step of {} ns", message.mean_step_ns));
  }
  Cycle& cycle = cycles_[message.cycle];
  if (cycle.reported_steps) throw Error(formatted("cycle {} ends a second time", message.cycle));
  cycle.reported_steps = message.steps;
}

void LaunchCheck::samples(const record::CycleSamples& message) {
  if (message.cycle < 0 || message.cycle > kMaxCycle) {
    throw Error(formatted("`cycle` is {}; cycles are counted from 0", message.cycle));
  }
  if (message.steps.steps() == 0) throw Error("there are no steps in it");
  for (const std::string& name : message.steps.names) {
    if (newer_ || rules_.columns.empty() || rules_.columns.contains(name)) continue;
    const std::vector<std::string> known{rules_.columns.begin(), rules_.columns.end()};
    throw Error(formatted("there is no column '{}'{}", name, text::did_you_mean(name, known)));
  }
  count_cells(message.steps.steps(), message.steps.names.size());
  check_range(message, rules_);
  check_sums(message, rules_);
  Cycle& cycle = cycles_[message.cycle];
  check_indices(message, cycle);
  for (const std::int64_t step_ns : message.steps.column("step_ns")) {
    step_ns_ = std::min(step_ns_ + step_ns, kMaxNumber);
  }
  cycle.steps += static_cast<std::int64_t>(message.steps.steps());
  if (cycle.reported_steps && cycle.steps > *cycle.reported_steps) {
    throw Error(formatted("cycle {} has {} steps and was announced with {}", message.cycle,
                          number(cycle.steps), number(*cycle.reported_steps)));
  }
}

void LaunchCheck::check_indices(const record::CycleSamples& message, Cycle& cycle) const {
  const std::vector<std::int64_t>* index = message.steps.find("index");
  if (index == nullptr) return;
  const auto back = std::adjacent_find(index->begin(), index->end(), std::greater_equal<>{});
  if (back != index->end()) {
    throw Error(formatted("cycle {}: `index` goes from {} to {}; steps come in their order",
                          message.cycle, number(*back), number(*(back + 1))));
  }
  const auto after = cycle.parts.upper_bound(index->back());
  if (after != cycle.parts.begin() && std::prev(after)->second >= index->front()) {
    throw Error(formatted("cycle {}: steps {} to {} were sent before", message.cycle,
                          number(index->front()), number(index->back())));
  }
  cycle.parts.emplace(index->front(), index->back());
}

void LaunchCheck::ops(const ops::OpFrame& message) {
  count_cells(message.series.steps(), message.series.names.size());
  count_cells(message.strings.size(), 1);
}

void LaunchCheck::count_cells(std::size_t rows, std::size_t columns) {
  cells_ += static_cast<std::int64_t>(rows * columns);
  if (cells_ <= rules_.max_cells) return;
  throw Error(formatted(
      "more than {} numbers were sent, far beyond what schedule.active and schedule.repeat ask for",
      number(rules_.max_cells)));
}

void LaunchCheck::launch(const record::LaunchReport& report, std::int64_t age_ns) const {
  check_windows(report);
  for (const auto& [name, value] : report.schedule) {
    const auto* count = std::get_if<std::int64_t>(&value);
    if (count != nullptr && (*count < 0 || *count > kMaxNumber)) {
      throw Error(formatted("schedule.{} is {}", name, *count));
    }
  }
  for (const char* name : {"set_up_ns", "tear_down_ns", "peak_rss_bytes"}) {
    const auto metric = report.metrics.find(name);
    if (metric != report.metrics.end() && metric->second.value_or(0) < 0) {
      throw Error(std::string{name} + " is negative");
    }
  }
  if (scripted_ || age_ns <= 0) return;
  constexpr std::int64_t kSlackNs = 1'000'000'000;
  if (step_ns_ > age_ns + age_ns / 10 + kSlackNs) {
    throw Error(
        formatted("its steps took {} in all, and its process is {} old; step_ns is in nanoseconds",
                  text::duration(static_cast<double>(step_ns_)),
                  text::duration(static_cast<double>(age_ns))));
  }
}

void LaunchCheck::check_windows(const record::LaunchReport& report) const {
  std::int64_t steps = 0;
  for (const auto& [id, cycle] : cycles_) {
    const std::string name = formatted("cycle {}", id);
    const std::int64_t expected = cycle.reported_steps.value_or(cycle.steps);
    if (cycle.steps != expected) {
      throw Error(formatted("{} was announced with {}, samples of {} came", name,
                            text::counted(expected, "step"), number(cycle.steps)));
    }
    const auto asked = rules_.active ? std::optional{integer_in(report.effective, "schedule.active")
                                                         .value_or(*rules_.active)}
                                     : std::nullopt;
    if (asked && cycle.steps != *asked) {
      throw Error(
          formatted("{} has {}, schedule.active is {}; report another number in `effective`", name,
                    text::counted(cycle.steps, "step"), number(*asked)));
    }
    steps += cycle.steps;
  }
  if (steps == 0) throw Error("nothing was measured: there are no samples");
  if (const auto reported_steps = integer_in(report.schedule, "active");
      reported_steps && *reported_steps != steps) {
    throw Error(formatted("schedule.active is {}, samples of {} came", number(*reported_steps),
                          text::counted(steps, "step")));
  }
  const auto cycles = static_cast<std::int64_t>(cycles_.size());
  if (const auto reported_steps = integer_in(report.schedule, "cycles");
      reported_steps && *reported_steps != cycles) {
    throw Error(formatted("schedule.cycles is {}, samples of {} came", number(*reported_steps),
                          text::counted(cycles, "cycle")));
  }
  const std::int64_t asked =
      integer_in(report.effective, "schedule.repeat").value_or(rules_.cycles);
  const bool cut = text_of(report.schedule, "stop_reason") == "wall_limit" ||
                   std::find(report.flags.begin(), report.flags.end(), launch_flag::kTruncated) !=
                       report.flags.end();
  if (asked > 0 && cycles != asked && !(cut && cycles < asked)) {
    throw Error(formatted(
        "{} came, schedule.repeat is {}; a launch that was cut must set the flag `truncated`",
        text::counted(cycles, "cycle"), number(asked)));
  }
}

}  // namespace stepbench::run
