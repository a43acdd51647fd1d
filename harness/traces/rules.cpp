// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/findings/finding.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {
namespace {

struct RuleEntry {
  TraceRule rule;
  RuleResult (*decide)(const RuleInput&);
  bool below = false;  // reported below the threshold, not from it on
};

template <auto kRule>
RuleResult of_device(const RuleInput& in) {
  return in.on_device() ? kRule(in) : in.undecided(kNoDeviceRows);
}

template <auto kRule>
RuleResult of_host(const RuleInput& in) {
  return in.on_device() ? std::nullopt : kRule(in);
}

constexpr std::array<RuleEntry, 26> kRules = {{
    {{"trace.data_exposed", 0.05, "ratio", "the device (on a CPU: the step) waits for a batch", ""},
     data_exposed},
    {{"trace.slow_first_batch", 5, "ratio", "the first batch takes longer than the later ones", ""},
     slow_first_batch},
    {{"trace.loader_workers", 0.05, "ratio", "what limits the loader's workers", ""},
     loader_workers},
    {{"trace.pageable_copies", 0.01, "ratio",
      "copies from or to pageable memory delay the step, even asynchronous ones",
      "cuda_memcpy_async"},
     pageable_copies},
    {{"trace.blocking_copies", 0.01, "ratio", "synchronous copies delay the step",
      "cuda_memcpy_sync"},
     blocking_copies},
    {{"trace.copy_exposed", 0.05, "ratio", "copies without overlapping kernels", ""},
     of_device<copy_exposed>},
    {{"trace.blocking_sets", 0.01, "ratio", "synchronous memset calls", "cuda_memset_sync"},
     of_device<blocking_sets>},
    {{"trace.launch_bound", 0.1, "ratio", "the device waits for the host to launch work", ""},
     of_device<launch_bound>},
    {{"trace.tiny_kernels", 0.5, "ratio",
      "share of kernels shorter than 10 us, while the device waits for launches", ""},
     of_device<tiny_kernels>},
    {{"trace.launch_delay", 0.01, "ratio", "launched work starts late although its device is idle",
      ""},
     of_device<launch_delay>},
    {{"trace.launch_queue_full", 0.01, "ratio",
      "the launch queue is full (1,024 launches): the host has to wait", ""},
     launch_queue_full},
    {{"trace.sync_bound", 0.02, "ratio", "the device waits while the host synchronises",
      "cuda_api_sync"},
     of_device<sync_bound>},
    {{"trace.allocations", 0.01, "ratio", "calls that allocate or free memory of the device", ""},
     of_device<allocations>},
    {{"trace.tiny_operators", 0.1, "ratio",
      "on a CPU: operators that take less than 10 us, by time", ""},
     of_host<tiny_operators>},
    {{"trace.host_reads", 1, "per step",
      "on a CPU: values that the step reads from tensors, as .item() does", ""},
     of_host<host_reads>},
    {{"trace.host_allocations", 0.01, "ratio",
      "on a CPU: fresh pages of large blocks that are allocated again and again", ""},
     of_host<host_allocations>},
    {{"trace.communication_exposed", 0.1, "ratio", "communication without overlapping compute", ""},
     of_device<communication_exposed>},
    {{"trace.low_gpu_utilization", 0.5, "ratio", "share of the time in which a kernel runs",
      "gpu_time_util"},
     of_device<low_utilization>,
     true},
    {{"trace.gpu_gaps", 500e6, "ns", "the longest idle time of the device", "gpu_gaps"},
     of_device<gpu_gaps>},
    {{"trace.low_occupancy", 25, "percent", "resident warps of the kernels, by time", ""},
     of_device<low_occupancy>,
     true},
    {{"trace.tensor_cores_unused", 0.2, "ratio",
      "kernel time of operations that could use tensor cores, where no kernel does", ""},
     of_device<tensor_cores_unused>},
    {{"trace.memory_near_limit", 0.9, "ratio", "peak of allocated memory of the device", ""},
     memory_near_limit},
    {{"trace.unstable_steps", 0.1, "ratio", "spread of the steps: interquartile range / median",
      ""},
     unstable_steps},
    {{"trace.edge_step_bias", 0.1, "ratio", "the first or last step differs from the others", ""},
     edge_step_bias},
    {{"trace.unattributed", 0.05, "ratio", "unexplained idle time", ""}, unattributed},
    {{"trace.profiler_overhead", 0.01, "ratio", "the profiler's own work within the steps", ""},
     profiler_overhead},
}};

double threshold_in(std::string text, const TraceRule& rule) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) {
    throw ConfigError("--threshold",
                      formatted("{}: expected a positive number{}, in {}", rule.id,
                                rule.unit == "ratio" ? " such as 5% or 0.05" : "", rule.unit));
  }
  return percent && rule.unit == "ratio" ? value / 100 : value;
}

// The rule's finding, if its value is on the side of the threshold that is reported.
RuleResult result_of(const RuleEntry& entry, const RuleInput& in) {
  RuleResult result = entry.decide(in);
  if (!result || !result->undecided.empty()) return result;
  return (result->value < in.threshold) == entry.below ? std::move(result) : std::nullopt;
}

// Appends to the text of a gain that it is part of another one, because the two do not add up.
void note_overlapping_gains(std::vector<Finding>& findings) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kPartOf = {
      {{"trace.tiny_kernels", "trace.launch_bound"}}};
  const auto made = [&](std::string_view id) {
    return std::ranges::find_if(
        findings, [&](const Finding& each) { return each.id == id && each.undecided.empty(); });
  };
  for (const auto& [part, whole] : kPartOf) {
    const auto found = made(part);
    if (found == findings.end() || made(whole) == findings.end()) continue;
    found->text += "; this gain is included in that of " + std::string(whole);
  }
}

bool ranks_before(const Finding& a, const Finding& b) {
  if (a.undecided.empty() != b.undecided.empty()) return a.undecided.empty();
  if (a.gain_ns.value_or(0) != b.gain_ns.value_or(0)) {
    return a.gain_ns.value_or(0) > b.gain_ns.value_or(0);
  }
  return a.severity > b.severity;
}

}  // namespace

std::span<const TraceRule> trace_rules() {
  static constexpr auto kTable = [] {
    std::array<TraceRule, kRules.size()> table;
    for (std::size_t i = 0; i < kRules.size(); ++i) table[i] = kRules[i].rule;
    return table;
  }();
  return kTable;
}

std::vector<Finding> find_causes(const Trace& trace, const Analysis& analysis,
                                 const RuleOptions& options) {
  const IdleReport* idle = analysis.idle_of(options.device);
  const std::size_t steps = analysis.steps.counted().size();
  if (idle == nullptr || steps == 0 || idle->counted.wall_ns <= 0) return {};
  std::vector<Finding> findings;
  for (const RuleEntry& entry : kRules) {
    const auto chosen = options.thresholds.find(entry.rule.id);
    const RuleInput input{
        .trace = trace,
        .analysis = analysis,
        .idle = *idle,
        .options = options,
        .rule = &entry.rule,
        .threshold = chosen == options.thresholds.end() ? entry.rule.threshold : chosen->second,
        .steps = double(steps)};
    if (RuleResult result = result_of(entry, input)) findings.push_back(std::move(*result));
  }
  note_overlapping_gains(findings);
  std::ranges::stable_sort(findings, ranks_before);
  return findings;
}

double RuleInput::host_bound_ns() const {
  return idle_ns(IdleCause::kLaunch) + idle_ns(IdleCause::kBackward) + idle_ns(IdleCause::kHostOp) +
         idle_ns(IdleCause::kOtherThread);
}

std::string RuleInput::name(std::uint32_t index) const {
  return index == ops::kNoIndex ? std::string("outside all operators")
                                : short_row_name(trace.names[index].text);
}

std::string RuleInput::step_name(std::size_t step) const {
  const bool marked = analysis.steps.window == WindowKind::kHostStep;
  return (marked ? "ProfilerStep#" : "step ") + std::to_string(analysis.steps.steps[step].number);
}

std::string RuleInput::each_step(double total_ns) const {
  return text::duration(per_step(total_ns)) + " per step";
}

bool RuleInput::is_set_to(std::string_view option, const Value& value) const {
  const auto found = options.options.find(option);
  return found != options.options.end() && found->second == value;
}

Finding RuleInput::of_share(double total_ns, std::string text) const {
  Finding finding = of_value(share(total_ns), Severity::kInfo, std::move(text));
  gain(finding, total_ns);
  return finding;
}

Finding RuleInput::of_value(double value, Severity severity, std::string text) const {
  return {.id = std::string(rule->id),
          .severity = severity,
          .text = std::move(text),
          .value = value,
          .threshold = threshold,
          .unit = std::string(rule->unit),
          .window = std::string(name_of(analysis.steps.window))};
}

Finding RuleInput::undecided(std::string reason) const {
  Finding finding = of_value(0, Severity::kInfo, {});
  finding.undecided = std::move(reason);
  return finding;
}

void RuleInput::gain(Finding& finding, double total_ns) const {
  const double most = std::min(total_ns, double(idle.counted.wall_ns));
  finding.gain_ns = per_step(most);
  finding.share = share(most);
  finding.severity = severity_of_share(*finding.share);
}

void RuleInput::add_places(Finding& finding, IdleCause cause) const {
  for (const IdlePlace& place : idle.places) {
    if (place.cause == cause) add_place(finding, place);
  }
}

void RuleInput::add_place(Finding& finding, const IdlePlace& place) const {
  if (place.call != ops::kNoIndex) {
    add_call(finding, place.call, place.name, place.longest_row, place.longest_step, place.work);
  } else if (place.name != ops::kNoIndex) {
    add_row(finding, called_at(name(place.name), place.caller), place.longest_row,
            place.longest_step);
  }
}

std::string RuleInput::call_in(std::uint32_t call, std::uint32_t op) const {
  return name(call) + (op == ops::kNoIndex ? " " : " in ") + name(op);
}

std::string RuleInput::called_at(std::string what, std::uint32_t frame) const {
  return frame == ops::kNoIndex ? what : formatted("{}, called at {}", what, name(frame));
}

void RuleInput::add_call(Finding& finding, std::uint32_t call, std::uint32_t op, TimeSpan at,
                         std::size_t step, std::uint32_t work) const {
  std::string row = op == ops::kNoIndex ? name(call) : call_in(call, op);
  if (work != ops::kNoIndex) row += " for " + name(work);
  add_row(finding, std::move(row), at, step);
}

void RuleInput::add_row(Finding& finding, std::string row, TimeSpan at, std::size_t step) const {
  if (finding.places.size() >= kMaxPlaces) return;
  const std::vector<Step>& all = analysis.steps.steps;
  finding.places.push_back({.name = std::move(row),
                            .at_ns = at.begin_ns,
                            .duration_ns = at.length_ns(),
                            .step = step < all.size() ? all[step].number : -1});
}

void RuleInput::propose(Finding& finding, std::string option, const std::string& value) const {
  const auto found = options.options.find(option);
  if (found == options.options.end() || to_text(found->second) == value) return;
  finding.set.push_back({.option = std::move(option), .value = value});
}

std::map<std::string, double, std::less<>> thresholds_of(const std::vector<std::string>& texts) {
  std::map<std::string, double, std::less<>> all;
  std::vector<std::string> known;
  for (const TraceRule& rule : trace_rules()) known.emplace_back(rule.id);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::string id = text.substr(0, equals);
    if (!id.starts_with("trace.")) id = "trace." + id;
    const auto rule = std::ranges::find(trace_rules(), id, &TraceRule::id);
    if (rule == trace_rules().end()) {
      throw ConfigError("--threshold", formatted("unknown rule '{}'{}; rules: {}", id,
                                                 text::did_you_mean(id, known), text::join(known)));
    }
    if (equals == std::string::npos) {
      throw ConfigError("--threshold", formatted("expected {}=VALUE, such as {}=5%", id, id));
    }
    all[id] = threshold_in(text.substr(equals + 1), *rule);
  }
  return all;
}

}  // namespace stepbench::traces
