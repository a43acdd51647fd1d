// SPDX-License-Identifier: Apache-2.0
// Causes of lost time in an analysis: the number on which each rests, the largest possible gain,
// what to do and where to look. All rules are in one table with their thresholds. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/findings/finding.h"
#include "harness/traces/analysis.h"

namespace stepbench::traces {

struct TraceRule {
  std::string_view id;     // "trace.sync_bound"
  double threshold = 0;    // default; the finding is reported from this value on
  std::string_view unit;   // "ratio", "count", "ns"
  std::string_view about;  // subject of the rule, for help and documents
  // The equivalent rule of `nsys analyze`; empty: none.
  std::string_view nsys;
};
[[nodiscard]] std::span<const TraceRule> trace_rules();

// Thresholds by rule id, from texts such as "sync_bound=5%". Throws ConfigError.
[[nodiscard]] std::map<std::string, double, std::less<>> thresholds_of(
    const std::vector<std::string>& texts);

struct RuleOptions {
  std::optional<int> device = {};                              // as in Analysis::idle_of
  std::map<std::string, double, std::less<>> thresholds = {};  // by rule id; replaces the default
  // Options of the traced case, by full name; empty for a foreign trace: no `--set` is proposed.
  Fields options = {};
};

// Sorted by gain, then by severity; rules that could not decide come last, with a reason.
[[nodiscard]] std::vector<Finding> find_causes(const Trace& trace, const Analysis& analysis,
                                               const RuleOptions& options = {});

// Private to the rules: their input, and helpers that make findings.

struct RuleInput {
  const Trace& trace;
  const Analysis& analysis;
  const IdleReport& idle;
  const RuleOptions& options;
  const TraceRule* rule = nullptr;
  double threshold = 0;
  double steps = 0;  // number of counted steps; at least one

  [[nodiscard]] bool on_device() const { return idle.scope != IdleScope::kHost; }
  // Means over the counted steps, in which a step's parts sum to its wall time.
  [[nodiscard]] double per_step(double total) const { return total / steps; }
  [[nodiscard]] double wall_ns() const { return per_step(double(idle.counted.wall_ns)); }
  [[nodiscard]] double share(double total_ns) const {
    return total_ns / double(idle.counted.wall_ns);
  }
  [[nodiscard]] double idle_ns(IdleCause cause) const { return double(idle.counted.of(cause)); }
  // Device idle time while the host prepared work: the work could have been queued earlier if the
  // host had not been held up before.
  [[nodiscard]] double host_bound_ns() const;
  [[nodiscard]] std::string name(std::uint32_t index) const;
  // "cudaMemcpyAsync in aten::to"; "cudaMemcpyAsync outside all operators".
  [[nodiscard]] std::string call_in(std::uint32_t call, std::uint32_t op) const;
  // "aten::item"; "aten::item, called at train.py(31): main". kNoIndex for no user frame.
  [[nodiscard]] std::string called_at(std::string what, std::uint32_t frame) const;
  // "ProfilerStep#5", as its row is named; "step 5" if steps have no rows.
  [[nodiscard]] std::string step_name(std::size_t step) const;
  // "12.3 ms per step"
  [[nodiscard]] std::string each_step(double total_ns) const;
  [[nodiscard]] bool is_set_to(std::string_view option, const Value& value) const;

  // A finding about a share of the step's time, all of which would be gained.
  [[nodiscard]] Finding of_share(double total_ns, std::string text) const;
  // A finding about anything other than time.
  [[nodiscard]] Finding of_value(double value, Severity severity, std::string text) const;
  [[nodiscard]] Finding undecided(std::string reason) const;
  // Sets another possible gain; `total_ns` is summed over all counted steps.
  void gain(Finding& finding, double total_ns) const;
  void add_places(Finding& finding, IdleCause cause) const;
  void add_place(Finding& finding, const IdlePlace& place) const;
  // Adds the row of a call in an op and the work that it started; each may be kNoIndex.
  void add_call(Finding& finding, std::uint32_t call, std::uint32_t op, TimeSpan at,
                std::size_t step, std::uint32_t work = ops::kNoIndex) const;
  void add_row(Finding& finding, std::string row, TimeSpan at, std::size_t step) const;
  // Only for traces of stepbench runs whose option differs from the proposed value.
  void propose(Finding& finding, std::string option, const std::string& value) const;
};

inline constexpr const char* kNoDeviceRows = "the trace has no device rows";

// The finding of a rule at any value: the table drops those on the wrong side of the threshold.
using RuleResult = std::optional<Finding>;

// Copies of one kind that made the host wait, in the counted steps.
struct HostStall {
  double idle_ns = 0;       // the device only copied, or waited for the host
  double lost_lead_ns = 0;  // the host waited for earlier work: see RuleInput::host_bound_ns
  std::int64_t copies = 0;
  double bytes = 0;
  double call_ns = 0;
  const CopyGroup* worst = nullptr;
};
[[nodiscard]] HostStall stall_of(const RuleInput& in, bool (*chosen)(const CopyGroup&));

// Calls of one kind in the counted steps; zero without calls.
struct CallSum {
  double total_ns = 0;
  double calls = 0;
  const RuntimeCallRow* worst = nullptr;
};
[[nodiscard]] CallSum calls_of(const RuleInput& in, bool (*chosen)(const TraceName&));
// A call that sets memory and waits until it is set.
[[nodiscard]] bool is_blocking_set(const TraceName& call);

// rule_data.cpp
[[nodiscard]] RuleResult data_exposed(const RuleInput& in);
[[nodiscard]] RuleResult slow_first_batch(const RuleInput& in);
[[nodiscard]] RuleResult loader_workers(const RuleInput& in);
[[nodiscard]] RuleResult pageable_copies(const RuleInput& in);
[[nodiscard]] RuleResult blocking_copies(const RuleInput& in);
[[nodiscard]] RuleResult copy_exposed(const RuleInput& in);
[[nodiscard]] RuleResult blocking_sets(const RuleInput& in);
// rule_launches.cpp
[[nodiscard]] RuleResult launch_bound(const RuleInput& in);
[[nodiscard]] RuleResult tiny_kernels(const RuleInput& in);
[[nodiscard]] RuleResult launch_delay(const RuleInput& in);
[[nodiscard]] RuleResult launch_queue_full(const RuleInput& in);
// rule_host.cpp
[[nodiscard]] RuleResult sync_bound(const RuleInput& in);
[[nodiscard]] RuleResult allocations(const RuleInput& in);
[[nodiscard]] RuleResult unattributed(const RuleInput& in);
[[nodiscard]] RuleResult profiler_overhead(const RuleInput& in);
[[nodiscard]] RuleResult tiny_operators(const RuleInput& in);
[[nodiscard]] RuleResult host_reads(const RuleInput& in);
[[nodiscard]] RuleResult host_allocations(const RuleInput& in);
// rule_device.cpp
[[nodiscard]] RuleResult communication_exposed(const RuleInput& in);
[[nodiscard]] RuleResult low_utilization(const RuleInput& in);
[[nodiscard]] RuleResult gpu_gaps(const RuleInput& in);
[[nodiscard]] RuleResult low_occupancy(const RuleInput& in);
[[nodiscard]] RuleResult tensor_cores_unused(const RuleInput& in);
[[nodiscard]] RuleResult memory_near_limit(const RuleInput& in);
// rule_steps.cpp
[[nodiscard]] RuleResult unstable_steps(const RuleInput& in);
[[nodiscard]] RuleResult edge_step_bias(const RuleInput& in);

}  // namespace stepbench::traces
