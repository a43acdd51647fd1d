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

namespace stepbench {
namespace {

using RowKey = std::pair<std::string, std::string>;  // case id of the base, name of the metric

std::string letter(std::size_t place) {
  return std::string(1, static_cast<char>('A' + static_cast<int>(place)));
}

// What a cell says beside its number.
std::string mark_of(const TestResult& test) {
  switch (test.verdict) {
    case Verdict::kSuspect:
      return test.slower ? "worse?" : "better?";
    case Verdict::kRegression:
      return "worse";
    case Verdict::kImprovement:
      return "better";
    case Verdict::kOk:
      return "ok";
    case Verdict::kInconclusive:
      return "?";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kNoData:
      return "no data";
  }
  return {};
}

// How much a row wants to be seen, by the worst of its cells.
int weight_of(Tint tint) {
  return tint == Tint::kFailed ? 3 : tint == Tint::kBest ? 2 : tint == Tint::kNone ? 1 : 0;
}

class SeveralText {
 public:
  SeveralText(std::span<const Comparison> comparisons, bool all)
      : comparisons_(comparisons), all_(all) {
    std::vector<const OptionValues*> options;
    std::set<std::string> ids;
    for (std::size_t run = 0; run < comparisons.size(); ++run) {
      for (const CaseResult& one : comparisons[run].cases) {
        if (cases_.try_emplace(one.case_id, &one).second) options.push_back(&one.options);
        ids.insert(one.case_id);
        for (const MetricResult& metric : one.metrics) add(run, one, metric);
      }
    }
    digits_ = id_digits(ids);
    varying_ = varying_options(options, comparisons.front().swept);
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
        const TestResult& test = metric->test;
        if (!metric->primary || !test.change) continue;
        if (!(test.p_adjusted <= comparisons_.front().rule.q)) continue;
        ++(*test.change > 0 ? rose : fell);
      }
    }
    const auto tested = static_cast<std::int64_t>(comparisons_.front().tested);
    lines.push_back(counted(std::ssize(cases_), "case") + ", " +
                    (tested == 0 ? std::string("nothing could be tested")
                                 : counted(tested, "test") +
                                       " of all runs corrected together: " + std::to_string(rose) +
                                       " rose, " + std::to_string(fell) + " fell, before margins"));
    return lines;
  }

  // Also says how many rows were left out.
  [[nodiscard]] Grid grid(std::size_t& hidden) const {
    Grid grid;
    grid.columns = {{.head = "case", .align = Align::kLeft, .shrink_at = 50, .shrink_to = 16},
                    {.head = "metric", .align = Align::kLeft},
                    {.head = "A"}};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      grid.columns.push_back({.head = letter(run + 1), .align = Align::kLeft});
      grid.columns.push_back({.head = "95 % interval", .align = Align::kLeft, .drop_at = 30});
    }
    const bool with_ok = all_ || order_.size() <= kMaxOkRows;
    for (const RowKey& key : order_) {
      GridRow row = row_of(key);
      const bool hide =
          (!with_ok && row.tint == Tint::kDim) || (!all_ && grid.rows.size() >= kMaxRows);
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
      const std::string of = join(runs, ", ", [](std::size_t run) { return letter(run + 1); });
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
    const std::size_t worst = worst_of(comparisons_);
    lines.push_back("verdict: " + verdict_word() + " (exit code " +
                    std::to_string(comparisons_[worst].exit_code) + "), the worst of " +
                    std::to_string(comparisons_.size()));
    lines.emplace_back(
        "Each was measured after the other, so a drift of the machine looks like a change: nothing "
        "is confirmed.");
    return lines;
  }

  [[nodiscard]] std::string verdict_word() const {
    return std::string(name_of(comparisons_[worst_of(comparisons_)].verdict));
  }

  // What the marks mean, of those that occur.
  [[nodiscard]] std::string legend() const {
    std::set<Verdict> seen;
    for (const auto& [key, tests] : tests_) {
      for (const auto& [run, metric] : tests) seen.insert(metric->test.verdict);
    }
    std::vector<std::string> parts;
    if (seen.contains(Verdict::kSuspect)) {
      parts.emplace_back("worse? better?: perhaps changed, to be confirmed with `stepbench ab`");
    }
    if (seen.contains(Verdict::kOk)) parts.emplace_back("ok: shown to lie within the margin");
    if (seen.contains(Verdict::kInconclusive))
      parts.emplace_back("?: undecided, it takes more launches");
    return join(parts, "; ");
  }

 private:
  void add(std::size_t run, const CaseResult& one, const MetricResult& metric) {
    const RowKey key{one.case_id, metric.name};
    auto& tests = tests_[key];
    if (tests.empty()) order_.push_back(key);
    tests.emplace(run, &metric);
  }

  [[nodiscard]] GridRow row_of(const RowKey& key) const {
    const auto& tests = tests_.at(key);
    const MetricResult& any = *tests.begin()->second;
    const std::string label = case_label(cases_.at(key.first)->options, varying_);
    GridRow row{{label.empty() ? key.first.substr(0, digits_) : label, any.name,
                 compared_value(any.test.base_median, any.unit)},
                Tint::kDim};
    for (std::size_t run = 0; run < comparisons_.size(); ++run) {
      const auto found = tests.find(run);
      if (found == tests.end()) {
        row.cells.insert(row.cells.end(), {"not measured", "-"});
        if (weight_of(row.tint) < weight_of(Tint::kNone)) row.tint = Tint::kNone;
        continue;
      }
      const TestResult& test = found->second->test;
      row.cells.push_back(change_text(test) + ' ' + mark_of(test));
      row.cells.push_back(interval_text_of(test));
      const Tint tint = tint_of(test);
      if (weight_of(tint) > weight_of(row.tint)) row.tint = tint;
    }
    return row;
  }

  // "suspect: 2 perhaps worse, 3 within the margin, 1 undecided (exit code 3)"
  [[nodiscard]] static std::string verdict_line(const Comparison& comparison) {
    std::map<std::string, std::size_t> marks;
    for (const CaseResult& one : comparison.cases) {
      for (const MetricResult& metric : one.metrics) ++marks[mark_of(metric.test)];
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
    std::string text(name_of(comparison.verdict));
    text += parts.empty() ? "; no case is in both results" : ": " + join(parts);
    return text + " (exit code " + std::to_string(comparison.exit_code) + ")";
  }

  std::span<const Comparison> comparisons_;
  bool all_;
  std::map<std::string, const CaseResult*> cases_;                      // by id, the first seen
  std::map<RowKey, std::map<std::size_t, const MetricResult*>> tests_;  // by run
  std::vector<RowKey> order_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
};

std::string hidden_rows_text(std::size_t hidden) {
  return hidden == 0
             ? ""
             : counted(static_cast<std::int64_t>(hidden), "more row") + " (--all shows them)\n";
}

}  // namespace

std::string comparisons_table(std::span<const Comparison> comparisons, const TableStyle& style,
                              bool all) {
  const SeveralText text(comparisons, all);
  std::string out;
  for (const std::string& line : text.head()) out += printable(line) + '\n';
  out += '\n';
  std::size_t hidden = 0;
  Grid grid = text.grid(hidden);
  if (!grid.rows.empty()) {
    out += draw(std::move(grid), static_cast<std::size_t>(style.columns), style.colour).text;
  }
  out += hidden_rows_text(hidden);
  const std::string legend = text.legend();
  if (!legend.empty()) out += legend + '\n';
  const std::vector<std::string> causes = text.causes();
  if (!causes.empty()) out += "\nWhat changed inside a step:\n";
  for (const std::string& line : causes) out += "  " + printable(line) + '\n';
  out += '\n';
  for (const std::string& line : text.remarks()) out += printable(line) + '\n';
  for (const std::string& line : text.conclusion()) out += printable(line) + '\n';
  return out;
}

ComparisonParts comparisons_parts(std::span<const Comparison> comparisons) {
  const SeveralText text(comparisons, true);
  std::size_t none = 0;
  const std::string legend = text.legend();
  return {
      .title = counted(std::ssize(comparisons), "result") + " against " + comparisons.front().base,
      .design = text.head(),
      .grid = text.grid(none),
      .legend = legend.empty() ? std::vector<std::string>{} : std::vector<std::string>{legend},
      .causes = text.causes(),
      .remarks = text.remarks(),
      .conclusion = join(text.conclusion(), "\n")};
}

std::string comparisons_markdown(std::span<const Comparison> comparisons, bool all) {
  const SeveralText text(comparisons, all);
  std::string out = "<!-- stepbench-verdict -->\n### " + text.verdict_word() + ": " +
                    markdown_line(std::to_string(comparisons.size()) + " results against " +
                                  comparisons.front().base) +
                    "\n\n";
  for (const std::string& line : text.head()) out += "- " + markdown_line(line) + '\n';
  out += '\n';
  std::size_t hidden = 0;
  const Grid grid = text.grid(hidden);
  if (!grid.rows.empty()) out += draw_markdown(grid) + '\n';
  out += hidden_rows_text(hidden);
  const std::string legend = text.legend();
  if (!legend.empty()) out += legend + "\n\n";
  for (const auto& lines : {text.causes(), text.remarks(), text.conclusion()}) {
    for (const std::string& line : lines) out += "- " + markdown_line(line) + '\n';
  }
  return out;
}

}  // namespace stepbench
