// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/notes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/base/value.h"
#include "harness/estimate/noise.h"
#include "harness/record/quality.h"
#include "harness/report/internal/number_ranges.h"
#include "harness/report/internal/which_cases.h"
#include "harness/report/result_tables.h"
#include "harness/schedule/schedule.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// Leaves out what differs from process to process: ids, addresses, temporary files.
std::string without_names_of_processes(std::string_view text) {
  constexpr std::array<std::string_view, 3> kBefore = {"0x", "pid ", "/tmp/tmp"};
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  std::string rest;
  while (!text.empty()) {
    const auto before = std::ranges::find_if(
        kBefore, [&](std::string_view each) { return text.starts_with(each); });
    if (before == kBefore.end()) {
      rest += text.front();
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(before->size());
    text.remove_prefix(std::min(text.find_first_not_of(kLetters), text.size()));
  }
  return rest;
}

// Collects notes in order of first appearance, each with its cases. Notes that differ only in
// numbers are merged.
class Collector {
 public:
  Collector(const std::vector<estimate::CaseRow>& rows, const record::Results& results)
      : which_(rows, results) {}

  // `doubt`: see document::Paragraph.
  void add(const std::string& text, const estimate::CaseRow& row,
           document::Tone tone = document::Tone::kDoubt, const std::string& doubt = {}) {
    add_to(note_like(text, tone), text, row, doubt);
  }

  // Failures keep the text of the first, with its command below: numbers in error messages are
  // seldom amounts.
  void add_failure(const std::string& text, const estimate::CaseRow& row, std::int64_t launches,
                   const std::string& command) {
    Note& note = note_like(without_names_of_processes(text), document::Tone::kBad);
    if (note.texts.empty()) note.command = command;
    note.launches += launches;
    add_to(note, text, row, {});
  }

  [[nodiscard]] std::vector<document::Paragraph> take() const {
    std::vector<document::Paragraph> paragraphs;
    for (const Note& note : notes_) {
      const std::string cases = which_.count(note.cases.size());
      document::Paragraph& paragraph = paragraphs.emplace_back(
          document::Paragraph{words_of(note) + about(note.cases), note.tone});
      if (!note.doubts.empty()) {
        paragraph.doubt = alike(note.doubts) + (cases.empty() ? "" : " (" + cases + ')');
      }
      if (!note.command.empty()) paragraph.below.emplace_back("repeat: " + note.command, true);
    }
    return paragraphs;
  }

 private:
  struct Note {
    document::Tone tone;
    std::vector<std::string> texts = {};  // distinct texts
    std::set<std::string> known = {};     // `texts` as a set
    std::vector<std::string> doubts = {};
    std::vector<const estimate::CaseRow*> cases = {};
    std::set<std::string> names = {};  // names of the cases
    std::int64_t launches = 0;         // number of failed launches
    std::string command = {};
  };

  Note& note_like(const std::string& text, document::Tone tone) {
    const auto [place, is_new] = places_.emplace(without_amounts(text), notes_.size());
    if (is_new) notes_.push_back({.tone = tone});
    return notes_[place->second];
  }

  void add_to(Note& note, const std::string& text, const estimate::CaseRow& row,
              const std::string& doubt) {
    if (note.known.insert(text).second) note.texts.push_back(text);
    if (!doubt.empty()) note.doubts.push_back(doubt);
    if (note.names.insert(which_.name(row)).second) note.cases.push_back(&row);
  }

  // Texts of another shape are represented by the first.
  static std::string alike(std::vector<std::string> texts) {
    const std::string shape = without_amounts(texts.front());
    std::erase_if(texts, [&](const std::string& each) { return without_amounts(each) != shape; });
    return with_ranges(texts);
  }

  static std::string words_of(const Note& note) {
    if (note.launches == 0) return with_ranges(note.texts);
    std::string text = note.texts.front();
    const bool several = std::size_t(note.launches) > note.cases.size();
    if (note.texts.size() > 1) text += "; others alike, with other numbers";
    return several ? formatted("{} ({})", text, text::counted(note.launches, "launch")) : text;
  }

  [[nodiscard]] std::string about(const std::vector<const estimate::CaseRow*>& cases) const {
    const std::string all = which_.count(cases.size());
    if (all.empty()) return {};
    return " (" + (all == "all cases" ? all : which_.name(cases)) + ')';
  }

  WhichCases which_;
  std::vector<Note> notes_;
  std::map<std::string, std::size_t> places_ = {};  // by text without amounts
};

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void add_failures(const estimate::CaseRow& row, Collector& notes) {
  for (const record::Launch* launch : row.failed) {
    std::string text = "failed: " + estimate::reason_of(*launch);
    if (!launch->row.stage.empty()) text += ", in " + launch->row.stage;
    notes.add_failure(text, row, 1, launch->row.repeat_command);
  }
  for (const record::Launch* launch : row.skipped)
    notes.add("skipped: " + estimate::reason_of(*launch), row);
  for (const int launch : row.running) {
    const auto launches = number_of(row.options(), "launches");
    notes.add(formatted("running now: launch {}{}", launch + 1,
                        launches ? " of " + text::short_number(*launches) : ""),
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
  std::string text =
      formatted("warm-up is {} % [{}, {}] of this step, over {}; drop {}",
                text::signed_percent(effect.change), text::signed_percent(effect.interval.low),
                text::signed_percent(effect.interval.high),
                text::counted(effect.launches, "launch"), text::counted(effect.drop, "step"));
  if (const auto warmup = number_of(row.options(), "schedule.warmup")) {
    text += formatted(" (schedule.warmup: {})", std::llround(*warmup) + effect.drop);
  }
  return text;
}

std::string warmup_doubt(const schedule::WarmupVerdict& verdict) {
  switch (verdict.kind) {
    case schedule::WarmupVerdict::Kind::kTooShort:
      return "warm-up too short by at least " + text::counted(verdict.more_steps, "step");
    case schedule::WarmupVerdict::Kind::kDrifting:
      return formatted("steps became {} slower within the window",
                       text::percent_text(verdict.change));
    case schedule::WarmupVerdict::Kind::kOk:
    case schedule::WarmupVerdict::Kind::kUnknown:
      break;
  }
  return {};
}

// Prefers the effect on the step, if the launches show one. Otherwise reports what more than half
// of the launches say, since a single launch may have been disturbed.
void add_warm_up(const estimate::CaseRow& row, Collector& notes) {
  if (const auto effect = estimate::warmup_effect(row); effect && effect->reported) {
    notes.add(warmup_text(*effect, row), row, document::Tone::kDoubt,
              formatted("warm-up is {} % of the step", text::signed_percent(effect->change)));
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
  const auto agreeing =
      std::ranges::count_if(verdicts, [&](const auto& each) { return each.kind == all.kind; });
  notes.add(formatted("{} ({} of {} launches)", text, agreeing, verdicts.size()), row,
            document::Tone::kDoubt, warmup_doubt(all));
}

// Marks rows without an interval among rows with one.
void add_few_launches(const estimate::CaseRow& row, Collector& notes) {
  if (row.spread != estimate::Spread::kRange) return;
  const std::string n = std::to_string(row.measured.size());
  notes.add(formatted("n={}: smallest and largest of {} launches, too few for an interval", n, n),
            row);
}

// Over all cases: medians of cases that had to wait, and single launches of the others. nullopt if
// none had to wait.
std::optional<BusyWords> busy_note(const std::vector<estimate::CaseRow>& rows) {
  std::vector<estimate::BusyMachine> all;
  std::int64_t launches = 0;
  std::int64_t measured = 0;  // launches of cases without a median
  for (const estimate::CaseRow& row : rows) {
    if (const auto busy = estimate::busy_machine(row)) {
      all.push_back(*busy);
      continue;
    }
    const std::vector<estimate::BusyMachine> few = estimate::busy_launches(row);
    all.insert(all.end(), few.begin(), few.end());
    launches += std::ssize(few);
    measured += std::ssize(row.measured);
  }
  if (all.empty()) return std::nullopt;
  const record::FactRow& fact = record::row_of(record::Fact::kWaited);
  const bool doubtful = std::ranges::any_of(all, [&](const estimate::BusyMachine& busy) {
    return fact.level(busy.waited) >= record::FactLevel::kDoubtful;
  });
  const std::int64_t cases = std::ssize(all) - launches;
  std::vector<std::string> where;
  if (cases > 0 && cases < std::ssize(rows)) {
    where.push_back(formatted("{} of {}", cases, text::counted(std::ssize(rows), "case")));
  }
  if (launches > 0) {
    where.push_back(formatted("{}{} of {}", cases > 0 ? "" : "in ", launches,
                              text::counted(measured, cases > 0 ? "other launch" : "launch")));
  }
  BusyWords words = busy_words(all, where.empty() ? "" : " (" + text::join(where) + ')');
  if (!doubtful) words.doubt.clear();
  return words;
}

// Reports a slow first step unless the launch has a worse verdict.
void add_first_step(const record::LaunchReport& report, std::set<std::string>& texts) {
  using Kind = schedule::WarmupVerdict::Kind;
  const Kind kind = schedule::warmup_kind(text_of(report.schedule, "warmup_verdict"));
  if (kind == Kind::kTooShort || kind == Kind::kDrifting) return;
  if (std::ranges::find(report.flags, launch_flag::kFirstStepSlow) == report.flags.end()) return;
  texts.insert(schedule::describe({.kind = Kind::kOk, .first_step_slow = true}));
}

// True for flags that are reported elsewhere, with a size or if launches agree.
bool has_note_of_its_own(std::string_view flag, bool waited_has_size) {
  if (flag == launch_flag::kWarmupTooShort || flag == launch_flag::kDrifting) return true;
  if (flag == launch_flag::kWaitedForCpu) return waited_has_size;
  return flag == launch_flag::kFirstStepSlow || record::fact_of_flag(flag) != nullptr;
}

void add_flags(const estimate::CaseRow& row, Collector& notes) {
  std::map<std::string, std::int64_t> flags;
  const std::vector<std::string> reported = reported_facts(row);
  std::set<std::string> texts(reported.begin(), reported.end());
  const bool waited_has_size = !estimate::busy_launches(row).empty();
  for (const auto& [launch, estimate] : row.measured) {
    const record::LaunchReport& report = launch->row.report;
    for (const std::string& flag : report.flags) ++flags[flag];
    for (const std::string& note : report.notes) texts.insert(one_line(note));
    add_first_step(report, texts);
  }
  for (const auto& [flag, count] : flags) {
    if (has_note_of_its_own(flag, waited_has_size)) continue;
    const std::string_view meaning = launch_flag::meaning(flag);
    const std::string launches =
        formatted("in {} of {}", count, text::counted(std::ssize(row.measured), "launch"));
    notes.add(meaning == flag ? formatted("flag {} {}", flag, launches)
                              : launches + ' ' + std::string(meaning),
              row);
  }
  if (std::string words = not_watched_words(row); !words.empty()) notes.add(words, row);
  for (const std::string& text : texts) notes.add(text, row);
}

constexpr double kMargin = 0.01;      // between mean and median over launches
constexpr double kHostBehind = 0.02;  // of the step: by so much the host was faster than the device

using Lines = std::vector<std::string>;

void add_clock(const estimate::CaseRow& row, Lines& lines) {
  const auto timed = std::ranges::count_if(
      row.measured, [](const auto& each) { return each.estimate.device_ns.has_value(); });
  if (row.clock == estimate::StepClock::kDrained && timed > 0) {
    lines.emplace_back(
        "some launches have no device times: theirs are by the host's clock, from idle device to "
        "idle device");
  } else if (row.clock == estimate::StepClock::kDrained) {
    lines.emplace_back(
        "no device times: `step` is by the host's clock, until the device had done the window's "
        "work");
  }
  if (row.clock != estimate::StepClock::kDevice ||
      !(*row.step_host_ns < *row.step_ns * (1 - kHostBehind))) {
    return;
  }
  std::string text = "the host ran ahead of the device";
  if (row.host_lead_ns)
    text += " by " + text::significant(*row.host_lead_ns / *row.step_ns, 2) + " steps";
  lines.push_back(text + ": its phases are the cost of launching the work");
}

void add_rare_slow_steps(const estimate::CaseRow& row, Lines& lines) {
  const auto rare = estimate::rare_slow_steps(row, kMargin);
  if (!rare) return;
  lines.push_back(
      formatted("rare slow steps: {} of {} are longer than any of a usual launch; with them a step "
                "takes {} % more; active: {} would hold about ten",
                text::with_separators(rare->slow), text::with_separators(rare->steps),
                text::percent(rare->difference), rare->active));
}

void add_file_version(const estimate::CaseRow& row, Lines& lines) {
  const auto any = [&](bool estimate::LaunchEstimate::*member) {
    return std::ranges::any_of(
        row.measured, [&](const estimate::MeasuredLaunch& each) { return each.estimate.*member; });
  };
  if (any(&estimate::LaunchEstimate::uneven)) {
    lines.emplace_back(
        "uneven: from a file before version 1.3, without whole epochs in its windows; steps and "
        "rates depend on where a window lies");
  }
  if (any(&estimate::LaunchEstimate::no_rates)) {
    lines.emplace_back("no rates: unknown when the device finished the window's work");
  }
}

void add_queue_level(const estimate::CaseRow& row, Lines& lines) {
  const auto level = estimate::uneven_queue(row);
  if (!level) return;
  const std::int64_t batches = std::llround(std::abs(level->gained));
  lines.push_back(
      formatted("the loader's queue was not level: {} were ready at the window's end than at its "
                "start; steady state takes {} to {} a step; {}{} it out",
                text::counted(batches, level->gained < 0 ? "fewer batch" : "more batch"),
                text::duration(level->low_ns), text::duration(level->high_ns),
                text::counted(level->more_warmup, "more warm-up step"),
                level->more_warmup == 1 ? " evens" : " even"));
}

std::vector<std::string> estimate_notes(const estimate::CaseRow& row) {
  Lines lines;
  if (row.measured.empty()) return lines;
  add_clock(row, lines);
  add_file_version(row, lines);
  if (row.smoke) return lines;
  add_rare_slow_steps(row, lines);
  add_queue_level(row, lines);
  if (row.mfu_refused) {
    lines.emplace_back(
        "MFU above 100 % left out: the device's peak or the count of operations is wrong");
  }
  return lines;
}

// One line for the whole table, as the next two; empty if there is nothing to note.
std::string flagged_steps(const std::vector<estimate::CaseRow>& rows) {
  std::int64_t steps = 0;
  std::vector<estimate::FlaggedSteps> sums;
  for (const estimate::CaseRow& row : rows) {
    for (const auto& [launch, estimate] : row.measured) {
      steps += estimate.steps;
      for (const estimate::FlaggedSteps& flagged : estimate.flagged) {
        auto found = std::ranges::find_if(
            sums, [&](const estimate::FlaggedSteps& sum) { return sum.flag == flagged.flag; });
        if (found == sums.end()) found = sums.insert(sums.end(), {flagged.flag, 0});
        found->steps += flagged.steps;
      }
    }
  }
  if (sums.empty()) return {};
  const std::string kinds = text::join(sums, ", ", [](const estimate::FlaggedSteps& sum) {
    return std::string(sum.flag) + ' ' + text::with_separators(sum.steps);
  });
  return formatted("steps with a flag, all of them part of the numbers: {} (of {} steps)", kinds,
                   text::with_separators(steps));
}

std::string epoch_gaps(const std::vector<estimate::CaseRow>& rows) {
  const auto range = [&](std::optional<double> estimate::CaseRow::*member) {
    std::vector<double> values;
    for (const estimate::CaseRow& row : rows) {
      if (row.*member && *(row.*member) > 0) values.push_back(*(row.*member));
    }
    if (values.empty()) return std::string();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::string least = text::duration(*low);
    const std::string most = text::duration(*high);
    return least == most ? least : least + " to " + most;
  };
  const std::string gap = range(&estimate::CaseRow::epoch_gap_ns);
  if (gap.empty()) {
    const bool borders = std::ranges::any_of(
        rows, [](const estimate::CaseRow& row) { return row.epoch_gap_ns.has_value(); });
    return borders ? "epoch gap: steps at epoch borders wait no longer than others" : "";
  }
  return formatted("epoch gap: {} at each border, {} spread over the steps; part of `step`", gap,
                   range(&estimate::CaseRow::epoch_gap_per_step_ns));
}

// For process groups whose `scaling` compares them with a process with another number of threads.
std::string scaled_threads(const std::vector<estimate::CaseRow>& rows) {
  std::set<std::int64_t> of_single;
  std::set<std::int64_t> of_ranks;
  for (const estimate::CaseRow& row : rows) {
    if (!row.scaling_efficiency) continue;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      const auto threads = number_of(each.launch->row.report.effective, "threads.intra_op");
      if (!threads) continue;
      (each.launch->row.world > 1 ? of_ranks : of_single)
          .insert(static_cast<std::int64_t>(*threads));
    }
  }
  if (of_single.empty() || of_ranks.empty() || of_single == of_ranks) return {};
  const auto words = [](const std::set<std::int64_t>& counts) {
    return text::join(counts, " or ", [](std::int64_t count) { return std::to_string(count); });
  };
  return formatted(
      "scaling: one rank computed with {} threads, each of several with {}: set threads.intra_op "
      "to use the same number for all",
      words(of_single), words(of_ranks));
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
      found.add(formatted("profiled ({}), {}", pass,
                          recording_cost(overhead->second,
                                         estimate::is_within_noise(
                                             *overhead->second,
                                             alike == timed.end() ? nullptr : alike->second))),
                row, document::Tone::kPlain);
    }
    const std::string what = estimate::counts_instructions(row) ? "counted (valgrind)"
                                                                : formatted("profiled ({})", pass);
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
  const bool some_have_intervals = std::ranges::any_of(rows, [](const estimate::CaseRow& each) {
    return each.spread == estimate::Spread::kOverLaunches;
  });
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
    paragraphs.push_back({.text = std::move(busy->text),
                          .tone = document::Tone::kDoubt,
                          .doubt = std::move(busy->doubt)});
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
  if (!effect || effect->reported || effect->finds <= kWorthSaying) return {};
  const std::string less = effect->finds < 1 ? formatted("one of less than {} of the step",
                                                         text::percent_text(effect->finds))
                                             : "even one as long as the step";
  return formatted(
      "no warm-up is visible in the windows; {} would be hidden by the differences of these {}",
      less, text::counted(effect->launches, "launch"));
}

}  // namespace stepbench::report
