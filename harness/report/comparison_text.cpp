// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/compare/ab_campaign.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/comparison_cells.h"
#include "harness/text/grid.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// What the judge notes by name, in words; a sentence as it is.
std::string note_text(const std::string& note) {
  if (note == "skewed") {
    return "the pairs are skewed: without assuming symmetry it is not sure whether the change is "
           "beyond the margin";
  }
  if (note == "clock_resolution") {
    return "more than a fifth of the pairs are exactly equal: the clock is too coarse";
  }
  if (note == "zero_variance") return "every pair changed by exactly the same";
  return note;
}

// Everything that is said of one comparison, piece by piece, for both forms.
class Text {
 public:
  Text(const compare::Comparison& comparison, bool all) : comparison_(comparison), all_(all) {
    std::vector<const OptionValues*> cases;
    std::set<std::string> ids;
    for (const compare::CaseResult& one : comparison.cases) {
      cases.push_back(&one.options);
      ids.insert(one.case_id);
    }
    for (const compare::MissingCase& one : comparison.only_base) ids.insert(one.case_id);
    for (const compare::MissingCase& one : comparison.only_candidate) ids.insert(one.case_id);
    digits_ = estimate::id_digits(ids);
    varying_ = estimate::varying_options(cases, comparison.swept);
  }

  [[nodiscard]] std::string title() const {
    return is_ab() ? "A " + comparison_.base + "   B " + comparison_.candidate
                   : comparison_.base + " -> " + comparison_.candidate;
  }

  // How it was measured, and what was tested.
  [[nodiscard]] std::vector<std::string> design() const {
    const bool in_turns = comparison_.rule.design == compare::Design::kInterleaved;
    std::vector<std::string> lines = {
        (in_turns ? "measured in turns" : "measured one after the other") + looks(),
        text::counted(std::ssize(comparison_.cases), "case") + (is_ab() ? ", " : " in both, ") +
            tests_text()};
    if (comparison_.rule.confidence > 0.95) {
      lines.push_back("intervals are of " + confidence() +
                      " %: with several looks at the data they are as sure as one of 95 % is with "
                      "one look");
    }
    if (has_corrected(comparison_)) lines.emplace_back(kCorrectedMeans);
    if (counts_decide()) {
      lines.emplace_back(
          "counts per step decide (--gate counts); what stands in parentheses decides nothing");
    }
    if (changes_stand_apart()) {
      lines.push_back(std::string("change: the middle of what ") +
                      (in_turns ? "the pairs" : "all pairs of a base launch and a new one") +
                      " say; where launches differ much it is not the quotient of the two columns");
    }
    return lines;
  }

  // Also says how many rows were left out.
  [[nodiscard]] text::Grid grid(std::size_t& hidden_ok, std::size_t& hidden) const {
    text::Grid grid;
    const bool looked = is_ab();
    grid.columns = {
        {.head = "case", .align = text::Align::kLeft, .shrink_at = 50, .shrink_to = 16},
        {.head = "metric", .align = text::Align::kLeft},
        {.head = looked ? "A" : "base"},
        {.head = looked ? "B" : "new"},
        {.head = "change"},
        {.head = confidence() + " % interval", .drop_at = 70},
        {.head = "p adj", .drop_at = 20},
        {.head = "verdict", .align = text::Align::kLeft, .shrink_at = 60, .shrink_to = 31}};
    if (looked) grid.columns.insert(grid.columns.end() - 1, {.head = "pairs", .drop_at = 30});
    const bool corrected = has_corrected(comparison_);
    constexpr std::ptrdiff_t kCorrectedAt = 6;  // after the interval
    if (corrected) {
      grid.columns.insert(grid.columns.begin() + kCorrectedAt, {.head = "corrected"});
    }
    std::size_t total = 0;
    for (const compare::CaseResult& one : comparison_.cases) total += one.metrics.size();
    const bool with_ok = all_ || total <= kMaxOkRows;
    for (std::size_t i = 0; i < comparison_.cases.size(); ++i) {
      for (const compare::MetricResult& metric : comparison_.cases[i].metrics) {
        const compare::TestResult& test = metric.test;
        if (!with_ok && test.verdict == compare::Verdict::kOk) {
          ++hidden_ok;
        } else if (!all_ && grid.rows.size() >= kMaxRows) {
          ++hidden;
        } else {
          text::GridRow row{{cell(i), metric.name, compared_value(test.base_median, metric.unit),
                             compared_value(test.candidate_median, metric.unit), change_text(test),
                             interval_text_of(test), adjusted_p_text(test.p_adjusted),
                             verdict_text(test, looked ? "pairs" : "launches")},
                            tint_of(test)};
          if (!metric.decides) {
            row.cells.back() = '(' + row.cells.back() + ')';
            row.tint = text::Tint::kDim;
          }
          if (looked) {
            row.cells.insert(row.cells.end() - 1, std::to_string(comparison_.cases[i].ended_at));
          }
          if (corrected) row.cells.insert(row.cells.begin() + kCorrectedAt, corrected_text(test));
          grid.rows.push_back(std::move(row));
        }
      }
    }
    return grid;
  }

  [[nodiscard]] std::vector<std::string> causes() const {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < comparison_.cases.size() && lines.size() < kMaxRows; ++i) {
      const compare::CaseResult& one = comparison_.cases[i];
      if (one.cause.empty() && one.ops.empty()) continue;
      std::string line = label(i) + ":";
      for (const compare::PhaseChange& change : one.cause) {
        line += ' ' + change.phase + (change.change_ns < 0 ? " -" : " +") +
                text::duration(std::abs(change.change_ns)) + " per step (" +
                text::significant(100 * change.share, 2) + " % of the change),";
      }
      if (!one.cause.empty()) line.pop_back();
      lines.push_back(std::move(line));
      add_ops(one.ops, lines);
    }
    return lines;
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> lines;
    for (const compare::EnvironmentDifference& difference : comparison_.environment) {
      if (difference.field_class == compare::FieldClass::kInformative) continue;
      if (difference.allowed && difference.field_class == compare::FieldClass::kShouldMatch)
        continue;
      std::string line = difference.allowed ? "allowed: " : "warning: ";
      line += difference.field + " differs: " + difference.base + " -> " + difference.candidate;
      if (difference.cases > 0) {
        line += " (in " + text::counted(static_cast<std::int64_t>(difference.cases), "case") + ')';
      }
      lines.push_back(std::move(line));
    }
    for (const std::string& warning : comparison_.warnings) lines.push_back("warning: " + warning);
    add_gates(lines);
    add_case_notes(lines);
    if (std::string rare = what_ok_leaves_open(); !rare.empty()) lines.push_back(std::move(rare));
    add_missing(lines, comparison_.only_base, is_ab() ? "arm A" : comparison_.base);
    add_missing(lines, comparison_.only_candidate, is_ab() ? "arm B" : comparison_.candidate);
    lines.push_back(aa_control());
    if (!comparison_.machine.empty()) lines.push_back(comparison_.machine);
    add_how_to_judge_again(lines);
    return lines;
  }

  [[nodiscard]] std::string conclusion() const {
    std::string text = "verdict: " + std::string(compare::name_of(comparison_.verdict)) +
                       " (exit code " + std::to_string(comparison_.exit_code) + ')';
    if (comparison_.cases.empty()) text += "; no case is in both results";
    if (counts_decide()) {
      text += "\nCounts decide, which do not depend on when a side was measured.";
    } else if (comparison_.rule.design == compare::Design::kSequential) {
      text +=
          "\nOne was measured after the other, so a drift of the machine looks like a change: "
          "nothing is confirmed.";
    }
    return text;
  }

 private:
  [[nodiscard]] bool is_ab() const { return !comparison_.looks.empty(); }

  [[nodiscard]] bool counts_decide() const {
    return std::any_of(
        comparison_.cases.begin(), comparison_.cases.end(), [](const compare::CaseResult& one) {
          return std::any_of(one.metrics.begin(), one.metrics.end(),
                             [](const compare::MetricResult& metric) { return !metric.decides; });
        });
  }

  [[nodiscard]] std::string confidence() const {
    return std::to_string(std::lround(100 * comparison_.rule.confidence));
  }

  [[nodiscard]] std::string looks() const {
    if (!is_ab()) return {};
    const std::string text = ", " + compare::looks_text(comparison_.looks);
    return comparison_.seed ? text + ", seed " + std::to_string(*comparison_.seed) : text;
  }

  // Whether a reader who divides the medians finds another change than the one shown.
  [[nodiscard]] bool changes_stand_apart() const {
    constexpr double kSeen = 0.01;
    for (const compare::CaseResult& one : comparison_.cases) {
      for (const compare::MetricResult& metric : one.metrics) {
        const compare::TestResult& test = metric.test;
        if (!test.change || !(test.base_median > 0)) continue;
        const double quotient = test.candidate_median / test.base_median - 1;
        if (std::abs(quotient - *test.change) > kSeen) return true;
      }
    }
    return false;
  }

  // "2 metrics tested together: 1 rose, 1 fell, before margins"
  [[nodiscard]] std::string tests_text() const {
    std::size_t rose = 0;
    std::size_t fell = 0;
    for (const compare::CaseResult& one : comparison_.cases) {
      for (const compare::MetricResult& metric : one.metrics) {
        const compare::TestResult& test = metric.test;
        if (!metric.primary || !test.change) continue;
        if (!compare::is_rejected(test, comparison_.rule.q)) continue;
        ++(*test.change > 0 ? rose : fell);
      }
    }
    const auto tested = static_cast<std::int64_t>(comparison_.tested);
    if (tested == 0) return "nothing could be tested";
    return text::counted(tested, comparison_.cases.size() == 1 ? "metric" : "test") +
           (tested == 1 ? " tested: " : " tested together: ") + std::to_string(rose) + " rose, " +
           std::to_string(fell) + " fell, before margins";
  }

  // "aten::copy_ +120 calls/step (12 -> 132), 4 % -> 9 % of op time, in forward [[8, 32]]"
  static void add_ops(const std::vector<compare::OpChange>& ops, std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(ops.size(), compare::kMaxOpChanges); ++i) {
      const compare::OpChange& change = ops[i];
      std::string line = "  " + change.name;
      const double more = change.candidate_calls - change.base_calls;
      if (more != 0) {
        line += (more > 0 ? " +" : " ") + text::significant(more) + " calls/step (" +
                text::significant(change.base_calls) + " -> " +
                text::significant(change.candidate_calls) + "),";
      }
      if (change.change_ns) {
        line += (*change.change_ns < 0 ? " -" : " +") +
                text::duration(std::abs(*change.change_ns)) + " per step (" +
                text::signed_duration(change.range_ns.low) + " to " +
                text::signed_duration(change.range_ns.high) + " over profiled launches),";
      }
      line += ' ' + text::significant(100 * change.base_share, 2) + " % -> " +
              text::significant(100 * change.candidate_share, 2) + " % of op time";
      if (!change.phase.empty()) line += ", in " + change.phase;
      if (!change.shapes.empty()) line += ' ' + change.shapes;
      lines.push_back(std::move(line));
    }
    if (ops.size() > compare::kMaxOpChanges) {
      lines.push_back("  " + std::to_string(ops.size() - compare::kMaxOpChanges) +
                      " more ops (the JSON form has all)");
    }
  }

  [[nodiscard]] std::string short_id(const std::string& id) const { return id.substr(0, digits_); }

  [[nodiscard]] std::string label(std::size_t i) const {
    const compare::CaseResult& one = comparison_.cases[i];
    return estimate::case_label(one.options, varying_, short_id(one.case_id));
  }

  // Under the head "case".
  [[nodiscard]] std::string cell(std::size_t i) const {
    const compare::CaseResult& one = comparison_.cases[i];
    const std::string text = estimate::case_label(one.options, varying_);
    return text.empty() ? short_id(one.case_id) : text;
  }

  // A gate that failed says how to go on all the same; of many noisy cases the first are named.
  void add_gates(std::vector<std::string>& lines) const {
    constexpr std::size_t kNamed = 6;
    std::size_t of_cases = 0;
    std::size_t more = 0;
    for (const compare::Gate& gate : comparison_.gates) {
      if (gate.state == compare::GateState::kPassed) continue;
      if (!gate.case_id.empty() && of_cases++ >= kNamed) {
        ++more;
        continue;
      }
      const bool failed = gate.state == compare::GateState::kFailed;
      std::string line = failed ? "invalid: " : gate.allowed ? "allowed: " : "warning: ";
      if (!gate.case_id.empty()) line += label_of(gate.case_id) + ": ";
      line += gate.text;
      lines.push_back(std::move(line));
    }
    if (more > 0) {
      lines.push_back("warning: " + text::counted(static_cast<std::int64_t>(more), "more arm") +
                      " of cases differ like that (the JSON form has all)");
    }
  }

  void add_how_to_judge_again(std::vector<std::string>& lines) const {
    std::set<std::string> failed;
    for (const compare::Gate& gate : comparison_.gates) {
      if (gate.state == compare::GateState::kFailed) failed.insert(gate.name);
    }
    if (failed.empty() || comparison_.judge_again.empty()) return;
    lines.push_back("To judge the same launches again without measuring, with this as a warning: " +
                    comparison_.judge_again + " --allow " + text::join(failed, " --allow "));
  }

  [[nodiscard]] std::string label_of(std::string_view case_id) const {
    for (std::size_t i = 0; i < comparison_.cases.size(); ++i) {
      if (comparison_.cases[i].case_id == case_id) return label(i);
    }
    return std::string(case_id);
  }

  void add_case_notes(std::vector<std::string>& lines) const {
    std::map<std::string, std::pair<std::size_t, std::size_t>> by_text;  // first case, cases
    for (std::size_t i = 0; i < comparison_.cases.size(); ++i) {
      for (const std::string& note : comparison_.cases[i].notes) {
        ++by_text.try_emplace(note, i, 0).first->second.second;
      }
      for (const compare::MetricResult& metric : comparison_.cases[i].metrics) {
        for (const std::string& note : metric.test.notes) {
          if (note == "zero_variance" && !metric.timed) continue;  // bytes often do
          ++by_text.try_emplace(metric.name + ": " + note_text(note), i, 0).first->second.second;
        }
      }
    }
    for (const auto& [note, where] : by_text) {
      std::string line = "note: " + label(where.first);
      if (where.second > 1) line += " and " + std::to_string(where.second - 1) + " more";
      line += ": ";
      line += note;
      lines.push_back(std::move(line));
    }
  }

  void add_missing(std::vector<std::string>& lines, const std::vector<compare::MissingCase>& cases,
                   const std::string& side) const {
    constexpr std::size_t kNamed = 5;
    if (cases.empty()) return;
    std::string line = "only in " + side + ": " + text::counted(std::ssize(cases), "case") + ',';
    for (std::size_t i = 0; i < std::min(kNamed, cases.size()); ++i)
      line += ' ' + short_id(cases[i].case_id);
    if (cases.size() > kNamed) line += " ...";
    lines.push_back(std::move(line));
  }

  // "ok does not exclude that up to 14 % of the launches are far slower: none of 20 was"
  [[nodiscard]] std::string what_ok_leaves_open() const {
    std::map<std::size_t, double> shares;  // by launches that show none
    for (const compare::CaseResult& one : comparison_.cases) {
      for (const compare::MetricResult& metric : one.metrics) {
        const compare::TestResult& test = metric.test;
        if (test.verdict != compare::Verdict::kOk || !metric.timed || !metric.decides) continue;
        if (test.candidate_launches == 0 || test.slow_candidate > 0) continue;
        shares.emplace(test.candidate_launches, test.slow_share_below);
      }
    }
    if (shares.empty()) return {};
    return "ok does not exclude that up to " +
           text::join(shares, ", ",
                      [](const auto& share) {
                        return text::significant(100 * share.second, 2) +
                               " % of all launches are far slower " + "(none of " +
                               std::to_string(share.first) + " was)";
                      }) +
           ": more launches exclude more";
  }

  [[nodiscard]] std::string aa_control() const {
    const compare::AaControl& control = comparison_.aa_control;
    const auto launches = static_cast<std::int64_t>(4 * control.pooled_quads);
    const std::string begin = "self-check, base against itself: ";
    const std::string seen =
        " (" + text::counted(launches, "launch") + ", p " + adjusted_p_text(control.p) + ')';
    switch (control.state) {
      case compare::AaControl::State::kTooFew:
        return begin + "not enough launches yet (" + std::to_string(launches) + " of " +
               std::to_string(4 * compare::kMinQuads) + ')';
      case compare::AaControl::State::kPassed:
        return begin + "passed" + seen;
      case compare::AaControl::State::kFailed:
        return begin + "failed" + seen + ": it differs from itself, so that no verdict holds";
    }
    return {};
  }

  const compare::Comparison& comparison_;
  bool all_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;  // of ids
};

std::string hidden_text(std::size_t hidden_ok, std::size_t hidden) {
  std::string text;
  if (hidden_ok > 0) text += std::to_string(hidden_ok) + " more are ok (--all shows them)\n";
  if (hidden > 0) text += std::to_string(hidden) + " more rows (--all shows them)\n";
  return text;
}

}  // namespace

std::string comparison_table(const compare::Comparison& comparison, const TableStyle& style,
                             bool all) {
  const Text text(comparison, all);
  std::size_t hidden_ok = 0;
  std::size_t hidden = 0;
  text::Grid grid = text.grid(hidden_ok, hidden);
  std::string out = text::printable(text.title()) + '\n';
  for (const std::string& line : text.design()) out += text::printable(line) + '\n';
  out += '\n';
  if (!grid.rows.empty()) {
    out += text::draw(std::move(grid), static_cast<std::size_t>(style.columns), style.colour).text;
  }
  out += hidden_text(hidden_ok, hidden);
  const std::vector<std::string> causes = text.causes();
  if (!causes.empty()) out += "\nWhat changed inside a step:\n";
  for (const std::string& line : causes) out += "  " + text::printable(line) + '\n';
  out += '\n';
  for (const std::string& line : text.remarks()) out += text::printable(line) + '\n';
  return out + text.conclusion() + '\n';
}

ComparisonParts comparison_parts(const compare::Comparison& comparison) {
  const Text text(comparison, true);
  std::size_t none = 0;
  return {.title = text.title(),
          .design = text.design(),
          .grid = text.grid(none, none),
          .causes = text.causes(),
          .remarks = text.remarks(),
          .conclusion = text.conclusion()};
}

ComparisonLines comparison_lines(const compare::Comparison& comparison, bool all) {
  const Text text(comparison, all);
  return {text.causes(), text.remarks()};
}

std::string comparison_markdown(const compare::Comparison& comparison, bool all) {
  const Text text(comparison, all);
  std::size_t hidden_ok = 0;
  std::size_t hidden = 0;
  const text::Grid grid = text.grid(hidden_ok, hidden);
  std::string out = "<!-- stepbench-verdict -->\n### " +
                    std::string(compare::name_of(comparison.verdict)) + ": " +
                    text::markdown_line(text.title()) + "\n\n";
  for (const std::string& line : text.design()) out += text::markdown_line(line) + '\n';
  out += '\n';
  if (!grid.rows.empty()) out += text::draw_markdown(grid) + '\n';
  const std::string more = hidden_text(hidden_ok, hidden);
  if (!more.empty()) out += more + '\n';
  for (const auto& lines : {text.causes(), text.remarks()}) {
    for (const std::string& line : lines) out += "- " + text::markdown_line(line) + '\n';
  }
  return out + '\n' + text.conclusion() + '\n';
}

}  // namespace stepbench::report
