// SPDX-License-Identifier: Apache-2.0
#include "harness/report/exports.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/history.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/night.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/comparison.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kShortId = 8;
constexpr const char* kNoGroup = "stepbench";  // group of checks that do not belong to a case

void judge_row(const estimate::CaseRow& row, Check& check) {
  const auto failed = std::ssize(row.failed);
  const auto measured = std::ssize(row.measured);
  const auto skipped = std::ssize(row.skipped);
  if (failed > 0) {
    check.state = CheckState::kFailed;
    check.type = "failed";
    check.message = formatted("{} of {} failed: {}", failed,
                              text::counted(failed + measured + skipped, "launch"),
                              estimate::reason_of(*row.failed.front()));
    for (const record::Launch* launch : row.failed) {
      check.text +=
          formatted("launch {}: {}", launch->row.key.launch, estimate::reason_of(*launch));
      if (!launch->row.stage.empty()) check.text += " (in " + launch->row.stage + ')';
      check.text += '\n';
      if (launch == row.failed.front()) check.text += launch->row.output;
    }
  } else if (measured > 0) {
    check.text = text::counted(measured, "launch") + " measured";
    if (row.headline_ns()) {
      check.text +=
          (row.latency_ns ? ", latency p50 " : ", step ") + text::duration(*row.headline_ns());
    }
    if (row.spread != estimate::Spread::kNone) {
      const double headline = *row.headline_ns();
      const text::TimeUnit unit = text::unit_for({&headline, 1});
      check.text += formatted(
          " {} {}, {}",
          text::interval_text(row.interval_ns.low / unit.ns, row.interval_ns.high / unit.ns),
          unit.name, estimate::spread_name(row));
    }
    check.text += '\n';
  } else if (skipped > 0) {
    check.state = CheckState::kSkipped;
    check.type = "skipped";
    check.message = estimate::reason_of(*row.skipped.front());
  } else if (!row.running.empty()) {
    check.state = CheckState::kSkipped;
    check.type = "running";
    check.message = "is being measured now";
  } else {
    check.state = CheckState::kError;
    check.type = "unfinished";
    check.message = "started and never finished: its process or the run died";
  }
}

const record::Launch* any_launch(const estimate::CaseRow& row) {
  if (!row.failed.empty()) return row.failed.front();
  if (!row.measured.empty()) return row.measured.front().launch;
  return row.skipped.empty() ? nullptr : row.skipped.front();
}

std::string group_of(const std::string& workload) { return workload.empty() ? kNoGroup : workload; }

void add_varying(const OptionValues& options, const std::vector<std::string>& varying, Fields& to) {
  for (const std::string& option : varying) {
    const auto found = options.find(option);
    if (found != options.end() && !is_null(found->second)) to["option." + option] = found->second;
  }
}

// Options that are equal in all rows, and properties of the machine.
Fields common_properties(const record::RunRow& run, const estimate::CaseRow* row,
                         const std::vector<std::string>& varying) {
  Fields all = run.labels;
  if (row != nullptr) {
    for (const auto& [name, value] : row->options()) {
      const bool varies = std::ranges::find(varying, name) != varying.end();
      if (!varies && !is_null(value)) all["option." + name] = value;
    }
    if (row->worker != nullptr) {
      for (const auto& [name, value] : row->worker->environment) all["environment." + name] = value;
    }
  }
  all["run_id"] = run.run_id;
  all["stepbench_version"] = run.stepbench_version;
  return all;
}

// Readers match the tests of two files by name.
void make_names_unique(std::vector<Check>& checks) {
  std::unordered_map<std::string, int> seen;
  for (Check& check : checks) {
    const int times = ++seen[check.group + '\n' + check.name];
    if (times > 1) check.name += formatted(" ({})", times);
  }
}

Check check_of_row(const estimate::CaseRow& row, const estimate::RowNames& names) {
  Check check{.name = names.name(row), .group = group_of(row.workload)};
  if (row.pass != Pass::kTiming) check.name += " (pass " + std::string(name_of(row.pass)) + ')';
  judge_row(row, check);
  if (const auto ns = row.headline_ns()) check.seconds = *ns * 1e-9;
  if (const record::Launch* launch = any_launch(row)) check.repeat = launch->row.repeat_command;
  add_varying(row.options(), names.varying(), check.properties);
  check.properties["case_id"] = row.case_id;
  if (!row.arm.empty()) check.properties["arm"] = row.arm;
  return check;
}

// A suspected improvement passes.
CheckState state_of(const verdict::TestResult& test) {
  switch (test.verdict) {
    case verdict::Verdict::kRegression:
      return CheckState::kFailed;
    case verdict::Verdict::kInvalid:
    case verdict::Verdict::kNoData:
      return CheckState::kError;
    case verdict::Verdict::kSuspect:
      return test.slower ? CheckState::kSkipped : CheckState::kPassed;
    case verdict::Verdict::kInconclusive:
      return CheckState::kSkipped;
    case verdict::Verdict::kImprovement:
    case verdict::Verdict::kOk:
      break;
  }
  return CheckState::kPassed;
}

// Of a compared case, or of one that only one side has.
Check named_check(const auto& one, const std::vector<std::string>& varying) {
  return {.name = estimate::case_name(one.options, one.workload, varying,
                                      one.case_id.substr(0, kShortId)),
          .group = group_of(one.workload),
          .properties = {{"case_id", one.case_id}}};
}

Check check_of_case(const verdict::CaseResult& one, const std::vector<std::string>& varying,
                    const std::string& unit) {
  Check check = named_check(one, varying);
  const verdict::MetricResult* worst = nullptr;
  for (const verdict::MetricResult& metric : one.metrics) {
    const std::string interval = interval_text_of(metric.test);
    const auto [base, candidate] =
        compared_values(metric.test.base_median, metric.test.candidate_median, metric.unit);
    const std::string line = formatted(
        "{}: {} -> {}, {}{}{}, {}", metric.name, base, candidate, change_text(metric.test),
        interval == "-" ? "" : ' ' + interval,
        metric.test.corrected_change ? ", corrected " + corrected_text(metric.test) : std::string(),
        verdict_text(metric.test, unit));
    check.text += line + '\n';
    const bool is_worse = worst == nullptr || verdict::severity(metric.test.verdict) >
                                                  verdict::severity(worst->test.verdict);
    if (metric.decides && is_worse) {
      worst = &metric;
      check.state = state_of(metric.test);
      check.type = name_of(metric.test.verdict);
      check.message = line;
    }
    if (metric.unit == "ns" && metric.of_step && std::isfinite(metric.test.candidate_median)) {
      check.seconds = metric.test.candidate_median * 1e-9;
    }
  }
  if (worst == nullptr) {
    check.state = CheckState::kError;
    check.type = name_of(verdict::Verdict::kNoData);
    check.message = "nothing was compared";
  }
  for (const verdict::PhaseChange& change : one.cause) {
    check.text += formatted("  {} {} per step\n", phase_text(change),
                            text::signed_duration(change.change_ns));
  }
  if (one.page_faults) check.text += "  " + fault_text(*one.page_faults) + '\n';
  for (const verdict::OpChange& op : one.ops) {
    check.text +=
        formatted("  {} {} -> {} calls/step ({})\n", op.name, text::short_number(op.base_calls),
                  text::short_number(op.candidate_calls), op.phase);
  }
  for (const std::string& note : one.notes) check.text += note + '\n';
  add_varying(one.options, varying, check.properties);
  return check;
}

void add_missing(const std::vector<verdict::MissingCase>& cases, const std::string& side,
                 const std::vector<std::string>& varying, CheckSuite& suite) {
  for (const verdict::MissingCase& one : cases) {
    Check& check = suite.checks.emplace_back(named_check(one, varying));
    check.state = CheckState::kSkipped;
    check.type = "missing";
    check.message = "only in " + side;
  }
}

// An error that does not belong to a case.
Check error_check(const std::string& name, const std::string& type, const std::string& message) {
  return {.name = name,
          .group = kNoGroup,
          .state = CheckState::kError,
          .type = type,
          .message = message};
}

CheckSuite suite_of(const verdict::Comparison& comparison) {
  std::vector<const OptionValues*> options;
  for (const verdict::CaseResult& one : comparison.cases) options.push_back(&one.options);
  const std::vector<std::string> varying = estimate::varying_options(options, comparison.swept);
  const bool in_turns = comparison.rule.design == verdict::Design::kInterleaved;
  CheckSuite suite{.name = comparison.base + " -> " + comparison.candidate,
                   .verdict = std::string(name_of(comparison.verdict))};
  for (const verdict::CaseResult& one : comparison.cases) {
    suite.checks.push_back(check_of_case(one, varying, in_turns ? "pairs" : "launches"));
  }
  add_missing(comparison.only_base, "the base", varying, suite);
  add_missing(comparison.only_candidate, "the new result", varying, suite);
  const std::string invalid(name_of(verdict::Verdict::kInvalid));
  for (const verdict::Gate& gate : comparison.gates) {
    if (gate.state != verdict::GateState::kFailed) continue;
    suite.checks.push_back(error_check("gate " + gate.name, invalid, gate.text));
  }
  if (comparison.aa_control.state == verdict::AaControl::State::kFailed) {
    suite.checks.push_back(
        error_check("self-check", invalid, "the base differs from itself, so no verdict is valid"));
  }
  make_names_unique(suite.checks);
  suite.properties = {{"verdict", std::string(name_of(comparison.verdict))},
                      {"exit_code", std::int64_t{comparison.exit_code}},
                      {"design", std::string(name_of(comparison.rule.design))}};
  return suite;
}

}  // namespace

std::size_t CheckSuite::count(CheckState state) const {
  return static_cast<std::size_t>(std::ranges::count(checks, state, &Check::state));
}

std::vector<CheckSuite> checks_of(const record::Results& results) {
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  const estimate::RowNames names(rows, results);
  std::vector<CheckSuite> suites;
  std::set<std::string> done;
  for (const record::RunRow& run : results.runs) {
    if (!done.insert(run.run_id).second) continue;  // a resumed run has several files
    const estimate::CaseRow* first = nullptr;
    CheckSuite suite{.name = run.name.empty() ? run.run_id : run.name,
                     .host = text_of(run.context, "host"),
                     .started_utc = run.started_utc,
                     .file = run.config_path};
    for (const estimate::CaseRow& row : rows) {
      if (row.run_id != run.run_id) continue;
      const bool explains = is_profiling(row.pass) || estimate::counts_instructions(row);
      if (explains && row.failed.empty()) continue;
      if (first == nullptr) first = &row;
      suite.checks.push_back(check_of_row(row, names));
    }
    make_names_unique(suite.checks);
    suite.properties = common_properties(run, first, names.varying());
    suites.push_back(std::move(suite));
  }
  return suites;
}

std::vector<CheckSuite> checks_of(std::span<const verdict::Comparison> comparisons) {
  std::vector<CheckSuite> suites;
  for (const verdict::Comparison& comparison : comparisons) suites.push_back(suite_of(comparison));
  return suites;
}

std::vector<CheckSuite> checks_of_error(const std::string& command, const std::string& message) {
  CheckSuite suite{.name = command, .verdict = "error"};
  suite.checks.push_back(error_check(command, "error", message));
  return {suite};
}

namespace {

CheckState state_of(const nights::NightSeries& series) {
  switch (series.state) {
    case nights::NightState::kRegression:
      return CheckState::kFailed;
    case nights::NightState::kNoData:
      return CheckState::kError;
    case nights::NightState::kNoVerdict:
      return CheckState::kSkipped;
    case nights::NightState::kSuspect:
      return series.worse ? CheckState::kSkipped : CheckState::kPassed;
    default:
      return CheckState::kPassed;
  }
}

std::string commits_of(const nights::Alert& alert) {
  constexpr std::size_t kDigits = 8;
  std::string text;
  for (const nights::RangeCommit& commit : alert.commits) {
    text += formatted("commit {} {} ({}){}\n", commit.sha.substr(0, kDigits), commit.title,
                      commit.author, commit.url.empty() ? "" : ' ' + commit.url);
  }
  return text;
}

void add_alert(Check& check, const nights::NightSeries& series, const ShownNight& shown) {
  if (series.alert.empty()) return;
  check.text += "alert " + series.alert + '\n';
  check.properties["alert"] = series.alert;
  const nights::Alert* alert = shown.night.alerts.find(series.alert);
  if (alert == nullptr) return;
  const nights::AlertSeries* known = alert->find(series.series.id);
  if (known != nullptr && !known->cause.empty()) {
    check.text += "cause: " + known->cause + '\n';
    check.properties["cause"] = known->cause;
  }
  const auto add_commit = [&](const char* name, const std::string& run_id) {
    const nights::TrackedRun* run = shown.history.find_run(run_id);
    if (run == nullptr || run->git_sha.empty()) return;
    check.properties[name] = run->git_sha;
  };
  add_commit("last_good_commit", alert->last_good);
  add_commit("first_bad_commit", alert->first_bad);
  check.text += commits_of(*alert);
  if (!alert->assignee.empty()) check.properties["assignee"] = alert->assignee;
}

Check check_of_series(const nights::NightSeries& series, const std::string& name,
                      const ShownNight& shown) {
  const std::string_view state = name_of(series.state);
  const std::string& unit = series.series.unit;
  Check check{.name = name,
              .group = group_of(series.series.workload),
              .state = state_of(series),
              .type = std::string(state),
              .message = std::string(state)};
  if (series.value && series.usual) {
    check.message += formatted(": usually {}, tonight {}", amount_text(*series.usual, unit),
                               amount_text(*series.value, unit));
    if (series.change) check.message += " (" + text::signed_percent(*series.change) + " %)";
  }
  if (const std::string why = series_reason(series); !why.empty()) check.message += "; " + why;
  check.text = check.message + '\n';
  add_alert(check, series, shown);
  if (unit == "ns" && series.value) check.seconds = *series.value * 1e-9;
  const auto add = [&](const char* property, const std::string& text) {
    if (!text.empty()) check.properties[property] = text;
  };
  add("case_id", series.series.case_id);
  add("metric", series.series.metric);
  if (series.reported) {
    add("first_bad", series.reported->bad);
    add("last_good", series.reported->good);
  }
  check.properties["series_id"] = series.series.id;
  return check;
}

}  // namespace

std::vector<CheckSuite> checks_of_night(std::string_view night_json) {
  const ReadNight read = read_night(night_json);
  if (!read.error.empty()) return checks_of_error("stepbench track check", read.error);
  const nights::Night& night = read.shown.night;
  const std::string verdict(name_of(night.verdict));
  CheckSuite suite{
      .name = "night of " + read.host,
      .host = read.host,
      .verdict = verdict,
      .properties = {{"verdict", verdict}, {"exit_code", std::int64_t{night.exit_code}}}};
  if (!night.experiments.empty()) {
    suite.started_utc = night.experiments.front().run.started_utc;
  }
  for (std::size_t i = 0; i < night.series.size(); ++i) {
    suite.checks.push_back(check_of_series(night.series[i], read.names[i], read.shown));
  }
  const bool reported = suite.count(CheckState::kError) > 0;
  if ((night.exit_code == kExitUsage || night.exit_code == kExitNothingMeasured) && !reported) {
    suite.checks.push_back(error_check("the night as a whole", suite.verdict,
                                       night.notes.empty() ? suite.verdict : night.notes.front()));
    suite.checks.back().text = text::join(night.notes, "\n") + '\n';
  }
  return {suite};
}

}  // namespace stepbench::report
