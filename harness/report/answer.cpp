// SPDX-License-Identifier: Apache-2.0
#include "harness/report/answer.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "harness/estimate/ranking.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kNamedTies = 3;
constexpr std::size_t kLaunchesForAnInterval = 6;

// "step 52.9 ms [52.6, 53.4]", "1,202 samples/s [1,195 to 1,209]"
std::string value_text(const estimate::CaseRow& row, estimate::Judged by) {
  const estimate::JudgedValue value = *estimate::judged_value(row, by);
  const text::TimeUnit unit =
      estimate::is_rate(by) ? text::TimeUnit{} : text::unit_for({&value.centre, 1});
  std::string text = text::significant(value.centre / unit.ns);
  if (by == estimate::Judged::kSamplesRate) text += " samples/s";
  if (by == estimate::Judged::kTokensRate) text += " tokens/s";
  if (!estimate::is_rate(by)) {
    text = (by == estimate::Judged::kLatency ? "latency p50 " : "step ") + text + ' ' +
           std::string(unit.name);
  }
  if (value.spread != estimate::Spread::kOverLaunches) return text;
  return text + ' ' +
         text::interval_text(value.interval.low / unit.ns, value.interval.high / unit.ns);
}

std::string ties_text(const estimate::Ranking& ranking, const std::vector<estimate::CaseRow>& rows,
                      const estimate::RowNames& names) {
  if (ranking.ties.size() == 1) return "; their intervals overlap: a tie";
  const auto first = std::span(ranking.ties).first(std::min(ranking.ties.size(), kNamedTies));
  std::string text = "; intervals overlap: a tie with " +
                     text::join(first, ", ", [&](std::size_t i) { return names.name(rows[i]); });
  const std::size_t more = ranking.ties.size() - first.size();
  return more == 0 ? text : text + " and " + std::to_string(more) + " more";
}

std::string undecided_text(const estimate::CaseRow& best, const estimate::CaseRow& next) {
  const std::size_t launches = std::min(best.measured.size(), next.measured.size());
  if (launches >= kLaunchesForAnInterval) return "; no intervals to call it by";
  return "; too few launches to call it (n=" + std::to_string(launches) + ", " +
         std::to_string(kLaunchesForAnInterval) + " needed)";
}

// Cases or launches may be missing that the plan has.
bool is_partial(const std::vector<estimate::CaseRow>& rows, const record::Results& results) {
  return results.running || (results.end && results.end->reason == "interrupted") ||
         std::any_of(rows.begin(), rows.end(),
                     [](const estimate::CaseRow& row) { return row.unfinished > 0; });
}

}  // namespace

std::string answer_line(const std::vector<estimate::CaseRow>& rows,
                        const record::Results& results) {
  if (results.runs.size() == 1 && record::is_first_look(results.runs.front())) {
    return "a first look, for no comparison: two launches of short windows. To measure it: " +
           text::join(record::command_of_measurement(results.runs.front()), " ", text::shell_word);
  }
  const auto ranking = estimate::rank(rows);
  if (!ranking) return {};
  const estimate::RowNames names(rows, results);
  const estimate::CaseRow& best = rows[ranking->best];
  const estimate::CaseRow& next = rows[ranking->next];
  if (ranking->all_tie) {
    return (is_partial(rows, results) ? "no best case so far: " : "no best case: ") +
           (ranking->ties.size() == 1
                ? std::string("the two tie")
                : "all " + std::to_string(ranking->ties.size() + 1) + " tie") +
           ", their intervals overlap that of the fastest, " + names.name(best) + ", " +
           value_text(best, ranking->by);
  }
  std::string text = !ranking->decided           ? "fastest so far: "
                     : is_partial(rows, results) ? "best so far: "
                                                 : "best: ";
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
  if (!ranking->decided) return text + undecided_text(best, next);
  return ranking->ties.empty() ? text : text + ties_text(*ranking, rows, names);
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
