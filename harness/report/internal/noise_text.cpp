// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/campaign/run_experiment.h"
#include "harness/estimate/columns.h"
#include "harness/plan/plan.h"
#include "harness/report/plans.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/detectable_change.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kNoiseCases = 8;
constexpr double kLess = 0.9;  // propose a design only if it costs less than this share

std::string small_percent(double share) { return text::significant(100 * share, 2); }

std::string between_text(const estimate::VarianceDifference& variance) {
  return formatted("{} % [{}, {}]", small_percent(std::sqrt(variance.value)),
                   small_percent(std::sqrt(variance.interval.low)),
                   small_percent(std::sqrt(variance.interval.high)));
}

std::string launches_of_steps(std::size_t launches, double steps) {
  return text::counted(launches, "launch") + " of " + text::counted(std::llround(steps), "step");
}

std::string cost_text(double ns) { return text::rough_duration(ns * 1e-9); }

verdict::ComparisonSize size_of(const NoiseQuestion& question) {
  return {.tests = question.tests, .margin = verdict::kDefaultMargin};
}

std::string over_runs(const estimate::NoiseOverRuns& noise) {
  const estimate::NestedVariances& found = noise.variances;
  std::string text = text::counted(found.inner_groups, "run");
  if (found.outer_groups > 1) {
    text += " of " + text::counted(found.outer_groups, "build");
  }
  if (!found.inner_known) {
    return formatted(
        "{}: too few to tell runs from launches (two runs of one build are needed, and two "
        "launches in a run)",
        text);
  }
  text += ": from run to run the step differs by " + between_text(found.inner);
  if (found.outer_known) text += ", from build to build by " + between_text(found.outer);
  return formatted("{} beyond what launches differ by, {} %", text,
                   small_percent(std::sqrt(found.within)));
}

}  // namespace

NoiseQuestion question_of(const std::vector<estimate::CaseRow>& rows, double change) {
  std::set<std::string_view> cases;
  for (const estimate::CaseRow& row : rows) {
    if (!row.measured.empty() && row.pass == Pass::kTiming) cases.insert(row.case_id);
  }
  return {
      .change = change,
      .tests = std::max<std::size_t>(cases.size(), 1) * verdict::default_metrics().metrics.size()};
}

NoiseAdvice::NoiseAdvice(const NoiseQuestion& question)
    : question_(question), designs_(size_of(question), question.change) {}

std::string NoiseAdvice::change_text() const {
  return text::short_number(100 * question_.change) + " %";
}

std::string NoiseAdvice::parts(const estimate::CaseNoise& noise) {
  const std::string all = formatted("launches differ by {} %", small_percent(noise.total_sd));
  if (noise.wanders) return all + "; the share of their steps is unknown";
  if (!noise.step_sd) return all + "; too few steps to find their share";
  const std::string steps =
      formatted("a step differs by {} %, {} of them by {} %", small_percent(*noise.step_sd),
                text::with_separators(std::llround(noise.steps)),
                small_percent(*noise.step_sd / std::sqrt(noise.steps)));
  const stats::Interval& interval = noise.launch_interval;
  const std::string range =
      formatted(" [{}, {}]", small_percent(interval.low), small_percent(interval.high));
  if (noise.launch_sd == 0) {
    return formatted("{}: {}, which is all of it; launches themselves add 0 %{}", all, steps,
                     range);
  }
  return formatted("{}: {} %{} of their own; {}", all, small_percent(noise.launch_sd), range,
                   steps);
}

std::string NoiseAdvice::found_now(const estimate::CaseNoise& noise) const {
  verdict::ComparisonSize size = size_of(question_);
  size.launches = noise.launches;
  const auto found = verdict::change_found(size, noise.total_sd);
  const std::string now = launches_of_steps(noise.launches, noise.steps);
  if (!found) {
    return formatted("{} show no change among {}", now, text::counted(question_.tests, "test"));
  }
  return formatted("{} find {} in four of five comparisons", now, text::percent_text(*found));
}

std::string NoiseAdvice::design(const estimate::CaseNoise& noise) const {
  const std::string now = found_now(noise);
  if (noise.wanders || !noise.step_sd) {
    return formatted("{}; other designs cannot be predicted: {}", now,
                     noise.wanders
                         ? "its steps vary more slowly than a window lasts (schedule.active: "
                           "several times as many)"
                         : "too few steps in a window");
  }
  if (!noise.overhead_ns) return now + "; the cost of a launch is not recorded";
  const double cost = verdict::cost_ns(noise, static_cast<double>(noise.launches), noise.steps);
  const std::string current_cost = formatted("{} ({})", now, cost_text(cost));
  const auto best = designs_.cheapest(noise);
  verdict::ComparisonSize size = size_of(question_);
  if (!best) {
    size.launches = verdict::LaunchDesigns::kMaxLaunches;
    return formatted(
        "{}; {} launches, however long, would find {} and not {}", current_cost, size.launches,
        text::percent_text(verdict::change_found(size, noise.launch_sd).value()), change_text());
  }
  size.launches = noise.launches;
  const auto found = verdict::change_found(size, noise.total_sd);
  const std::string better =
      formatted("{} would find {}",
                launches_of_steps(best->launches, static_cast<double>(best->steps)), change_text());
  const std::string cost_of_best = " (" + cost_text(best->cost_ns) + ')';
  if (!found || *found > question_.change)
    return formatted("{}; {}{}", current_cost, better, cost_of_best);
  if (best->cost_ns > kLess * cost)
    return formatted("{}; no design finds {} for much less", current_cost, change_text());
  return formatted("{}; {} and cost less{}", current_cost, better, cost_of_best);
}

std::vector<std::string> noise_lines(const std::vector<estimate::CaseRow>& rows,
                                     const record::Results& results, double change) {
  const NoiseAdvice advice(question_of(rows, change));
  const estimate::RowNames names(rows, results);
  std::vector<std::string> lines;
  std::size_t more = 0;
  std::size_t without = 0;
  for (const estimate::CaseRow& row : rows) {
    if (row.measured.empty()) continue;
    const auto noise = estimate::noise_of(row);
    if (!noise) {
      ++without;
    } else if (lines.size() >= kNoiseCases) {
      ++more;
    } else {
      lines.push_back((rows.size() == 1 ? "" : names.name(row) + ": ") + advice.design(*noise));
    }
  }
  if (more > 0) {
    lines.push_back(formatted("and {} (see show --case ID)", text::counted(more, "more case")));
  }
  if (without > 0) {
    lines.push_back(formatted("no noise estimate for {} with fewer than three launches",
                              text::counted(without, "case")));
  }
  const std::vector<estimate::NoiseOverRuns> repeated = estimate::noise_over_runs(rows);
  for (std::size_t i = 0; i < std::min(repeated.size(), kNoiseCases); ++i) {
    const auto row = std::ranges::find_if(rows, [&](const estimate::CaseRow& each) {
      return each.case_id == repeated[i].case_id && each.arm == repeated[i].arm;
    });
    const std::string name =
        estimate::case_name(row->options(), row->workload, names.varying(), repeated[i].case_id);
    lines.push_back(name + ", " + over_runs(repeated[i]));
  }
  return lines;
}

namespace {

std::size_t cases_to_run(const plan::Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.cases, [](const plan::PlannedCase& planned) { return !planned.skip; }));
}

}  // namespace

std::string noise_plan_text(const plan::Plan& plan, const std::filesystem::path& results_dir) {
  const std::vector<estimate::CaseNoise> cases = campaign::earlier_noise(plan, results_dir);
  if (cases.empty()) return {};
  const std::size_t tests = cases_to_run(plan) * verdict::default_metrics().metrics.size();
  std::vector<double> launch_sds;
  std::vector<double> step_sds;
  estimate::CaseNoise whole{.overhead_ns =
                                0};  // all cases get the same launches, so their costs are summed
  for (const estimate::CaseNoise& noise : cases) {
    launch_sds.push_back(noise.launch_sd);
    step_sds.push_back(*noise.step_sd);
    *whole.overhead_ns += *noise.overhead_ns;
    whole.step_ns += noise.step_ns;
  }
  whole.launch_sd = stats::median(launch_sds);
  whole.step_sd = stats::median(step_sds);
  const NoiseAdvice advice({.tests = tests});
  const std::string begin = "to find " + advice.change_text() + ": ";
  const std::string source =
      formatted(" by earlier runs of {}: launches differ by {} % of their own, a step by {} %",
                text::counted(std::ssize(cases), "case"), small_percent(whole.launch_sd),
                small_percent(*whole.step_sd));
  const auto best = advice.designs().cheapest(whole);
  if (!best)
    return formatted("{}not with {} launches,{}\n", begin, verdict::LaunchDesigns::kMaxLaunches,
                     source);
  return formatted("{}{} cost least (active: {}), about {} a run,{}\n", begin,
                   launches_of_steps(best->launches, static_cast<double>(best->steps)), best->steps,
                   cost_text(best->cost_ns), source);
}

std::string power_text(const plan::Plan& plan, const std::filesystem::path& results_dir,
                       const std::string& machine) {
  constexpr double kQuiet = 0.01;
  constexpr double kNoisy = 0.05;
  const std::size_t cases = cases_to_run(plan);
  if (cases == 0) return {};
  auto launches = std::numeric_limits<std::int64_t>::max();
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    launches = std::min(launches, planned.resolved.integer_or("launches", 1));
  }
  const verdict::ComparisonSize size{.launches = static_cast<std::size_t>(launches),
                                     .tests = cases * verdict::default_metrics().metrics.size()};
  const std::string few = verdict::too_few_to_prove(
      size.launches, size.tests, {.q = size.q, .design = verdict::Design::kSequential});
  if (!few.empty()) {
    return formatted("for `compare`: {} ({}, {} of each)\n", few,
                     text::counted(static_cast<std::int64_t>(cases), "case"),
                     verdict::default_metrics().names());
  }
  const auto finds = [&](double spread) {
    return text::percent_text(
        verdict::change_found(size, spread).value_or(std::numeric_limits<double>::infinity()));
  };
  const std::string begin =
      formatted("for `compare`: {} find a change in four comparisons of five if it is about ",
                text::counted(launches, "launch"));
  const std::string smaller = "; what is smaller is found more seldom\n";
  const std::string of_machine = machine.empty() ? "" : "for `ab`: " + machine + '\n';
  if (const auto spread = campaign::earlier_spread(plan, results_dir)) {
    return formatted("{}{} (launches of earlier runs differ by {}){}{}", begin, finds(*spread),
                     text::percent_text(*spread), smaller, of_machine);
  }
  return formatted("{}{} where equal launches differ by 1 %, {} where they differ by 5 %{}{}",
                   begin, finds(kQuiet), finds(kNoisy), smaller, of_machine);
}

std::vector<std::string> noise_selection(const record::Results& results) {
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  const estimate::RowNames names(rows, results);
  std::vector<std::string> columns = {"case_id"};
  if (names.has_runs()) columns.emplace_back("run_id");
  const auto has_arm = [](const estimate::CaseRow& row) { return !row.arm.empty(); };
  if (std::ranges::any_of(rows, has_arm)) columns.emplace_back("arm");
  columns.insert(columns.end(), names.varying().begin(), names.varying().end());
  columns.insert(columns.end(), {"launches", "step_ns"});
  for (const estimate::EstimateColumn& column : estimate::noise_columns())
    columns.emplace_back(column.metric.name);
  return columns;
}

namespace {

using record::Fact;
using record::Quality;

// "2.1 to 62.0 %"
std::string range_of_shares(const std::vector<double>& shares) {
  const auto [low, high] = std::ranges::minmax(shares);
  const std::string text = text::percent_text(high);
  return text::percent_text(low) == text ? text : text::percent(low) + " to " + text;
}

struct ReportedFact {
  std::int64_t launches = 0;
  std::vector<double> values = {};
  std::set<std::string> reasons = {};
};

std::string words_of(const record::FactRow& row, const ReportedFact& reported) {
  if (reported.values.empty()) return std::string(launch_flag::meaning(row.flag));
  switch (row.fact) {
    case Fact::kSteal:
      return formatted("the hypervisor took {} of the machine's CPU time",
                       range_of_shares(reported.values));
    case Fact::kQuota:
      return formatted("the control group's CPU quota stopped the worker for {} of its time",
                       range_of_shares(reported.values));
    case Fact::kThrottled:
      return "the GPU was slowed down: " + text::join(reported.reasons, "; ");
    case Fact::kLost:
      return "the GPU was lost while a launch ran: it no longer responds (dmesg names the Xid); "
             "restart the machine, or take another device";
    case Fact::kMemoryErrors:
      return formatted(
          "the GPU had {} memory errors during a launch that could not be repaired: its results "
          "may be wrong (stepbench doctor says what to do)",
          text::short_number(std::ranges::max(reported.values)));
    case Fact::kGrowth:
      return formatted(
          "memory grew within the windows by {} a step, up to their end: a long run would fill the "
          "machine's memory",
          text::byte_text(std::ranges::max(reported.values)));
    default:
      return std::string(launch_flag::meaning(row.flag));
  }
}

}  // namespace

BusyWords busy_words(std::span<const estimate::BusyMachine> all, const std::string& where) {
  std::vector<double> waits;
  std::vector<double> others;
  bool only_own_threads = true;
  for (const estimate::BusyMachine& busy : all) {
    waits.push_back(busy.waited);
    if (!busy.others) continue;
    others.push_back(*busy.others);
    only_own_threads = only_own_threads && busy.only_own_threads();
  }
  only_own_threads = only_own_threads && !others.empty();
  const std::string waited = formatted("waited {} of its time for a CPU", range_of_shares(waits));
  BusyWords words{
      .text = (only_own_threads ? "more threads than CPUs: " : "the machine was busy: ") +
              ("the training thread " + waited),
      .doubt = waited};
  if (only_own_threads) {
    words.text += ", with no other programs running";
    words.doubt += ", by its own threads";
  } else if (!others.empty()) {
    words.text += formatted("; other programs used {} of the CPUs", range_of_shares(others));
    words.doubt += "; others used " + range_of_shares(others);
  }
  words.text += where;
  words.doubt += where;
  return words;
}

std::string busy_words(const estimate::BusyMachine& busy) {
  return formatted(
      "{}{} of its time for a CPU",
      busy.only_own_threads() ? "more threads than CPUs: waited " : "busy machine: waited ",
      text::percent_text(busy.waited));
}

std::vector<std::string> reported_facts(const estimate::CaseRow& row) {
  std::vector<std::string> sentences;
  for (const record::FactRow& fact : record::facts()) {
    if (fact.flag.empty() || fact.fact == Fact::kWaited) continue;
    ReportedFact reported;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      const Quality quality(each.launch->row);
      if (!quality.reported(fact.fact)) continue;
      ++reported.launches;
      if (const auto value = quality.value(fact.fact)) reported.values.push_back(*value);
      reported.reasons.insert(text_of(each.launch->row.machine, fact.name));
    }
    // A machine's fact is one launch's; growth is the program's, so that most launches show it.
    const std::int64_t least = fact.fact == Fact::kGrowth ? std::ssize(row.measured) / 2 + 1 : 1;
    if (reported.launches < least) continue;
    sentences.push_back(formatted("{} (in {} of {})", words_of(fact, reported), reported.launches,
                                  text::counted(std::ssize(row.measured), "launch")));
  }
  return sentences;
}

std::string not_watched_words(const estimate::CaseRow& row) {
  bool watched = false;  // in any launch
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const Quality quality(each.launch->row);
    if (quality.value(Fact::kWaited) || quality.value(Fact::kOthers)) return {};
    watched = watched || !each.launch->row.machine.empty();
  }
  return watched ? "not watched: whether the machine was busy" : "";
}

}  // namespace stepbench::report
