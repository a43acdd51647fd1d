// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/trace_findings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "harness/analyze/rules.h"
#include "harness/findings/finding.h"

namespace stepbench::profile {
namespace {

// Excluded: data findings, which the loader makes; and findings on the recording, as the profiler
// runs only for these steps.
constexpr std::array<std::string_view, 4> kReportedElsewhere = {
    "trace.data_exposed", "trace.slow_first_batch", "trace.loader_workers", "trace.edge_step_bias"};

bool is_reported_elsewhere(const Finding& finding) {
  return std::find(kReportedElsewhere.begin(), kReportedElsewhere.end(), finding.id) !=
         kReportedElsewhere.end();
}

void report_parts(const analyze::IdleReport& idle, double steps, ReportSink& sink) {
  const analyze::StepTime& counted = idle.counted;
  const std::array<std::pair<std::string_view, std::int64_t>, 12> kParts = {{
      {"compute_ns", counted.compute_ns},
      {"comm_exposed_ns", counted.communication_ns},
      {"copy_exposed_ns", counted.copy_ns},
      {"idle_data_ns", counted.of(analyze::IdleCause::kDataLoading)},
      {"idle_sync_ns", counted.of(analyze::IdleCause::kSynchronise)},
      {"idle_copy_call_ns", counted.of(analyze::IdleCause::kCopyCall)},
      {"idle_launch_ns", counted.of(analyze::IdleCause::kLaunch)},
      {"idle_backward_ns", counted.of(analyze::IdleCause::kBackward)},
      {"idle_host_op_ns", counted.of(analyze::IdleCause::kHostOp)},
      {"idle_other_thread_ns", counted.of(analyze::IdleCause::kOtherThread)},
      {"idle_unattributed_ns", counted.of(analyze::IdleCause::kUnattributed)},
      {"data_hidden_ns", counted.data_hidden_ns},
  }};
  for (const auto& [name, ns] : kParts) sink.metric(name, static_cast<double>(ns) / steps);
}

}  // namespace

void report_causes(const trace::Trace& trace, const ResolvedCase& resolved, ReportSink& sink) {
  const analyze::Analysis analysis = analyze::analyse(trace);
  if (analysis.blocked()) return;
  analyze::RuleOptions options;
  for (const auto& [name, value] : resolved.options) options.options.emplace(name, value);
  for (Finding& finding : analyze::find_causes(trace, analysis, options)) {
    if (finding.undecided.empty() && !is_reported_elsewhere(finding))
      sink.finding(std::move(finding));
  }
  const analyze::IdleReport* idle = analysis.idle_of(std::nullopt);
  if (idle == nullptr || idle->scope == analyze::IdleScope::kHost) return;
  report_parts(
      *idle, static_cast<double>(std::max<std::size_t>(1, analysis.steps.counted().size())), sink);
}

}  // namespace stepbench::profile
