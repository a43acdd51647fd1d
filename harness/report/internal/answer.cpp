// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/estimate/ranking.h"
#include "harness/record/quality.h"
#include "harness/report/internal/which_cases.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLaunchesForAnInterval = 6;

// "step 52.9 ms [52.6, 53.4]", "1,202 samples/s [1,195 to 1,209]"
std::string value_text(const estimate::CaseRow& row, estimate::Judged by) {
  const estimate::JudgedValue value = *estimate::judged_value(row, by);
  const auto in = [&](double scale, const std::string& before, std::string_view unit) {
    std::string text = formatted("{}{} {}", before, text::significant(value.centre / scale), unit);
    if (value.spread != estimate::Spread::kOverLaunches) return text;
    return text + ' ' +
           text::interval_text(value.interval.low / scale, value.interval.high / scale);
  };
  if (estimate::is_rate(by)) {
    const estimate::RateUnit unit = estimate::rate_unit(by);
    return in(unit.scale, "", unit.name);
  }
  const text::TimeUnit unit = text::unit_for({&value.centre, 1});
  return in(unit.ns, by == estimate::Judged::kLatency ? "latency p50 " : "step ", unit.name);
}

// The best row and those that tie with it.
std::vector<const estimate::CaseRow*> best_rows(const estimate::Ranking& ranking,
                                                const std::vector<estimate::CaseRow>& rows) {
  std::vector<const estimate::CaseRow*> best = {&rows[ranking.best]};
  for (const std::size_t i : ranking.ties) best.push_back(&rows[i]);
  return best;
}

std::size_t ranked(const std::vector<estimate::CaseRow>& rows) {
  return static_cast<std::size_t>(std::ranges::count_if(rows, estimate::can_be_ranked));
}

// "4 of 10 (*): all 4 with batch_size=16 num_workers=1 to 4; 162 samples/s [153, 172]", with the
// value of the fastest.
std::string tie_text(const estimate::Ranking& ranking, const std::vector<estimate::CaseRow>& rows,
                     const record::Results& results) {
  const std::vector<const estimate::CaseRow*> best = best_rows(ranking, rows);
  const WhichCases which(rows, results);
  const std::string names = which.name(best);
  const bool named = names != which.count(best.size());
  return formatted("{} of {} ({}): {}{}", best.size(), ranked(rows), kBestMark,
                   named ? names + "; " : formatted("the fastest {}, ", which.name(*best.front())),
                   value_text(*best.front(), ranking.by));
}

using ArgumentWords = std::vector<std::string>;

// A flag with its value, as one word or two; other words have no name.
struct Argument {
  std::string_view name;
  ArgumentWords words;
};

// Flags of `run` with values that a derived command keeps or drops; other flags are kept.
// tests/unit/shell checks them against the help of both commands.
struct KnownFlag {
  std::string_view name;
  bool in_ab;  // defines what is measured, also for `ab`; else where and how often
};
constexpr KnownFlag kKnownFlags[] = {
    {"--set", true},      {"--python", true},  {"--ranks", true}, {"--launches", false},
    {"--results", false}, {"--resume", false}, {"--sweep", false}};

// Null for unknown flags.
const KnownFlag* known_flag(std::string_view name) {
  const auto* const found = std::ranges::find(kKnownFlags, name, &KnownFlag::name);
  return found == std::end(kKnownFlags) ? nullptr : found;
}

// Arguments after `stepbench run`; everything from `--` on is in `script`.
struct Parsed {
  std::vector<Argument> arguments = {};
  ArgumentWords script = {};
};
Parsed parse(const ArgumentWords& argv) {
  Parsed parsed;
  for (std::size_t i = 2; i < argv.size(); ++i) {
    const std::string_view word = argv[i];
    if (word == "--") {
      parsed.script.assign(argv.begin() + static_cast<std::ptrdiff_t>(i), argv.end());
      break;
    }
    Argument& argument = parsed.arguments.emplace_back(
        Argument{word.starts_with('-') ? word.substr(0, word.find('=')) : "", {argv[i]}});
    if (known_flag(word) != nullptr && i + 1 < argv.size()) argument.words.push_back(argv[++i]);
  }
  return parsed;
}

bool is_a_run(const record::RunRow& run) { return run.argv.size() > 2 && run.argv[1] == "run"; }

std::string command_text(std::string_view command, const ArgumentWords& words,
                         const ArgumentWords& script) {
  std::string text = "stepbench " + std::string(command);
  for (const ArgumentWords* each : {&words, &script}) {
    for (const std::string& word : *each) text += ' ' + text::shell_word(word);
  }
  return text;
}

void append(ArgumentWords& words, const ArgumentWords& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// The same run with so many launches per case; empty if the run does not record its command.
std::string command_with_launches(const record::RunRow& run, std::size_t launches) {
  if (!is_a_run(run)) return {};
  const Parsed parsed = parse(run.argv);
  ArgumentWords words;
  for (const Argument& argument : parsed.arguments) {
    if (argument.name != "--launches" && argument.name != "--resume") append(words, argument.words);
  }
  append(words, {"--launches", std::to_string(launches)});
  return command_text("run", words, parsed.script);
}

// `ab` of two cases of the run. Empty if a sweep in the file distinguishes them, or if the command
// has flags that `ab` may lack.
std::string command_of_pair(const record::RunRow& run, const estimate::CaseRow& a,
                            const estimate::CaseRow& b) {
  if (!is_a_run(run)) return {};
  const Parsed parsed = parse(run.argv);
  ArgumentWords words;
  std::size_t swept = 0;
  for (const Argument& argument : parsed.arguments) {
    if (argument.name == "--sweep") ++swept;
    const KnownFlag* const known = known_flag(argument.name);
    if (known != nullptr && !known->in_ab) continue;
    if (!argument.name.empty() && known == nullptr) return {};
    append(words, argument.words);
  }
  if (swept == 0 || swept != run.swept.size()) return {};
  for (const std::string& option : run.swept) {
    const Value* in_a = a.option(option);
    const Value* in_b = b.option(option);
    if (in_a == nullptr || in_b == nullptr) return {};
    if (*in_a == *in_b) {
      append(words, {"--set", option + '=' + to_text(*in_a)});
    } else {
      append(words, {"--a-set", option + '=' + to_text(*in_a)});
      append(words, {"--b-set", option + '=' + to_text(*in_b)});
    }
  }
  return command_text("ab", words, parsed.script);
}

// Commands that help to distinguish cases that all tie.
std::string next_step_advice(const estimate::Ranking& ranking,
                             const std::vector<estimate::CaseRow>& rows,
                             const record::Results& results) {
  constexpr std::size_t kLaunches = 12;
  if (results.running || results.runs.size() != 1) return {};
  const record::RunRow& run = results.runs.front();
  const estimate::CaseRow& best = rows[ranking.best];
  const std::string more =
      command_with_launches(run, std::max(kLaunches, 2 * best.measured.size()));
  if (more.empty()) return {};
  std::string text = "; more launches tell smaller differences: " + more;
  if (ranking.by != estimate::Judged::kStep) return text;
  const std::string pair = command_of_pair(run, best, rows[ranking.next]);
  return pair.empty() ? text : formatted("{}; the fastest two alone: {}", text, pair);
}

std::string undecided_text(const estimate::CaseRow& best, const estimate::CaseRow& next) {
  const std::size_t launches = std::min(best.measured.size(), next.measured.size());
  if (launches >= kLaunchesForAnInterval) return "; no intervals to decide";
  return formatted("; too few launches to call it (n={}, {} needed)", launches,
                   kLaunchesForAnInterval);
}

// True if cases or launches of the plan may be missing.
bool is_partial(const std::vector<estimate::CaseRow>& rows, const record::Results& results) {
  return results.running || (results.end && results.end->reason == "interrupted") ||
         std::ranges::any_of(rows, [](const estimate::CaseRow& row) { return row.unfinished > 0; });
}

// "step 52.9 ms [52.6, 53.4], 302 samples/s; 17.0 % of it waits for data"
std::string values_text(const estimate::CaseRow& row, estimate::Judged by) {
  constexpr double kWorthSaying = 0.005;
  std::string text = value_text(row, by);
  if (!estimate::is_rate(by) && row.samples_per_s) {
    text += formatted(", {} samples/s", text::significant(*row.samples_per_s));
  }
  if (row.data_wait_share && *row.data_wait_share >= kWorthSaying) {
    text += formatted("; {} of it waits for data", text::percent_text(*row.data_wait_share));
  }
  return text;
}

std::string one_case_text(const estimate::CaseRow& row, estimate::Judged by) {
  const std::string text = values_text(row, by);
  if (row.spread == estimate::Spread::kOverLaunches) return text;
  return formatted("{}; {}, an interval takes {}", text,
                   text::counted(std::ssize(row.measured), "launch"), kLaunchesForAnInterval);
}

struct LaunchCounts {
  std::int64_t measured = 0;
  std::int64_t failed = 0;
};

LaunchCounts launch_counts(const std::vector<estimate::CaseRow>& rows) {
  LaunchCounts counts;
  for (const estimate::CaseRow& row : rows) {
    counts.measured += std::ssize(row.measured);
    counts.failed += std::ssize(row.failed);
  }
  return counts;
}

// "in 3 of 24 launches the GPU was slowed down", for facts without a note that quantifies them.
void add_flagged_launches(const std::vector<estimate::CaseRow>& rows, std::int64_t measured,
                          document::Answer& answer) {
  std::vector<std::string_view> flags;
  for (const record::FactRow& fact : record::facts()) {
    const bool doubtful = std::isfinite(fact.doubtful) && fact.fact != record::Fact::kWaited;
    if (!fact.flag.empty() && doubtful) flags.push_back(fact.flag);
  }
  flags.insert(flags.end(), {launch_flag::kTruncated, launch_flag::kClockTies});
  for (const std::string_view flag : flags) {
    std::int64_t launches = 0;
    for (const estimate::CaseRow& row : rows) {
      launches += std::ranges::count_if(row.measured, [&](const estimate::MeasuredLaunch& each) {
        return std::ranges::find(each.launch->row.report.flags, flag) !=
               each.launch->row.report.flags.end();
      });
    }
    if (launches == 0) continue;
    answer.doubts.push_back(formatted("in {} of {} {}", launches, text::counted(measured, "launch"),
                                      launch_flag::meaning(flag)));
  }
}

// Scripts of a sweep are programs of their own, whose samples may be anything.
bool ranks_scripts(const std::vector<estimate::CaseRow>& rows) {
  std::set<std::string> scripts;
  for (const estimate::CaseRow& row : rows) {
    const Value* script = row.option("script.path");
    if (script != nullptr && estimate::can_be_ranked(row)) scripts.insert(to_text(*script));
  }
  return scripts.size() > 1;
}

// Answer if cases cannot be ranked: one or none, arms, a smoke run, a mix of latencies and steps.
std::string unranked_text(const std::vector<estimate::CaseRow>& rows,
                          const record::Results& results) {
  const auto has_step = [](const estimate::CaseRow& row) { return row.step_ns.has_value(); };
  const auto skipped = std::ranges::count_if(rows, estimate::was_skipped);
  const auto measured = std::ranges::count_if(rows, has_step);
  if (measured == 0) {
    if (results.running) return "nothing is measured yet";
    for (const estimate::CaseRow& row : rows) {
      const auto& ended = row.failed.empty() ? row.skipped : row.failed;
      if (!ended.empty()) return "nothing was measured: " + estimate::reason_of(*ended.front());
    }
    return "nothing was measured";
  }
  if (std::ranges::all_of(rows, &estimate::CaseRow::smoke)) {
    const std::int64_t cases = std::ssize(rows) - skipped;
    return measured == cases
               ? (cases == 1 ? std::string("the case runs")
                             : formatted("all {} cases run", cases)) +
                     "; a smoke run compares nothing"
               : formatted("{} of {} did not run", cases - measured, text::counted(cases, "case"));
  }
  if (std::ranges::any_of(rows, [](const estimate::CaseRow& row) { return !row.arm.empty(); })) {
    return "two arms, measured in turns: `stepbench compare` gives their verdict";
  }
  const auto only = std::ranges::find_if(rows, has_step);
  const auto by = estimate::judged_by(rows);
  if (measured > 1 || !by || !estimate::judged_value(*only, *by)) return {};
  std::string text = one_case_text(*only, *by);
  if (const std::string straggler = straggler_of(*only, results); !straggler.empty()) {
    text += "; " + straggler.substr(0, straggler.find(':'));
  }
  if (rows.size() == 1) return text;
  return formatted("only {} was measured: {}", estimate::RowNames(rows, results).name(*only), text);
}

bool is_first_look(const record::Results& results) {
  return results.runs.size() == 1 && record::is_first_look(results.runs.front());
}

// Answer of a first look: too short to compare cases; a single case has its numbers.
std::string first_look_text(const std::vector<estimate::CaseRow>& rows,
                            const record::Results& results) {
  if (!rows.empty() && launch_counts(rows).measured == 0) return unranked_text(rows, results);
  std::string text;
  if (rows.size() == 1) {
    const estimate::CaseRow& only = rows.front();
    const auto by = only.latency_ns ? estimate::Judged::kLatency : estimate::Judged::kStep;
    if (estimate::judged_value(only, by)) text = values_text(only, by) + "; ";
  }
  return formatted(
      "{}a first look, not for comparison: two launches of short windows. To measure it: {}", text,
      text::join(record::command_of_measurement(results.runs.front()), " ", text::shell_word));
}

}  // namespace

std::string answer_line(const std::vector<estimate::CaseRow>& rows,
                        const record::Results& results) {
  if (is_first_look(results)) return first_look_text(rows, results);
  if (rows.empty()) return {};
  if (const auto headroom = headroom_lines(rows, results); !headroom.empty()) {
    return text::join(headroom, "; ");
  }
  const auto ranking = estimate::rank(rows);
  if (!ranking) return unranked_text(rows, results);
  const estimate::RowNames names(rows, results);
  const estimate::CaseRow& best = rows[ranking->best];
  const estimate::CaseRow& next = rows[ranking->next];
  const bool partial = is_partial(rows, results);
  if (ranking->all_tie) {
    const std::size_t cases = ranking->ties.size() + 1;
    return formatted(
        "{}{} overlap; fastest so far {}, {}{}", partial ? "no winner yet: " : "no winner: ",
        cases == 2 ? std::string("the two") : formatted("all {}", cases), names.name(best),
        value_text(best, ranking->by), partial ? "" : next_step_advice(*ranking, rows, results));
  }
  if (!ranking->ties.empty()) {
    return (partial ? "tie so far of " : "tie of ") + tie_text(*ranking, rows, results);
  }
  std::string text = !ranking->decided ? "fastest so far: " : partial ? "best so far: " : "best: ";
  text += names.name(best);
  if (ranking->decided) text += std::string(" (") + kBestMark + ')';
  text += ", " + value_text(best, ranking->by);
  const auto faster = estimate::speed_up(best, next, ranking->by);
  if (!faster) return text;
  text += formatted("; {}x as fast as the next ({})", text::significant(faster->value),
                    names.name(next));
  if (faster->interval) {
    text += ' ' + text::interval_text(faster->interval->low, faster->interval->high);
  }
  return ranking->decided ? text : text + undecided_text(best, next);
}

document::Answer run_answer(const std::vector<estimate::CaseRow>& rows,
                            const record::Results& results,
                            const std::vector<document::Paragraph>& notes) {
  document::Answer answer{.text = answer_line(rows, results)};
  if (answer.text.empty()) return answer;
  const LaunchCounts launches = launch_counts(rows);
  const auto ranking = estimate::rank(rows);
  if (ranking && ranking->decided && !ranking->all_tie) answer.tone = document::Tone::kGood;
  if (launches.measured == 0 && !results.running) answer.tone = document::Tone::kBad;
  if (launches.measured == 0) return answer;
  const bool smoke = std::ranges::all_of(rows, &estimate::CaseRow::smoke);
  if (smoke && !is_first_look(results)) return answer;
  if (launches.failed > 0) {
    answer.doubts.push_back(
        formatted("{} of {} failed", launches.failed,
                  text::counted(launches.measured + launches.failed, "launch")));
  }
  if (ranking && ranks_scripts(rows)) {
    answer.doubts.emplace_back("the cases run different scripts, which may not do the same work");
  }
  document::add_doubts(answer, notes);
  add_flagged_launches(rows, launches.measured, answer);
  return answer;
}

void add_answer(json::JsonText& json, const std::vector<estimate::CaseRow>& rows,
                const record::Results& results) {
  const auto ranking = estimate::rank(rows);
  if (!ranking) return;
  const estimate::CaseRow& best = rows[ranking->best];
  const estimate::CaseRow& next = rows[ranking->next];
  json.open_object("answer").text("metric", name_of(ranking->by));
  json.flag("decided", ranking->decided).flag("all_tie", ranking->all_tie);
  json.text("best", best.case_id)
      .number("value", estimate::judged_value(best, ranking->by)->centre);
  json.text("next", next.case_id);
  if (const auto faster = estimate::speed_up(best, next, ranking->by)) {
    json.number("times_as_fast", faster->value);
    if (faster->interval) {
      json.number("times_as_fast_low", faster->interval->low);
      json.number("times_as_fast_high", faster->interval->high);
    }
  }
  std::vector<std::string> tied;
  for (const std::size_t i : ranking->ties) tied.push_back(rows[i].case_id);
  json.texts("tied", tied).text("text", answer_line(rows, results)).close_object();
}

namespace {

using estimate::CaseRow;

constexpr std::size_t kLaunchesForBounds = 6;

// Bounds of the saving from the intervals of both cases; nullopt with too few launches.
struct SavingBounds {
  double least = 0;
  double most = 0;
};
std::optional<SavingBounds> saving_bounds(const CaseRow& both, const CaseRow& step) {
  if (both.spread != estimate::Spread::kOverLaunches ||
      step.spread != estimate::Spread::kOverLaunches) {
    return std::nullopt;
  }
  return SavingBounds{.least = both.interval_ns.low - step.interval_ns.high,
                      .most = both.interval_ns.high - step.interval_ns.low};
}

// Splits the saving into parts. Clamped so that they sum to it, since launches are noisy.
std::string headroom_parts(const CaseRow& both, const CaseRow& step) {
  if (!both.data_wait_share) return {};
  const auto waits_ns = [](const CaseRow& row) {
    return row.data_wait_share.value_or(0) * *row.step_ns;
  };
  const double saved_ns = *both.step_ns - *step.step_ns;
  const double waiting_ns = std::clamp(waits_ns(both) - waits_ns(step), 0.0, saved_ns);
  return formatted(": {} waiting, {} because the two share the machine", text::duration(waiting_ns),
                   text::duration(saved_ns - waiting_ns));
}

std::string three_numbers(const CaseRow& both, const CaseRow* loader, const CaseRow& step) {
  return formatted(
      "{}step alone {}, both {}",
      loader == nullptr ? "; " : formatted("; loader alone {}, ", text::duration(*loader->step_ns)),
      text::duration(*step.step_ns), text::duration(*both.step_ns));
}

std::string headroom_line(const CaseRow& both, const CaseRow& step) {
  const double saved = *both.step_ns - *step.step_ns;
  const std::optional<SavingBounds> known = saving_bounds(both, step);
  if (saved <= 0 || (known && known->least <= 0)) {
    std::string text = "a perfect loader would save nothing measurable with these launches";
    if (known && known->most > 0) {
      text += formatted(": at most {} ({})", text::duration(known->most),
                        text::percent_text(known->most / *both.step_ns));
    }
    return text;
  }
  std::string text =
      formatted("a perfect loader would save {} ({}){}", text::duration(saved),
                text::percent_text(saved / *both.step_ns), headroom_parts(both, step));
  if (known) {
    return formatted("{}; {} to {} in all", text, text::duration(known->least),
                     text::duration(known->most));
  }
  const std::size_t launches = std::min(both.measured.size(), step.measured.size());
  return formatted("{}; too few launches to call it (n={}, {} needed)", text, launches,
                   kLaunchesForBounds);
}

}  // namespace

std::vector<std::string> headroom_lines(const std::vector<CaseRow>& rows,
                                        const record::Results& results) {
  const estimate::StandaloneCases standalone(rows);
  std::vector<const CaseRow*> cases;
  for (const CaseRow& row : rows) {
    if (!estimate::is_standalone(row) && estimate::is_timed(row) &&
        standalone.find(row, "step") != nullptr) {
      cases.push_back(&row);
    }
  }
  const estimate::RowNames names(rows, results);
  std::vector<std::string> lines;
  for (const CaseRow* both : cases) {
    const CaseRow& step = *standalone.find(*both, "step");
    lines.push_back((cases.size() > 1 ? names.name(*both) + ": " : "") +
                    headroom_line(*both, step) +
                    three_numbers(*both, standalone.find(*both, "loader"), step));
  }
  return lines;
}

}  // namespace stepbench::report
