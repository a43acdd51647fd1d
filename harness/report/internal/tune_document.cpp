// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/internal/notes.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/tune/tune_plan.h"

namespace stepbench::report {
namespace {

using tune::PointStatus;
using tune::Scored;
using tune::TuneAnswer;
using tune::TunedPoint;
using tune::TuneRun;

constexpr std::size_t kShownPoints = 20;
constexpr std::size_t kShownReasons = 3;

std::string objective_text(const TuneRun& run, double value) {
  if (run.objective.unit == "ns") return text::duration(value);
  return text::significant(value) + (run.objective.unit.empty() ? "" : ' ' + run.objective.unit);
}

std::string points_text(std::size_t count) { return text::counted(count, "point"); }

// "step -22.0 % [-23.1, -20.8] (97.4 ms -> 76.0 ms)"
std::string confirmed_change(const TuneRun& run) {
  const verdict::TestResult& test = run.confirmed->test;
  std::string text = run.objective.name;
  if (!test.change) return text + " not known";
  text += ' ' + change_text(test);
  if (std::isfinite(test.interval.high)) text += ' ' + interval_text_of(test);
  return formatted("{} ({} -> {})", text, objective_text(run, test.base_median),
                   objective_text(run, test.candidate_median));
}

std::string fresh_pairs(const TuneRun& run) { return text::counted(run.pairs, "fresh pair"); }

std::string nothing_measured_reason(const TuneRun& run) {
  for (const TunedPoint& point : run.points) {
    if (!point.state.reason.empty()) return ": " + point.state.reason;
  }
  return {};
}

std::string tune_answer(const TuneRun& run) {
  if (run.answer == TuneAnswer::kNothing)
    return "nothing could be measured" + nothing_measured_reason(run);
  const std::string best = run.winner()->label;
  switch (run.answer) {
    case TuneAnswer::kBetter:
      return formatted("best: {}: {} against the file's own settings, confirmed by {}", best,
                       confirmed_change(run), fresh_pairs(run));
    case TuneAnswer::kOwnIsBest:
      if (!run.confirmed) {
        return formatted("the file's own settings came out best of {}: {}",
                         points_text(run.points.size()), best);
      }
      if (run.confirmed->test.verdict == verdict::Verdict::kOk) {
        return formatted(
            "the file's own settings are as good as the best that was found, {}: {} by {}", best,
            confirmed_change(run), fresh_pairs(run));
      }
      return formatted(
          "the file's own settings are better than what the search found, {}: {} by {}", best,
          confirmed_change(run), fresh_pairs(run));
    case TuneAnswer::kNotConfirmed:
      return formatted("best: {}, not confirmed{}", best,
                       run.why_not_confirmed.empty() ? "" : ": " + run.why_not_confirmed);
    default:
      if (!run.why_invalid.empty()) {
        return formatted(
            "not decided: {} came out best, and by {} {} against the file's own settings, but {}",
            best, fresh_pairs(run), confirmed_change(run), run.why_invalid.front());
      }
      return formatted(
          "not decided: {} came out best, but {} cannot separate it from the file's own settings: "
          "{}",
          best, fresh_pairs(run), confirmed_change(run));
  }
}

// Costs and savings of a point relative to the winner: "+3.1 %, -40 MiB, -0.4 CPU s per 1,000
// samples".
std::string relative_to_winner(const TuneRun& run, const TunedPoint& point, double behind) {
  const tune::PointState& ours = point.state;
  const tune::PointState& best = run.winner()->state;
  std::string text = text::signed_percent(std::expm1(behind)) + " %";
  if (ours.memory_bytes > 0 && best.memory_bytes > 0) {
    const double more = ours.memory_bytes - best.memory_bytes;
    text += std::string(more < 0 ? ", -" : ", +") + text::byte_text(std::abs(more));
  }
  if (ours.cpu_s_per_1k_samples && best.cpu_s_per_1k_samples) {
    const double more = *ours.cpu_s_per_1k_samples - *best.cpu_s_per_1k_samples;
    text += formatted("{}{} CPU s per 1,000 samples", more < 0 ? ", -" : ", +",
                      text::significant(std::abs(more), 2));
  }
  return text;
}

void add_rivals(const TuneRun& run, std::vector<document::Line>& lines) {
  const double best = run.standing.front().score;
  std::string equally_good;
  std::string cheaper;
  for (std::size_t i = 1; i < run.standing.size(); ++i) {
    const Scored& each = run.standing[i];
    const TunedPoint& point = run.points[each.point];
    const double behind = each.score - best;
    if (behind <= std::log1p(run.margin)) {
      equally_good += formatted("{}{} ({})", equally_good.empty() ? "" : "; ", point.label,
                                relative_to_winner(run, point, behind));
    } else if (std::ranges::count(run.front, each.point) > 0) {
      cheaper += formatted("{}{} ({})", cheaper.empty() ? "" : "; ", point.label,
                           relative_to_winner(run, point, behind));
    }
  }
  const std::string margin = text::percent_text(run.margin);
  if (!equally_good.empty()) lines.emplace_back(formatted("within {}: {}", margin, equally_good));
  if (!cheaper.empty()) lines.emplace_back("slower, but saves: " + cheaper);
}

void add_bound(const TuneRun& run, std::vector<document::Line>& lines) {
  if (!run.bound) return;
  const std::size_t measured = run.bound->points;
  const std::string of_all =
      measured == run.points.size() ? "" : formatted(" of {}", run.points.size());
  lines.emplace_back(
      formatted("the best of the {}{} points that were measured is better than this one by at most "
                "{} ({} confidence), if a point's first launch is like its later ones",
                measured, of_all, text::percent_text(run.bound->regret),
                text::percent_text(tune::kBoundConfidence)));
}

void add_left_out(const TuneRun& run, std::vector<document::Line>& lines) {
  std::map<std::pair<PointStatus, std::string>, std::vector<std::string>> by_reason;
  for (const TunedPoint& point : run.points) {
    if (point.state.status == PointStatus::kMeasured) continue;
    by_reason[{point.state.status, point.state.reason}].push_back(point.label);
  }
  std::size_t shown = 0;
  for (const auto& [key, labels] : by_reason) {
    if (++shown > kShownReasons) {
      lines.emplace_back("and more that could not be measured: see tuning.json");
      break;
    }
    const std::string what = key.first == PointStatus::kNotTried     ? "not tried: "
                             : key.first == PointStatus::kSkipped    ? "skipped: "
                             : key.first == PointStatus::kOverMemory ? "over the limit: "
                                                                     : "failed: ";
    lines.emplace_back(formatted("{}{} ({}{}): {}", what, points_text(labels.size()),
                                 labels.front(), labels.size() > 1 ? ", ..." : "", key.second));
  }
}

std::string spent_text(const TuneRun& run) {
  std::string text = "spent " + text::rough_duration(run.search_s + run.confirm_s);
  if (run.confirm_s > 0) {
    text += formatted(" ({} to search, {} to confirm)", text::rough_duration(run.search_s),
                      text::rough_duration(run.confirm_s));
  }
  if (run.allowance.seconds) text += " of " + text::rough_duration(*run.allowance.seconds);
  if (run.sweep_s > 0) {
    text += "; six launches of every point would take " + text::rough_duration(run.sweep_s);
  }
  return text;
}

std::string rungs_text(const TuneRun& run) {
  std::string text = formatted("{}: {} thrown away", points_text(run.points.size()),
                               text::counted(run.discarded, "launch"));
  for (const tune::Rung& rung : run.rungs) {
    if (rung.rounds == 0) continue;
    text += formatted(", then {} x {}", rung.points.size(), rung.rounds);
  }
  if (run.stopped) text += "; the budget ended the search early";
  return text;
}

std::vector<document::Line> below_answer(const TuneRun& run) {
  std::vector<document::Line> lines;
  if (!run.why_invalid.empty()) {
    lines.emplace_back(
        formatted("on a quieter machine the same command decides; --resume {} with --allow and "
                  "what `ab` calls it judges these launches as they are",
                  text::shell_word(run.folder.string())));
  } else if (run.answer == TuneAnswer::kUndecided && run.confirmed->test.pairs_needed) {
    const std::size_t needed = *run.confirmed->test.pairs_needed;
    lines.emplace_back(formatted("about {} pairs would decide", needed > 400
                                                                    ? std::string("more than 400")
                                                                    : std::to_string(needed)));
  }
  if (!run.standing.empty()) {
    add_rivals(run, lines);
    add_bound(run, lines);
  }
  lines.emplace_back(rungs_text(run));
  lines.emplace_back(spent_text(run));
  add_left_out(run, lines);
  if (run.changes_work) {
    const std::string by_work =
        run.objective.name == tune::kWorkRate ? ", and are judged by samples per second" : "";
    lines.emplace_back(
        formatted("the options change the computation, not only its speed{}: check that the "
                  "training still learns",
                  by_work));
  }
  if (!run.confirm_command.empty() && !run.confirmed) lines.emplace_back(run.confirm_command, true);
  if (run.answer != TuneAnswer::kBetter && run.answer != TuneAnswer::kNotConfirmed) return lines;
  std::string sets;
  for (const std::string& change : run.changes) {
    sets += (sets.empty() ? "" : " ") + ("--set " + text::shell_word(change));
  }
  if (!sets.empty()) lines.emplace_back(sets, true);
  if (!run.tuned_file.empty()) {
    lines.emplace_back("stepbench run " + text::shell_word(run.tuned_file.string()), true);
  }
  return lines;
}

// Points that reached the highest rung first, best first within a rung.
std::vector<std::size_t> in_order(const TuneRun& run) {
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t point) {
    if (std::ranges::count(order, point) == 0) order.push_back(point);
  };
  for (const Scored& each : run.standing) add(each.point);
  for (std::size_t i = run.rungs.size(); i-- > 0;) {
    for (const std::size_t point : run.rungs[i].survivors) add(point);
    std::vector<std::size_t> others = run.rungs[i].points;
    const bool higher = run.objective.direction == Direction::kHigherIsBetter;
    std::ranges::stable_sort(others, {}, [&](std::size_t point) {
      const double value = run.points[point].value.value_or(higher ? 0 : HUGE_VAL);
      return higher ? -value : value;
    });
    for (const std::size_t point : others) add(point);
    if (order.size() > kShownPoints) break;
  }
  add(run.own);
  for (std::size_t point = 0; point < run.points.size(); ++point) add(point);
  return order;
}

document::Cell value_cell(const TuneRun& run, const std::optional<double>& value) {
  return run.objective.unit == "ns" ? document::duration(value) : document::number(value);
}

bool is_known(const TuneRun& run) {
  return run.answer == TuneAnswer::kBetter || run.answer == TuneAnswer::kOwnIsBest;
}

std::string state_of(const TuneRun& run, std::size_t place, bool is_behind) {
  const TunedPoint& point = run.points[place];
  if (point.state.status != PointStatus::kMeasured) {
    return std::string(name_of(point.state.status));
  }
  if (!run.standing.empty() && place == run.standing.front().point) return "best";
  return is_behind ? "" : formatted("in rung {}", point.last_rung);
}

document::Table points_table(const TuneRun& run) {
  std::map<std::size_t, double> behind;
  for (const Scored& each : run.standing) {
    behind[each.point] = std::expm1(each.score - run.standing.front().score);
  }
  std::vector<std::size_t> places = in_order(run);
  std::size_t shown = 0;
  std::erase_if(places,
                [&](std::size_t place) { return shown++ >= kShownPoints && place != run.own; });
  const auto state = [&](std::size_t place) -> const tune::PointState& {
    return run.points[place].state;
  };
  return document::project<std::size_t>(
      places,
      {{{.head = "point", .left = true, .shrink_at = 3, .shrink_to = 24},
        [&](std::size_t place) {
          return run.points[place].label + (place == run.own ? " (own settings)" : "");
        }},
       {{.head = run.objective.name},
        [&](std::size_t place) { return value_cell(run, run.points[place].value); }},
       {{.head = "behind"},
        [&](std::size_t place) {
          const auto known = behind.find(place);
          return known == behind.end() ? document::Cell("-") : document::change(known->second);
        }},
       {{.head = "launches"},
        [&](std::size_t place) { return document::count(std::ssize(state(place).wall_s)); }},
       {{.head = "memory", .drop_at = 2},
        [&](std::size_t place) {
          const double bytes = state(place).memory_bytes;
          return document::bytes(bytes > 0 ? std::optional(bytes) : std::nullopt);
        }},
       {{.head = "CPU s/1k samples", .drop_at = 1},
        [&](std::size_t place) { return document::number(state(place).cpu_s_per_1k_samples); }},
       {.column = document::words("left"),
        .cell = [&](std::size_t place) { return state_of(run, place, behind.contains(place)); },
        .if_filled = true}},
      [&](std::size_t place) {
        const bool is_best = !run.standing.empty() && place == run.standing.front().point;
        return is_best && is_known(run) ? document::Tone::kGood : document::Tone::kPlain;
      });
}

}  // namespace

document::Document tune_document(const TuneRun& run, const record::Results& results) {
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  document::Document document{
      .answer = {.text = tune_answer(run),
                 .tone = is_known(run) ? document::Tone::kGood : document::Tone::kDoubt,
                 .doubts = run_answer(rows, results, notes_of(rows, results)).doubts}};
  document::Chapter chapter{.id = "tune", .title = "Search", .blocks = {}};
  document::Paragraph paragraph;
  for (document::Line& line : below_answer(run)) {
    if (line.command) {
      paragraph.below.push_back(std::move(line));
      continue;
    }
    if (!paragraph.text.empty()) chapter.blocks.emplace_back(std::move(paragraph));
    paragraph = {.text = std::move(line.text)};
  }
  chapter.blocks.emplace_back(std::move(paragraph));
  chapter.blocks.emplace_back(points_table(run));
  if (run.points.size() > kShownPoints) {
    chapter.blocks.emplace_back(document::Paragraph{
        .text = formatted("the first {} of {}; tuning.json and `stepbench show` have all",
                          kShownPoints, points_text(run.points.size()))});
  }
  document.chapters.push_back(std::move(chapter));
  return document;
}

ReportContent tune_content(const tune::TuneRun& run, const record::Results& results) {
  ReportContent content = run_content(results, {run.folder.string()}, {});
  document::Document document = tune_document(run, results);
  // Use this answer instead of the run's: the best of many launches looks better than it is.
  content.answer = std::move(document.answer);
  content.title += ": search";
  document::Chapter& search = document.chapters.front();
  if (!content.sections.empty()) move_first_figure(content.sections.front(), search, 0);
  content.sections.insert(content.sections.begin(), std::move(search));
  return content;
}

}  // namespace stepbench::report
