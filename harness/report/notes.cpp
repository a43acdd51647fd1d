// SPDX-License-Identifier: Apache-2.0
#include "harness/report/notes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/report/number_text.h"

namespace stepbench {
namespace {

constexpr std::size_t kNamedCases = 3;

// Notes in order of first appearance, each with the cases that it is about.
class Collector {
 public:
  Collector(const std::vector<CaseRow>& rows, const Results& results)
      : all_(rows.size()), varying_(varying_options(rows, results)) {}

  void add(const std::string& text, const CaseRow& row) {
    auto found = std::find_if(notes_.begin(), notes_.end(),
                              [&](const auto& note) { return note.first == text; });
    if (found == notes_.end()) found = notes_.insert(notes_.end(), {text, {}});
    const std::string label =
        case_label(row, varying_) + (row.arm.empty() ? "" : " (arm " + row.arm + ')');
    auto& cases = found->second;
    if (std::find(cases.begin(), cases.end(), label) == cases.end()) cases.push_back(label);
  }

  [[nodiscard]] std::vector<std::string> take() const {
    std::vector<std::string> lines;
    for (const auto& [text, cases] : notes_) lines.push_back(text + about(cases));
    return lines;
  }

 private:
  [[nodiscard]] std::string about(const std::vector<std::string>& cases) const {
    if (all_ == 1) return {};
    if (cases.size() == all_) return " (all cases)";
    std::string names;
    for (std::size_t i = 0; i < std::min(cases.size(), kNamedCases); ++i) {
      names += (i == 0 ? "" : "; ") + cases[i];
    }
    if (cases.size() > kNamedCases)
      names += " and " + std::to_string(cases.size() - kNamedCases) + " more";
    return " (" + names + ')';
  }

  std::size_t all_;
  std::vector<std::string> varying_;
  std::vector<std::pair<std::string, std::vector<std::string>>> notes_;
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void add_failures(const CaseRow& row, Collector& notes) {
  std::map<std::string, std::pair<std::int64_t, const Launch*>> reasons;
  for (const Launch* launch : row.failed) {
    auto& [count, first] = reasons[reason_of(*launch)];
    if (count++ == 0) first = launch;
  }
  for (const auto& [reason, found] : reasons) {
    const auto& [count, launch] = found;
    std::string text = "failed: " + reason;
    if (!launch->row.stage.empty()) text += ", in " + launch->row.stage;
    if (count > 1) text += " (" + std::to_string(count) + " launches)";
    notes.add(text, row);
    if (!launch->row.repeat_command.empty())
      notes.add("  repeat: " + launch->row.repeat_command, row);
  }
  for (const Launch* launch : row.skipped) notes.add("skipped: " + reason_of(*launch), row);
  if (row.unfinished > 0)
    notes.add("unfinished: begun, but the run ended before the launch did", row);
}

std::int64_t whole(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return 0;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

void add_warm_up(const CaseRow& row, Collector& notes) {
  std::int64_t too_short = 0;
  std::int64_t more = 0;
  for (const MeasuredLaunch& each : row.measured) {
    const Fields& schedule = each.launch->row.report.schedule;
    const auto verdict = schedule.find("warmup_verdict");
    if (verdict == schedule.end() || to_text(verdict->second) != "too_short") continue;
    ++too_short;
    more = std::max(more, whole(schedule, "warmup_more"));
  }
  if (too_short == 0) return;
  std::string text = "warm-up too short";
  if (more > 0) text += ", at least " + std::to_string(more) + " more steps";
  text += " (" + std::to_string(too_short) + " of " + std::to_string(row.measured.size()) +
          " launches)";
  notes.add(text, row);
}

void add_left_out(const CaseRow& row, Collector& notes) {
  std::int64_t steps = 0;
  std::int64_t left_out = 0;
  std::int64_t none_steady = 0;
  std::vector<FlaggedSteps> sums;
  for (const auto& [launch, summary] : row.measured) {
    steps += summary.steps;
    if (summary.no_steady_steps) ++none_steady;
    left_out += summary.steps - summary.steady_steps;
    for (const FlaggedSteps& flagged : summary.flagged) {
      auto found = std::find_if(sums.begin(), sums.end(),
                                [&](const FlaggedSteps& sum) { return sum.flag == flagged.flag; });
      if (found == sums.end()) found = sums.insert(sums.end(), {flagged.flag, 0});
      found->steps += flagged.steps;
    }
  }
  if (none_steady > 0) {
    notes.add("no steady step: all carry a flag, so all were used", row);
  }
  if (left_out == 0) return;
  std::string kinds;
  for (const FlaggedSteps& sum : sums) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(sum.flag) + ' ' + std::to_string(sum.steps);
  }
  notes.add("steps left out of the estimates: " + std::to_string(left_out) + " of " +
                with_separators(steps) + ": " + kinds,
            row);
}

void add_flags(const CaseRow& row, Collector& notes) {
  std::map<std::string, std::int64_t> flags;
  std::set<std::string> texts;
  for (const auto& [launch, summary] : row.measured) {
    for (const std::string& flag : launch->row.report.flags) ++flags[flag];
    for (const std::string& note : launch->row.report.notes) texts.insert(one_line(note));
  }
  for (const auto& [flag, count] : flags) {
    if (flag == "warmup_too_short") continue;  // said with its number of steps
    notes.add("flag " + flag + " (" + std::to_string(count) + " of " +
                  std::to_string(row.measured.size()) + " launches)",
              row);
  }
  for (const std::string& text : texts) notes.add(text, row);
}

}  // namespace

std::string reason_of(const Launch& launch) {
  if (!launch.row.outcome.reason.empty()) return one_line(launch.row.outcome.reason);
  if (launch.row.outcome.kind == Outcome::Kind::kMeasured) return "it holds no steps";
  return "no reason given";
}

std::vector<std::string> notes_of(const std::vector<CaseRow>& rows, const Results& results) {
  Collector notes(rows, results);
  for (const CaseRow& row : rows) add_failures(row, notes);
  for (const CaseRow& row : rows) add_warm_up(row, notes);
  for (const CaseRow& row : rows) {
    if (row.epoch_gap_ns)
      notes.add("epoch gap " + duration(*row.epoch_gap_ns) + ", not in step", row);
  }
  for (const CaseRow& row : rows) add_left_out(row, notes);
  for (const CaseRow& row : rows) add_flags(row, notes);
  std::vector<std::string> lines = notes.take();
  for (const std::string& warning : results.warnings) lines.push_back("warning: " + warning);
  return lines;
}

std::string wrapped(const std::string& text, std::size_t columns) {
  if (text.find("repeat: ") != std::string::npos || width(text) <= columns) return text;
  std::string lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at + 1), text.size());
    const std::string word = text.substr(at, blank - at);
    if (width(line) + width(word) > columns && !line.empty()) {
      lines += line + '\n';
      line = " " + (word.starts_with(' ') ? word : ' ' + word);
    } else {
      line += word;
    }
    at = blank;
  }
  return lines + line;
}

}  // namespace stepbench
