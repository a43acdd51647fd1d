// SPDX-License-Identifier: Apache-2.0
#include "harness/report/row_findings.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/findings/severity.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

// Smallest share of the step's time, as for loaders with findings of their own.
constexpr double kMinWaitShare = 0.1;
// Above it, the step only takes batches: waiting is what is measured.
constexpr double kOnlyWaits = 0.99;
constexpr std::string_view kPrecision = "model.precision";

bool any_finding(const estimate::CaseRow& row, std::string_view prefix) {
  return std::any_of(
      row.measured.begin(), row.measured.end(), [&](const estimate::MeasuredLaunch& each) {
        const std::vector<Finding>& all = each.launch->row.report.findings.all();
        return std::any_of(all.begin(), all.end(),
                           [&](const Finding& finding) { return finding.id.starts_with(prefix); });
      });
}

std::optional<Finding> waiting_for_data(const estimate::CaseRow& row) {
  const double share = steady_wait_share(row);
  if (share < kMinWaitShare || share > kOnlyWaits || any_finding(row, "loader.")) {
    return std::nullopt;
  }
  return Finding{.id = "step.data_wait",
                 .severity = findings::severity_of_share(share),
                 .text = "the step waits " + text::percent_text(share) + " of its time for data",
                 .value = share,
                 .threshold = kMinWaitShare,
                 .unit = "ratio",
                 .share = share,
                 .evidence = {"data_wait_ns"},
                 .remedy = "Read the next batches while this one is used, or do less per sample."};
}

// Workers that know the reason report model.emulated_precision instead.
std::optional<Finding> slow_precision(const estimate::CaseRow& row,
                                      const estimate::Proposals& proposals) {
  const std::string precision = text_of(row.options(), kPrecision);
  if (precision != "bf16" && precision != "fp16") return std::nullopt;
  if (any_finding(row, "model.emulated_precision")) return std::nullopt;
  Finding finding{.id = "model.slow_precision",
                  .severity = Severity::kInfo,
                  .text = precision + " is slower than fp32 here",
                  .threshold = 1,
                  .unit = "ratio",
                  .evidence = {"step_ns"},
                  .set = {{.option = std::string(kPrecision), .value = "fp32"}}};
  const std::optional<estimate::ProposalAnswer> answer = proposals.answer(row, finding);
  if (!answer || !answer->is_exact || answer->kind != estimate::Difference::kBetter)
    return std::nullopt;
  finding.value = answer->ratio;
  return finding;
}

}  // namespace

double steady_wait_share(const estimate::CaseRow& row) {
  const double borders_ns = row.epoch_gap_per_step_ns.value_or(0);
  const double step_ns = row.step_host_ns.value_or(0);
  return row.data_wait_share.value_or(0) - (step_ns > 0 ? borders_ns / step_ns : 0);
}

std::vector<Finding> row_findings(const estimate::CaseRow& row,
                                  const estimate::Proposals& proposals) {
  std::vector<Finding> found;
  if (row.pass != Pass::kTiming || row.measured.empty()) return found;
  for (std::optional<Finding> each : {waiting_for_data(row), slow_precision(row, proposals)}) {
    if (each) found.push_back(std::move(*each));
  }
  return found;
}

}  // namespace stepbench::report
