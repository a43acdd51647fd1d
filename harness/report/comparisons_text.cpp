// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparisons_text.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/report/comparison_cells.h"
#include "harness/report/comparison_text.h"
#include "harness/text/grid.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using RowKey = std::pair<std::string, std::string>;  // case id of the base, name of the metric

std::string letter(std::size_t place) {
  return std::string(1, static_cast<char>('A' + static_cast<int>(place)));
}

// What a cell says beside its number.
std::string mark_of(const compare::TestResult& test) {
  switch (test.verdict) {
    case compare::Verdict::kSuspect:
      return test.slower ? "worse?" : "better?";
    case compare::Verdict::kRegression:
      return "worse";
    case compare::Verdict::kImprovement:
      return "better";
    case compare::Verdict::kOk:
      return "ok";
    case compare::Verdict::kInconclusive:
      return "?";
    case compare::Verdict::kInvalid:
      return "invalid";
    case compare::Verdict::kNoData:
      return "no data";
  }
  return {};
}

// How much a row wants to be seen, by the worst of its cells.
int weight_of(text::Tint tint) {
  return tint == text::Tint::kFailed ? 3
         : tint == text::Tint::kBest ? 2
         : tint == text::Tint::kNone ? 1
                                     : 0;
}

class MultiComparison {
 public:
  MultiComparison(std::span<const compare::Comparison> comparisons, bool all)
      : comparisons_(comparisons), all_(all) {
    std::vector<const OptionValues*> options;
    std::set<std::string> ids;
    for (std::size_t run = 0; run < comparisons.size(); ++run) {
      for (const compare::CaseResult& one : comparisons[run].cases) {
        if (cases_.try_emplace(one.case_id, &one).second) options.push_back(&one.options);
        ids.insert(one.case_id);
        for (const compare::MetricResult& metric : one.metrics) add(run, one, metric);
      }
    }
    digits_ = estimate::id_digits(ids);
    varying_ = estimate::varying_options(options, comparisons.front().swept);
  }

  [[nodiscard]] std::vector<std::string> head() const {
    std::vector<std::string> lines = {"A " + comparisons_.front().base + " (base)"};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      lines.push_back(letter(run + 1) + ' ' + comparisons_[run].candidate);
    }
    lines.push_back("measured one after the other; each against A");
    std::size_t rose = 0;
    std::size_t fell = 0;
    for (const auto& [key, tests] : tests_) {
      for (const auto& [run, metric] : tests) {
        const compare::TestResult& test = metric->test;
        if (!metric->primary || !test.change) continue;
        if (!compare::is_rejected(test, comparisons_.front().rule.q)) continue;
        ++(*test.change > 0 ? rose : fell);
      }
    }
    const auto tested = static_cast<std::int64_t>(comparisons_.front().tested);
    lines.push_back(text::counted(std::ssize(cases_), "case") + ", " +
                    (tested == 0 ? std::string("nothing could be tested")
                                 : text::counted(tested, "test") +
                                       " of all runs corrected together: " + std::to_string(rose) +
                                       " rose, " + std::to_string(fell) + " fell, before margins"));
    return lines;
  }

  // Also says how many rows were left out.
  [[nodiscard]] text::Grid grid(std::size_t& hidden) const {
    text::Grid grid;
    grid.columns = {{.head = "case", .align = text::Align::kLeft, .shrink_at = 50, .shrink_to = 16},
                    {.head = "metric", .align = text::Align::kLeft},
                    {.head = "A"}};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      grid.columns.push_back({.head = letter(run + 1), .align = text::Align::kLeft});
      grid.columns.push_back({.head = "95 % interval", .align = text::Align::kLeft, .drop_at = 30});
    }
    const bool with_ok = all_ || order_.size() <= kMaxOkRows;
    for (const RowKey& key : order_) {
      text::GridRow row = row_of(key);
      const bool hide =
          (!with_ok && row.tint == text::Tint::kDim) || (!all_ && grid.rows.size() >= kMaxRows);
      if (hide) {
        ++hidden;
      } else {
        grid.rows.push_back(std::move(row));
      }
    }
    return grid;
  }

  [[nodiscard]] std::vector<std::string> causes() const {
    std::vector<std::string> lines;
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      for (const std::string& line : comparison_lines(comparisons_[run], all_).causes) {
        lines.push_back(line.starts_with(' ') ? line : letter(run + 1) + ", " + line);
      }
    }
    return lines;
  }

  // What is said of every run stands once; other lines begin with their run.
  [[nodiscard]] std::vector<std::string> remarks() const {
    std::map<std::string, std::vector<std::size_t>> runs_of;
    std::vector<std::string> order;
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      for (const std::string& line : comparison_lines(comparisons_[run], all_).remarks) {
        std::vector<std::size_t>& runs = runs_of[line];
        if (runs.empty()) order.push_back(line);
        if (runs.empty() || runs.back() != run) runs.push_back(run);
      }
    }
    std::vector<std::string> lines;
    for (const std::string& line : order) {
      const std::vector<std::size_t>& runs = runs_of.at(line);
      const std::string of =
          text::join(runs, ", ", [](std::size_t run) { return letter(run + 1); });
      lines.push_back(runs.size() == comparisons_.size() ? line : of + ": " + line);
    }
    return lines;
  }

  // A line for each run, and which of them decides.
  [[nodiscard]] std::vector<std::string> conclusion() const {
    std::vector<std::string> lines;
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      lines.push_back(letter(run + 1) + ": " + verdict_line(comparisons_[run]));
    }
    const std::size_t worst = compare::worst_of(comparisons_);
    lines.push_back("verdict: " + verdict_word() + " (exit code " +
                    std::to_string(comparisons_[worst].exit_code) + "), the worst of " +
                    std::to_string(comparisons_.size()));
    lines.emplace_back(
        "Each was measured after the other, so a drift of the machine looks like a change: nothing "
        "is confirmed.");
    return lines;
  }

  [[nodiscard]] std::string verdict_word() const {
    return std::string(compare::name_of(comparisons_[compare::worst_of(comparisons_)].verdict));
  }

  // What the marks mean, of those that occur.
  [[nodiscard]] std::string legend() const {
    std::set<compare::Verdict> seen;
    for (const auto& [key, tests] : tests_) {
      for (const auto& [run, metric] : tests) seen.insert(metric->test.verdict);
    }
    std::vector<std::string> parts;
    if (seen.contains(compare::Verdict::kSuspect)) {
      parts.emplace_back("worse? better?: perhaps changed, to be confirmed with `stepbench ab`");
    }
    if (seen.contains(compare::Verdict::kOk))
      parts.emplace_back("ok: shown to lie within the margin");
    if (seen.contains(compare::Verdict::kInconclusive))
      parts.emplace_back("?: undecided, it takes more launches");
    return text::join(parts, "; ");
  }

 private:
  void add(std::size_t run, const compare::CaseResult& one, const compare::MetricResult& metric) {
    const RowKey key{one.case_id, metric.name};
    auto& tests = tests_[key];
    if (tests.empty()) order_.push_back(key);
    tests.emplace(run, &metric);
  }

  [[nodiscard]] text::GridRow row_of(const RowKey& key) const {
    const auto& tests = tests_.at(key);
    const compare::MetricResult& any = *tests.begin()->second;
    const std::string label = estimate::case_label(cases_.at(key.first)->options, varying_);
    text::GridRow row{{label.empty() ? key.first.substr(0, digits_) : label, any.name,
                       compared_value(any.test.base_median, any.unit)},
                      text::Tint::kDim};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      const auto found = tests.find(run);
      if (found == tests.end()) {
        row.cells.insert(row.cells.end(), {"not measured", "-"});
        if (weight_of(row.tint) < weight_of(text::Tint::kNone)) row.tint = text::Tint::kNone;
        continue;
      }
      const compare::TestResult& test = found->second->test;
      row.cells.push_back(change_text(test) + ' ' + mark_of(test));
      row.cells.push_back(interval_text_of(test));
      const text::Tint tint = tint_of(test);
      if (weight_of(tint) > weight_of(row.tint)) row.tint = tint;
    }
    return row;
  }

  // "suspect: 2 perhaps worse, 3 within the margin, 1 undecided (exit code 3)"
  [[nodiscard]] static std::string verdict_line(const compare::Comparison& comparison) {
    std::map<std::string, std::size_t> marks;
    for (const compare::CaseResult& one : comparison.cases) {
      for (const compare::MetricResult& metric : one.metrics) ++marks[mark_of(metric.test)];
    }
    std::vector<std::string> parts;
    for (const auto& [mark, words] :
         std::initializer_list<std::pair<const char*, const char*>>{{"worse", "worse"},
                                                                    {"worse?", "perhaps worse"},
                                                                    {"better", "better"},
                                                                    {"better?", "perhaps better"},
                                                                    {"ok", "within the margin"},
                                                                    {"?", "undecided"},
                                                                    {"invalid", "invalid"},
                                                                    {"no data", "without data"}}) {
      const auto found = marks.find(mark);
      if (found != marks.end()) parts.push_back(std::to_string(found->second) + ' ' + words);
    }
    std::string text(compare::name_of(comparison.verdict));
    text += parts.empty() ? "; no case is in both results" : ": " + text::join(parts);
    return text + " (exit code " + std::to_string(comparison.exit_code) + ")";
  }

  std::span<const compare::Comparison> comparisons_;
  bool all_;
  std::map<std::string, const compare::CaseResult*> cases_;  // by id, the first seen
  std::map<RowKey, std::map<std::size_t, const compare::MetricResult*>> tests_;  // by run
  std::vector<RowKey> order_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
};

std::string hidden_rows_text(std::size_t hidden) {
  return hidden == 0 ? ""
                     : text::counted(static_cast<std::int64_t>(hidden), "more row") +
                           " (--all shows them)\n";
}

}  // namespace

std::string comparisons_table(std::span<const compare::Comparison> comparisons,
                              const TableStyle& style, bool all) {
  const MultiComparison text(comparisons, all);
  std::string out;
  for (const std::string& line : text.head()) out += text::printable(line) + '\n';
  out += '\n';
  std::size_t hidden = 0;
  text::Grid grid = text.grid(hidden);
  if (!grid.rows.empty()) {
    out += text::draw(std::move(grid), static_cast<std::size_t>(style.columns), style.colour).text;
  }
  out += hidden_rows_text(hidden);
  const std::string legend = text.legend();
  if (!legend.empty()) out += legend + '\n';
  const std::vector<std::string> causes = text.causes();
  if (!causes.empty()) out += "\nWhat changed inside a step:\n";
  for (const std::string& line : causes) out += "  " + text::printable(line) + '\n';
  out += '\n';
  for (const std::string& line : text.remarks()) out += text::printable(line) + '\n';
  for (const std::string& line : text.conclusion()) out += text::printable(line) + '\n';
  return out;
}

ComparisonParts comparisons_parts(std::span<const compare::Comparison> comparisons) {
  const MultiComparison text(comparisons, true);
  std::size_t none = 0;
  const std::string legend = text.legend();
  return {.title = text::counted(std::ssize(comparisons), "result") + " against " +
                   comparisons.front().base,
          .design = text.head(),
          .grid = text.grid(none),
          .legend = legend.empty() ? std::vector<std::string>{} : std::vector<std::string>{legend},
          .causes = text.causes(),
          .remarks = text.remarks(),
          .conclusion = text::join(text.conclusion(), "\n")};
}

std::string comparisons_markdown(std::span<const compare::Comparison> comparisons, bool all) {
  const MultiComparison text(comparisons, all);
  std::string out = "<!-- stepbench-verdict -->\n### " + text.verdict_word() + ": " +
                    text::markdown_line(std::to_string(comparisons.size()) + " results against " +
                                        comparisons.front().base) +
                    "\n\n";
  for (const std::string& line : text.head()) out += "- " + text::markdown_line(line) + '\n';
  out += '\n';
  std::size_t hidden = 0;
  const text::Grid grid = text.grid(hidden);
  if (!grid.rows.empty()) out += text::draw_markdown(grid) + '\n';
  out += hidden_rows_text(hidden);
  const std::string legend = text.legend();
  if (!legend.empty()) out += legend + "\n\n";
  for (const auto& lines : {text.causes(), text.remarks(), text.conclusion()}) {
    for (const std::string& line : lines) out += "- " + text::markdown_line(line) + '\n';
  }
  return out;
}

}  // namespace stepbench::report
