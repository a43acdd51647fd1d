// SPDX-License-Identifier: Apache-2.0
#include "harness/report/notes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/launch_flags.h"
#include "harness/base/value.h"
#include "harness/estimate/warmup_effect.h"
#include "harness/record/quality.h"
#include "harness/report/estimate_notes.h"
#include "harness/report/ops_report.h"
#include "harness/report/quality_words.h"
#include "harness/schedule/warmup_verdict.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxNamedCases = 3;

// Notes in order of first appearance, each with the cases that it is about.
class Collector {
 public:
  Collector(const std::vector<estimate::CaseRow>& rows, const record::Results& results)
      : all_(rows.size()), names_(rows, results) {}

  // `command`, that of the first case, stands below the note. `doubt`: see document::Paragraph.
  void add(const std::string& text, const estimate::CaseRow& row,
           document::Tone tone = document::Tone::kDoubt, const std::string& command = {},
           const std::string& doubt = {}) {
    const auto [place, is_new] = by_text_.emplace(text, notes_.size());
    if (is_new) notes_.push_back({text, tone, command, doubt, {}, {}});
    Note& note = notes_[place->second];
    const std::string label = names_.name(row);
    if (note.known.insert(label).second) note.cases.push_back(label);
  }

  [[nodiscard]] std::vector<document::Paragraph> take() const {
    std::vector<document::Paragraph> paragraphs;
    for (const Note& note : notes_) {
      document::Paragraph& paragraph =
          paragraphs.emplace_back(document::Paragraph{note.text + about(note.cases), note.tone});
      if (!note.doubt.empty()) paragraph.doubt = note.doubt + about(note.cases);
      if (!note.command.empty()) paragraph.below.emplace_back("repeat: " + note.command, true);
    }
    return paragraphs;
  }

 private:
  [[nodiscard]] std::string about(const std::vector<std::string>& cases) const {
    if (all_ == 1) return {};
    if (cases.size() == all_) return " (all cases)";
    std::string names;
    for (std::size_t i = 0; i < std::min(cases.size(), kMaxNamedCases); ++i) {
      names += (i == 0 ? "" : "; ") + cases[i];
    }
    if (cases.size() > kMaxNamedCases)
      names += " and " + std::to_string(cases.size() - kMaxNamedCases) + " more";
    return " (" + names + ')';
  }

  struct Note {
    std::string text;
    document::Tone tone;
    std::string command;
    std::string doubt;
    std::vector<std::string> cases;
    std::set<std::string> known = {};  // the same
  };
  std::size_t all_;
  estimate::RowNames names_;
  std::vector<Note> notes_;
  std::map<std::string, std::size_t> by_text_ = {};
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void add_failures(const estimate::CaseRow& row, Collector& notes) {
  std::map<std::string, std::pair<std::int64_t, const record::Launch*>> reasons;
  for (const record::Launch* launch : row.failed) {
    auto& [count, first] = reasons[estimate::reason_of(*launch)];
    if (count++ == 0) first = launch;
  }
  for (const auto& [reason, found] : reasons) {
    const auto& [count, launch] = found;
    std::string text = "failed: " + reason;
    if (!launch->row.stage.empty()) text += ", in " + launch->row.stage;
    if (count > 1) text += " (" + std::to_string(count) + " launches)";
    notes.add(text, row, document::Tone::kBad, launch->row.repeat_command);
  }
  for (const record::Launch* launch : row.skipped)
    notes.add("skipped: " + estimate::reason_of(*launch), row);
  for (const int launch : row.running) {
    const auto launches = number_of(row.options(), "launches");
    notes.add("running now: launch " + std::to_string(launch + 1) +
                  (launches ? " of " + text::short_number(*launches) : ""),
              row, document::Tone::kPlain);
  }
  if (row.unfinished > 0)
    notes.add("unfinished: begun, but the run ended before the launch did", row);
}

std::int64_t whole(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return 0;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

std::string warmup_text(const estimate::WarmupEffect& effect, const estimate::CaseRow& row) {
  std::string text = "warm-up is " + text::signed_percent(effect.change) + " % [" +
                     text::signed_percent(effect.interval.low) + ", " +
                     text::signed_percent(effect.interval.high) + "] of this step, over " +
                     text::counted(static_cast<std::int64_t>(effect.launches), "launch") +
                     "; drop " + text::counted(effect.drop, "step");
  if (const auto warmup = number_of(row.options(), "schedule.warmup")) {
    text += " (schedule.warmup: " + std::to_string(std::llround(*warmup) + effect.drop) + ')';
  }
  return text;
}

// In few words.
std::string warmup_doubt(const schedule::WarmupVerdict& verdict) {
  switch (verdict.kind) {
    case schedule::WarmupVerdict::Kind::kTooShort:
      return "warm-up too short by at least " + text::counted(verdict.more_steps, "step");
    case schedule::WarmupVerdict::Kind::kDrifting:
      return "steps became " + text::percent_text(verdict.change) + " slower within the window";
    case schedule::WarmupVerdict::Kind::kOk:
    case schedule::WarmupVerdict::Kind::kUnknown:
      break;
  }
  return {};
}

// By its effect on the step where the launches show one. Else what more than half of them say; one
// launch alone may have met with something else.
void add_warm_up(const estimate::CaseRow& row, Collector& notes) {
  if (const auto effect = estimate::warmup_effect(row); effect && effect->told) {
    notes.add(warmup_text(*effect, row), row, document::Tone::kDoubt, {},
              "warm-up is " + text::signed_percent(effect->change) + " % of the step");
    return;
  }
  std::vector<schedule::WarmupVerdict> verdicts;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const Fields& schedule = each.launch->row.report.schedule;
    const auto verdict = schedule.find("warmup_verdict");
    if (verdict == schedule.end()) continue;
    verdicts.push_back({.kind = schedule::warmup_kind(to_text(verdict->second)),
                        .more_steps = whole(schedule, "warmup_more"),
                        .change = number_of(schedule, "warmup_change").value_or(0)});
  }
  const schedule::WarmupVerdict all = schedule::agreed(verdicts);
  const std::string text = schedule::describe(all);
  if (text.empty()) return;
  const auto say_so = std::count_if(verdicts.begin(), verdicts.end(),
                                    [&](const auto& each) { return each.kind == all.kind; });
  notes.add(text + " (" + std::to_string(say_so) + " of " + std::to_string(verdicts.size()) +
                " launches)",
            row, document::Tone::kDoubt, {}, warmup_doubt(all));
}

// Beside rows with an interval, the rows that have none.
void add_few_launches(const estimate::CaseRow& row, Collector& notes) {
  if (row.spread != estimate::Spread::kRange) return;
  const std::string n = std::to_string(row.measured.size());
  notes.add("n=" + n + ": smallest and largest of " + n + " launches, too few for an interval",
            row);
}

// Of all cases; nothing where none had to wait.
std::optional<BusyWords> busy_note(const std::vector<estimate::CaseRow>& rows) {
  std::vector<estimate::BusyMachine> all;
  for (const estimate::CaseRow& row : rows) {
    if (const auto busy = estimate::busy_machine(row)) all.push_back(*busy);
  }
  if (all.empty()) return std::nullopt;
  return busy_words(all, all.size() == rows.size()
                             ? ""
                             : " (" + std::to_string(all.size()) + " of " +
                                   text::counted(std::ssize(rows), "case") + ")");
}

// The first step alone, where its launch says nothing worse.
void add_first_step(const record::LaunchReport& report, std::set<std::string>& texts) {
  using Kind = schedule::WarmupVerdict::Kind;
  const Kind kind = schedule::warmup_kind(text_of(report.schedule, "warmup_verdict"));
  if (kind == Kind::kTooShort || kind == Kind::kDrifting) return;
  if (std::ranges::find(report.flags, launch_flag::kFirstStepSlow) == report.flags.end()) return;
  texts.insert(schedule::describe({.kind = Kind::kOk, .first_step_slow = true}));
}

// Said with its size, or where launches agree.
bool is_said_else(std::string_view flag, bool waited_has_size) {
  if (flag == launch_flag::kWarmupTooShort || flag == launch_flag::kDrifting) return true;
  if (flag == launch_flag::kWaitedForCpu) return waited_has_size;
  return flag == launch_flag::kFirstStepSlow || record::fact_of_flag(flag) != nullptr;
}

void add_flags(const estimate::CaseRow& row, Collector& notes) {
  std::map<std::string, std::int64_t> flags;
  const std::vector<std::string> told = told_facts(row);
  std::set<std::string> texts(told.begin(), told.end());
  const bool of_all = estimate::busy_machine(row).has_value();
  const std::vector<estimate::BusyMachine> busy = estimate::busy_launches(row);
  if (!of_all && !busy.empty()) {  // too few for that
    const BusyWords words =
        busy_words(busy, " (in " + std::to_string(busy.size()) + " of " +
                             text::counted(std::ssize(row.measured), "launch") + ")");
    notes.add(words.text, row, document::Tone::kDoubt, {}, words.doubt);
  }
  for (const auto& [launch, estimate] : row.measured) {
    const record::LaunchReport& report = launch->row.report;
    for (const std::string& flag : report.flags) ++flags[flag];
    for (const std::string& note : report.notes) texts.insert(one_line(note));
    add_first_step(report, texts);
  }
  for (const auto& [flag, count] : flags) {
    if (is_said_else(flag, of_all || !busy.empty())) continue;
    const std::string_view meaning = launch_flag::meaning(flag);
    const std::string launches =
        "in " + std::to_string(count) + " of " + text::counted(std::ssize(row.measured), "launch");
    notes.add(
        meaning == flag ? "flag " + flag + ' ' + launches : launches + ' ' + std::string(meaning),
        row);
  }
  if (std::string words = not_watched_words(row); !words.empty()) notes.add(words, row);
  for (const std::string& text : texts) notes.add(text, row);
}

}  // namespace

void add_profile_notes(const std::vector<estimate::CaseRow>& profiled,
                       const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                       std::vector<document::Paragraph>& notes) {
  Collector found(rows, results);
  std::map<std::pair<std::string, std::string>, const estimate::CaseRow*> timed;
  for (const estimate::CaseRow& row : rows) {
    if (row.pass == Pass::kTiming) timed.emplace(std::pair(row.case_id, row.arm), &row);
  }
  for (const estimate::CaseRow& row : profiled) {
    const std::string pass(name_of(row.pass));
    for (const auto& [launch, estimate] : row.measured) {
      const auto& metrics = launch->row.report.metrics;
      const auto overhead = metrics.find("profile_overhead");
      if (overhead == metrics.end() || !overhead->second) continue;
      const auto alike = timed.find({row.case_id, row.arm});
      found.add(
          "profiled (" + pass + "), " +
              recording_cost(overhead->second, estimate::is_within_noise(
                                                   *overhead->second,
                                                   alike == timed.end() ? nullptr : alike->second)),
          row, document::Tone::kPlain);
    }
    const std::string what =
        estimate::counts_instructions(row) ? "counted (valgrind)" : "profiled (" + pass + ')';
    for (const record::Launch* launch : row.failed) {
      found.add(what + ": failed: " + estimate::reason_of(*launch), row, document::Tone::kBad);
    }
  }
  for (const estimate::CaseRow& row : profiled) add_flags(row, found);
  std::set<std::string> known;
  for (const document::Paragraph& note : notes) known.insert(note.text);
  for (document::Paragraph& note : found.take()) {
    if (known.insert(note.text).second) notes.push_back(std::move(note));
  }
}

std::vector<document::Paragraph> notes_of(const std::vector<estimate::CaseRow>& rows,
                                          const record::Results& results) {
  Collector notes(rows, results);
  for (const estimate::CaseRow& row : rows) add_failures(row, notes);
  for (const estimate::CaseRow& row : rows) add_warm_up(row, notes);
  const bool some_have_intervals = std::any_of(
      rows.begin(), rows.end(),
      [](const estimate::CaseRow& each) { return each.spread == estimate::Spread::kOverLaunches; });
  for (const estimate::CaseRow& row : rows) {
    if (some_have_intervals) add_few_launches(row, notes);
  }
  for (const estimate::CaseRow& row : rows) {
    for (const std::string& text : estimate_notes(row)) notes.add(text, row);
  }
  for (const estimate::CaseRow& row : rows) add_flags(row, notes);
  std::vector<document::Paragraph> paragraphs = notes.take();
  const auto add = [&](const std::string& text, document::Tone tone) {
    if (!text.empty()) paragraphs.push_back({text, tone});
  };
  if (auto busy = busy_note(rows)) {
    paragraphs.push_back(
        {.text = std::move(busy->text),
         .tone = document::Tone::kDoubt,
         .doubt = estimate::busiest(rows) ? std::move(busy->doubt) : std::string()});
  }
  add(epoch_gaps(rows), document::Tone::kPlain);
  add(scaled_threads(rows), document::Tone::kPlain);
  add(flagged_steps(rows), document::Tone::kPlain);
  for (const std::string& warning : results.warnings) {
    add("warning: " + warning, document::Tone::kDoubt);
  }
  return paragraphs;
}

std::string unseen_warmup(const estimate::CaseRow& row) {
  constexpr double kWorthSaying = 0.01;
  const auto effect = row.measured.empty() ? std::nullopt : estimate::warmup_effect(row);
  if (!effect || effect->told || effect->finds <= kWorthSaying) return {};
  const std::string less =
      effect->finds < 1 ? "one of less than " + text::percent_text(effect->finds) + " of the step"
                        : "even one as long as the step";
  return "no warm-up is seen in the windows; " + less + " would not stand out from how these " +
         text::counted(static_cast<std::int64_t>(effect->launches), "launch") + " differ";
}

}  // namespace stepbench::report
