// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "harness/base/format.h"
#include "harness/estimate/noise.h"
#include "harness/findings/finding.h"
#include "harness/report/internal/which_cases.h"
#include "harness/report/verdicts.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Share of its time that it waits for data, excluding epoch borders, which are reported next to the
// table.
double steady_wait_share(const estimate::CaseRow& row) {
  const double borders_ns = row.epoch_gap_per_step_ns.value_or(0);
  const double step_ns = row.step_host_ns.value_or(0);
  return row.data_wait_share.value_or(0) - (step_ns > 0 ? borders_ns / step_ns : 0);
}

double potential_gain(const Finding& finding) { return finding.share.value_or(0); }

bool is_more_severe(const Finding& a, const Finding& b) {
  if (a.severity != b.severity) return a.severity > b.severity;
  return potential_gain(a) > potential_gain(b);
}

std::string headline(const Finding& finding) {
  std::string text(name_of(finding.severity));
  text += ": " + (finding.text.empty() ? finding.id : finding.text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void add_remedy(const CaseFinding& found, document::Paragraph& paragraph) {
  if (!found.finding.remedy.empty()) paragraph.below.emplace_back(found.finding.remedy);
  if (!found.answer_text.empty()) paragraph.below.emplace_back(found.answer_text);
  if (!found.arguments.empty()) paragraph.below.emplace_back("try: " + found.arguments, true);
}

// True for findings about wrong results, as opposed to time that could be saved.
bool is_about_results(const Finding& finding) {
  return finding.severity == Severity::kProblem && !finding.share && finding.set.empty();
}

// If the device takes longer than the host, the host's wait for data does not matter.
bool is_hidden_by_the_device(const estimate::CaseRow& row, const Finding& finding) {
  constexpr double kHostAhead = 0.98;
  const bool of_data = finding.id.starts_with("loader.") || finding.id == "step.data_wait";
  return of_data && row.clock == estimate::StepClock::kDevice && row.step_ns &&
         *row.step_host_ns < kHostAhead * *row.step_ns;
}

// A slow line in a worker is irrelevant if the step hardly waits for data.
bool is_of_idle_workers(const estimate::CaseRow& row, const Finding& finding) {
  constexpr double kMinShare = 0.05;  // of the step
  return finding.id == "loader.slow_line" && row.data_wait_share.value_or(1) < kMinShare;
}

// Marks waits that other programs may explain; findings about the cause say so themselves.
void mark_if_explained_by_others(const estimate::CaseRow& row, Finding& finding) {
  constexpr std::array<std::string_view, 3> kKnowWhy = {"loader.core_bound", "loader.no_workers",
                                                        "loader.other_programs"};
  const bool waits = finding.id.starts_with("loader.") || finding.id == "step.data_wait" ||
                     finding.id == "python.gil";
  if (!waits || !finding.share || !estimate::others_may_explain(row)) return;
  if (std::ranges::find(kKnowWhy, finding.id) != kKnowWhy.end()) return;
  finding.text += "; possible reason: the machine was busy";
}

std::string ratio_text(double ratio) {
  constexpr double kSmall = 0.1;
  return (ratio < kSmall ? text::significant(ratio, 2) : text::short_number(ratio)) + 'x';
}

// "num_workers=2 was measured: 0.28x the samples/s"
std::string answer_text(const estimate::ProposalAnswer& answer, const Finding& finding,
                        const estimate::Proposals& proposals) {
  std::vector<std::string> names = proposals.varying();
  for (const Finding::Set& each : finding.set) names.push_back(each.option);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const estimate::CaseRow& row = *answer.row;
  std::string text = text::join(finding.set, " ", [&](const Finding::Set& each) {
    const Value* value = row.option(each.option);
    return estimate::short_name(each.option, names) + '=' +
           (value == nullptr ? each.value : to_text(*value));
  });
  if (answer.kind == estimate::Difference::kNoNumbers) {
    return text + (row.failed.empty() ? " was skipped: " + estimate::reason_of(*row.skipped.front())
                                      : " failed: " + estimate::reason_of(*row.failed.front()));
  }
  text += " was measured: ";
  const std::string ratio = ratio_text(answer.ratio);
  if (answer.kind == estimate::Difference::kSame && ratio == "1x") {
    return text + (answer.by_rate ? "as many samples/s" : "as fast");
  }
  const std::string how_fast = ratio + (answer.by_rate ? " the samples/s" : " the speed");
  if (answer.few_launches) {
    return formatted("{}{}, but {} of each are too few to tell", text, how_fast,
                     text::counted(*answer.few_launches, "launch"));
  }
  if (answer.kind == estimate::Difference::kSame) {
    return formatted("{}no clear difference ({})", text, how_fast);
  }
  text += how_fast;
  if (answer.kind == estimate::Difference::kBetter) {
    text += ", case " + row.case_id.substr(0, proposals.id_digits());
  }
  return text;
}

// "--set loader.num_workers=2", or for swept options "--sweep loader.num_workers=0,2", since --set
// does not apply to them.
std::string arguments_for(const estimate::CaseRow& row, const Finding& finding,
                          const estimate::Proposals& proposals) {
  const std::vector<std::string>& swept = proposals.swept();
  return text::join(finding.set, " ", [&](const Finding::Set& each) {
    if (std::ranges::find(swept, each.option) == swept.end()) {
      return formatted("--set {}={}", each.option, each.value);
    }
    const Value* own = row.option(each.option);
    return formatted("--sweep {}={}{}", each.option, own == nullptr ? "" : to_text(*own) + ',',
                     each.value);
  });
}

// Drops proposals that the run has already measured, and remedies that it disproves.
void check_against_rows(const estimate::CaseRow& row, const estimate::Proposals& proposals,
                        CaseFinding& found) {
  Finding& finding = found.finding;
  if (proposals.is_best(row) && finding.severity == Severity::kProblem && finding.share) {
    finding.severity = Severity::kWarning;
  }
  found.answer = proposals.answer(row, finding);
  if (!found.answer) {
    found.arguments = arguments_for(row, finding, proposals);
    return;
  }
  const estimate::ProposalAnswer& answer = *found.answer;
  found.answer_text = answer_text(answer, finding, proposals);
  if (!answer.is_exact && answer.kind != estimate::Difference::kWorse) {
    found.arguments = arguments_for(row, finding, proposals);
    return;
  }
  const bool confirmed = answer.kind == estimate::Difference::kBetter ||
                         (answer.kind == estimate::Difference::kSame && !finding.share);
  if (!confirmed) finding.remedy.clear();
  finding.severity = Severity::kInfo;
  finding.set.clear();
}

// Replaces the launch's wait in the text by the case's, so that it equals that of the table.
void add_wait_of_case(const estimate::CaseRow& row, Finding& finding) {
  constexpr double kShown = 0.0005;
  const auto words = [](double share) {
    return formatted("waits {} of its time for data", text::percent_text(share));
  };
  const std::string of_launch = words(finding.value);
  const std::size_t at = finding.text.find(of_launch);
  if (at == std::string::npos || !row.data_wait_share) return;
  finding.value = steady_wait_share(row);
  std::string of_case = words(finding.value);
  if (*row.data_wait_share - finding.value > kShown) of_case += ", without epoch borders";
  finding.text.replace(at, of_launch.size(), of_case);
}

std::vector<CaseFinding> agreed(const estimate::CaseRow& row) {
  std::map<std::string_view, std::vector<const Finding*>> by_id;
  std::vector<std::string_view> order;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    for (const Finding& finding : each.launch->row.report.findings) {
      auto& found = by_id[finding.id];
      if (found.empty()) order.push_back(finding.id);
      found.push_back(&finding);
    }
  }
  std::vector<CaseFinding> all;
  for (const std::string_view id : order) {
    auto& found = by_id[id];
    if (2 * found.size() < row.measured.size()) continue;
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>((found.size() - 1) / 2);
    const auto by_value = [](const Finding* a, const Finding* b) { return a->value < b->value; };
    std::nth_element(found.begin(), middle, found.end(), by_value);
    all.push_back({.finding = **middle, .launches = found.size()});
    add_wait_of_case(row, all.back().finding);
  }
  return all;
}

// The cases of a finding; the worst comes first.
std::string about(const std::vector<const estimate::CaseRow*>& cases, const WhichCases& which) {
  constexpr std::size_t kMaxCasesWithoutWorst = 3;
  if (which.size() == 1) return {};
  std::string text = " (" + which.name(cases);
  if (cases.size() > kMaxCasesWithoutWorst || cases.size() == which.size()) {
    text += "; worst: " + which.name(*cases.front());
  }
  return text + ')';
}

using CaseName = std::array<std::string_view, 3>;
CaseName name_of_case(const estimate::CaseRow& row) { return {row.case_id, row.arm, row.run_id}; }

std::optional<estimate::Difference> kind_of(const CaseFinding& found) {
  return found.answer ? std::optional(found.answer->kind) : std::nullopt;
}

// A finding shared by cases for which the rows give the same kind of answer.
struct SharedFinding {
  CaseFinding worst;
  std::vector<const estimate::CaseRow*> cases;  // worst first
  std::set<CaseName> names;                     // names of the cases
};

void add_case(const CaseFinding& found, const estimate::CaseRow& row,
              std::vector<SharedFinding>& kinds) {
  const auto same = [&](const SharedFinding& kind) {
    return kind.worst.finding.id == found.finding.id &&
           kind.worst.arguments.empty() == found.arguments.empty() &&
           kind_of(kind.worst) == kind_of(found);
  };
  const auto kind = std::ranges::find_if(kinds, same);
  if (kind == kinds.end()) {
    kinds.push_back({.worst = found, .cases = {&row}, .names = {name_of_case(row)}});
    return;
  }
  const CaseName name = name_of_case(row);
  if (!kind->names.insert(name).second) {  // also found in another pass of the case
    std::erase_if(kind->cases, [&](const auto* other) { return name_of_case(*other) == name; });
  }
  if (is_more_severe(found.finding, kind->worst.finding)) {
    kind->worst = found;
    kind->cases.insert(kind->cases.begin(), &row);
  } else {
    kind->cases.push_back(&row);
  }
}

// Smallest share of the step's time, as for loaders with findings of their own.
constexpr double kMinWaitShare = 0.1;
// Above it, the step only takes batches: waiting is what is measured.
constexpr double kOnlyWaits = 0.99;
constexpr std::string_view kPrecision = "model.precision";

bool any_finding(const estimate::CaseRow& row, std::string_view prefix) {
  return std::ranges::any_of(row.measured, [&](const estimate::MeasuredLaunch& each) {
    const std::vector<Finding>& all = each.launch->row.report.findings.all();
    return std::ranges::any_of(
        all, [&](const Finding& finding) { return finding.id.starts_with(prefix); });
  });
}

std::optional<Finding> waiting_for_data(const estimate::CaseRow& row) {
  const double share = steady_wait_share(row);
  if (share < kMinWaitShare || share > kOnlyWaits || any_finding(row, "loader.")) {
    return std::nullopt;
  }
  return Finding{
      .id = "step.data_wait",
      .severity = severity_of_share(share),
      .text = formatted("the step waits {} of its time for data", text::percent_text(share)),
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

// Waiting for data in a worker without findings about its loader, and a precision that is slower
// than fp32 here.
std::vector<Finding> row_findings(const estimate::CaseRow& row,
                                  const estimate::Proposals& proposals) {
  std::vector<Finding> found;
  if (row.pass != Pass::kTiming || row.measured.empty()) return found;
  for (std::optional<Finding> each : {waiting_for_data(row), slow_precision(row, proposals)}) {
    if (each) found.push_back(std::move(*each));
  }
  return found;
}

}  // namespace

std::vector<CaseFinding> findings_of(const estimate::CaseRow& row,
                                     const estimate::Proposals& proposals) {
  std::vector<CaseFinding> all = agreed(row);
  for (Finding& finding : row_findings(row, proposals)) {
    all.push_back({.finding = std::move(finding), .launches = row.measured.size()});
  }
  std::erase_if(all, [&](const CaseFinding& each) {
    return is_hidden_by_the_device(row, each.finding) || is_of_idle_workers(row, each.finding) ||
           (row.smoke && !is_about_results(each.finding));
  });
  for (CaseFinding& each : all) {
    mark_if_explained_by_others(row, each.finding);
    check_against_rows(row, proposals, each);
  }
  std::ranges::stable_sort(all, [](const CaseFinding& a, const CaseFinding& b) {
    return is_more_severe(a.finding, b.finding);
  });
  return all;
}

std::vector<document::Paragraph> finding_paragraphs(const std::vector<estimate::CaseRow>& rows,
                                                    const record::Results& results) {
  const WhichCases which(rows, results);
  const estimate::Proposals proposals(rows, results);
  std::set<CaseName> timed;
  for (const estimate::CaseRow& row : rows) {
    if (row.pass == Pass::kTiming) timed.insert(name_of_case(row));
  }
  std::vector<SharedFinding> kinds;
  for (const estimate::CaseRow& row : rows) {
    const bool other_pass = row.pass != Pass::kTiming;
    for (const CaseFinding& each : findings_of(row, proposals)) {
      // Recording changes step and wait times, so prefer timed launches, except for findings that
      // only records can show.
      const bool of_trace = !each.finding.window.empty();
      if (other_pass && !of_trace && each.finding.share && timed.contains(name_of_case(row)))
        continue;
      add_case(each, row, kinds);
    }
  }
  std::ranges::stable_sort(kinds, [](const SharedFinding& a, const SharedFinding& b) {
    return is_more_severe(a.worst.finding, b.worst.finding);
  });
  std::vector<document::Paragraph> paragraphs;
  for (const SharedFinding& kind : kinds) {
    document::Paragraph& paragraph = paragraphs.emplace_back(
        document::Paragraph{headline(kind.worst.finding) + about(kind.cases, which),
                            tone_of(kind.worst.finding.severity)});
    add_remedy(kind.worst, paragraph);
  }
  return paragraphs;
}

std::vector<document::Paragraph> finding_paragraphs(const estimate::CaseRow& row,
                                                    const estimate::Proposals& proposals) {
  std::vector<document::Paragraph> paragraphs;
  for (const CaseFinding& each : findings_of(row, proposals)) {
    const Finding& finding = each.finding;
    document::Paragraph& paragraph =
        paragraphs.emplace_back(document::Paragraph{headline(finding), tone_of(finding.severity)});
    if (each.launches < row.measured.size()) {
      paragraph.text += formatted(" ({} of {} launches)", each.launches, row.measured.size());
    }
    std::vector<std::string> evidence;
    if (!finding.evidence.empty()) evidence.push_back("seen in: " + text::join(finding.evidence));
    if (finding.share && !each.answer) {
      evidence.push_back(
          formatted("possible gain, at most: {} of the step", text::percent_text(*finding.share)));
    }
    if (!evidence.empty()) paragraph.below.emplace_back(text::join(evidence, "; "));
    add_remedy(each, paragraph);
  }
  return paragraphs;
}

}  // namespace stepbench::report
