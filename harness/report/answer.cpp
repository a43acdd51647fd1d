// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answer.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "harness/base/launch_flags.h"
#include "harness/estimate/ranking.h"
#include "harness/record/quality.h"
#include "harness/report/headroom.h"
#include "harness/report/next_command.h"
#include "harness/report/rank_values.h"
#include "harness/report/which_cases.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kLaunchesForAnInterval = 6;

// "step 52.9 ms [52.6, 53.4]", "1,202 samples/s [1,195 to 1,209]"
std::string value_text(const estimate::CaseRow& row, estimate::Judged by) {
  const estimate::JudgedValue value = *estimate::judged_value(row, by);
  const auto in = [&](double scale, const std::string& before, std::string_view unit) {
    std::string text = before + text::significant(value.centre / scale) + ' ' + std::string(unit);
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
  return std::to_string(best.size()) + " of " + std::to_string(ranked(rows)) + " (" + kBestMark +
         "): " + (named ? names + "; " : "the fastest " + which.name(*best.front()) + ", ") +
         value_text(*best.front(), ranking.by);
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
  return pair.empty() ? text : text + "; the fastest two alone: " + pair;
}

std::string undecided_text(const estimate::CaseRow& best, const estimate::CaseRow& next) {
  const std::size_t launches = std::min(best.measured.size(), next.measured.size());
  if (launches >= kLaunchesForAnInterval) return "; no intervals to decide";
  return "; too few launches to call it (n=" + std::to_string(launches) + ", " +
         std::to_string(kLaunchesForAnInterval) + " needed)";
}

// True if cases or launches of the plan may be missing.
bool is_partial(const std::vector<estimate::CaseRow>& rows, const record::Results& results) {
  return results.running || (results.end && results.end->reason == "interrupted") ||
         std::any_of(rows.begin(), rows.end(),
                     [](const estimate::CaseRow& row) { return row.unfinished > 0; });
}

// "step 52.9 ms [52.6, 53.4], 302 samples/s; 17.0 % of it waits for data"
std::string values_text(const estimate::CaseRow& row, estimate::Judged by) {
  constexpr double kWorthSaying = 0.005;
  std::string text = value_text(row, by);
  if (!estimate::is_rate(by) && row.samples_per_s) {
    text += ", " + text::significant(*row.samples_per_s) + " samples/s";
  }
  if (row.data_wait_share && *row.data_wait_share >= kWorthSaying) {
    text += "; " + text::percent_text(*row.data_wait_share) + " of it waits for data";
  }
  return text;
}

std::string one_case_text(const estimate::CaseRow& row, estimate::Judged by) {
  const std::string text = values_text(row, by);
  if (row.spread == estimate::Spread::kOverLaunches) return text;
  return text + "; " + text::counted(std::ssize(row.measured), "launch") + ", an interval takes " +
         std::to_string(kLaunchesForAnInterval);
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
    if (!fact.flag.empty() && fact.fact != record::Fact::kWaited) flags.push_back(fact.flag);
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
    answer.doubts.push_back("in " + std::to_string(launches) + " of " +
                            text::counted(measured, "launch") + ' ' +
                            std::string(launch_flag::meaning(flag)));
  }
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
    return measured == cases ? (cases == 1 ? std::string("the case runs")
                                           : "all " + std::to_string(cases) + " cases run") +
                                   "; a smoke run compares nothing"
                             : std::to_string(cases - measured) + " of " +
                                   text::counted(cases, "case") + " did not run";
  }
  if (std::ranges::any_of(rows, [](const estimate::CaseRow& row) { return !row.arm.empty(); })) {
    return "two arms, measured in turns: `stepbench compare` gives their verdict";
  }
  const auto only = std::ranges::find_if(rows, has_step);
  const auto by = estimate::judged_by(rows);
  if (measured > 1 || !by || !estimate::judged_value(*only, *by)) return {};
  std::string text = one_case_text(*only, *by);
  if (const std::string straggler = straggler_of(*only, GroupLaunches(results));
      !straggler.empty()) {
    text += "; " + straggler.substr(0, straggler.find(':'));
  }
  if (rows.size() == 1) return text;
  return "only " + estimate::RowNames(rows, results).name(*only) + " was measured: " + text;
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
  return text + "a first look, not for comparison: two launches of short windows. To measure it: " +
         text::join(record::command_of_measurement(results.runs.front()), " ", text::shell_word);
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
    return (partial ? "no winner yet: " : "no winner: ") +
           (cases == 2 ? std::string("the two") : "all " + std::to_string(cases)) +
           " overlap; fastest so far " + names.name(best) + ", " + value_text(best, ranking->by) +
           (partial ? "" : next_step_advice(*ranking, rows, results));
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
  text +=
      "; " + text::significant(faster->value) + "x as fast as the next (" + names.name(next) + ')';
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
    answer.doubts.push_back(std::to_string(launches.failed) + " of " +
                            text::counted(launches.measured + launches.failed, "launch") +
                            " failed");
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
  json.open_object("answer").text("metric", column_of(ranking->by));
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

}  // namespace stepbench::report
