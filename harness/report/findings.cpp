// SPDX-License-Identifier: Apache-2.0
#include "harness/report/findings.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::size_t kNamedCases = 3;

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

void add_remedy(const Finding& finding, std::vector<std::string>& lines) {
  if (!finding.remedy.empty()) lines.push_back("  " + finding.remedy);
  if (std::string set = set_arguments(finding); !set.empty()) {
    lines.push_back("  try: " + std::move(set));
  }
}

std::string about(const std::vector<std::string>& labels, std::size_t all) {
  if (all == 1) return {};
  if (labels.size() == all) return " (" + labels.front() + "; so do all cases)";
  std::string names = join(std::span(labels).first(std::min(labels.size(), kNamedCases)), "; ");
  if (labels.size() > kNamedCases) {
    names += " and " + std::to_string(labels.size() - kNamedCases) + " more";
  }
  return " (" + names + ')';
}

}  // namespace

std::string set_arguments(const Finding& finding) {
  return join(finding.set, " ",
              [](const auto& each) { return "--set " + each.option + '=' + each.value; });
}

// Where the device takes longer than the host, the host's wait for data holds nothing up.
bool is_hidden_by_the_device(const CaseRow& row, const Finding& finding) {
  constexpr double kHostAhead = 0.98;
  return finding.id.starts_with("loader.") && row.clock == StepClock::kDevice && row.step_ns &&
         *row.step_host_ns < kHostAhead * *row.step_ns;
}

std::vector<CaseFinding> findings_of(const CaseRow& row) {
  std::map<std::string_view, std::vector<const Finding*>> by_id;
  std::vector<std::string_view> order;
  for (const MeasuredLaunch& each : row.measured) {
    for (const Finding& finding : each.launch->row.report.findings) {
      if (is_hidden_by_the_device(row, finding)) continue;
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
    all.push_back({.finding = *middle, .launches = found.size()});
  }
  std::stable_sort(all.begin(), all.end(), [](const CaseFinding& a, const CaseFinding& b) {
    return is_more_severe(*a.finding, *b.finding);
  });
  return all;
}

std::vector<std::string> finding_lines(const std::vector<CaseRow>& rows, const Results& results) {
  struct Kind {
    const Finding* worst = nullptr;
    std::vector<std::string> labels = {};  // the worst case first
  };
  const RowNames names(rows, results);
  std::vector<Kind> kinds;
  for (const CaseRow& row : rows) {
    const std::string label = names.name(row);
    for (const CaseFinding& each : findings_of(row)) {
      const auto same = [&](const Kind& kind) { return kind.worst->id == each.finding->id; };
      const auto found = std::find_if(kinds.begin(), kinds.end(), same);
      if (found == kinds.end()) {
        kinds.push_back({.worst = each.finding, .labels = {label}});
      } else if (is_more_severe(*each.finding, *found->worst)) {
        found->worst = each.finding;
        found->labels.insert(found->labels.begin(), label);
      } else {
        found->labels.push_back(label);
      }
    }
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const Kind& a, const Kind& b) { return is_more_severe(*a.worst, *b.worst); });
  std::vector<std::string> lines;
  for (const Kind& kind : kinds) {
    lines.push_back(headline(*kind.worst) + about(kind.labels, rows.size()));
    add_remedy(*kind.worst, lines);
  }
  return lines;
}

std::vector<std::string> finding_lines(const CaseRow& row) {
  std::vector<std::string> lines;
  for (const auto& [finding, launches] : findings_of(row)) {
    std::string head = headline(*finding);
    if (launches < row.measured.size()) {
      head += " (" + std::to_string(launches) + " of " + std::to_string(row.measured.size()) +
              " launches)";
    }
    lines.push_back(std::move(head));
    std::string evidence = finding->evidence.empty() ? "" : "  seen in: " + join(finding->evidence);
    if (finding->share) {
      evidence += (evidence.empty() ? "  " : "; ") + std::string("to be won at most: ") +
                  percent_text(*finding->share) + " of the step";
    }
    if (!evidence.empty()) lines.push_back(std::move(evidence));
    add_remedy(*finding, lines);
  }
  return lines;
}

}  // namespace stepbench
