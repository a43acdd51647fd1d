// SPDX-License-Identifier: Apache-2.0
#include "harness/report/read_comparison.h"

#include <limits>
#include <optional>
#include <string>

#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/report/comparison_json.h"

namespace stepbench::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double number_or_nan(const json::LineObject& object, std::string_view field) {
  return object.number(field).value_or(kNaN);
}

std::size_t count_in(const json::LineObject& object, std::string_view field) {
  return static_cast<std::size_t>(object.count(field));
}

std::vector<std::int64_t> ranks_in(const json::LineObject& object) {
  std::vector<std::int64_t> ranks;
  for (const json::JsonView& rank : object.array("ranks").value_or(std::vector<json::JsonView>())) {
    if (const auto number = rank.integer()) ranks.push_back(*number);
  }
  return ranks;
}

stats::Interval interval_in(const json::LineObject& object, const std::string& name) {
  return {object.number(name + "_low").value_or(-kInfinity),
          object.number(name + "_high").value_or(kInfinity)};
}

OptionValues options_in(const json::LineObject& object) {
  return OptionValues(object.fields("options"));
}

template <typename Each>
void for_each_object(const json::LineObject& object, std::string_view field, const Each& each) {
  const auto array = object.array(field);
  if (!array) return;
  for (const json::JsonView& view : *array) {
    if (const auto one = view.object()) each(*one);
  }
}

compare::MetricResult read_metric(const json::LineObject& source) {
  compare::MetricResult metric{.name = source.text("name"),
                               .metric = source.text("metric"),
                               .unit = source.text("unit"),
                               .primary = source.flag("primary"),
                               .margin = source.number("margin").value_or(0)};
  // Absent before 1.2.
  metric.timed = source.find("timed") ? source.flag("timed") : metric.unit != "bytes";
  metric.of_step = source.find("of_step") ? source.flag("of_step") : metric.name == "step";
  metric.decides = !source.find("decides") || source.flag("decides");
  compare::TestResult& test = metric.test;
  test.verdict =
      one_of<compare::Verdict>(source.text("verdict")).value_or(compare::Verdict::kInconclusive);
  test.reason =
      one_of<compare::TestReason>(source.text("reason")).value_or(compare::TestReason::kNone);
  test.slower = source.flag("slower");
  test.base_median = number_or_nan(source, "base_median");
  test.candidate_median = number_or_nan(source, "candidate_median");
  test.change = source.number("change");
  test.interval = interval_in(source, "change");
  test.corrected_change = source.number("corrected_change");  // absent before 1.5
  test.sign_interval = interval_in(source, "sign_test");
  test.mean_change = source.number("mean_change");  // this and what follows is absent before 1.4
  test.mean_interval = interval_in(source, "mean_change");
  test.slow_base = count_in(source, "slow_base");
  test.slow_candidate = count_in(source, "slow_candidate");
  test.slow_share_below = source.number("slow_share_below").value_or(1);
  test.base_launches = count_in(source, "base_launches");
  test.candidate_launches = count_in(source, "candidate_launches");
  test.p = number_or_nan(source, "p");
  test.p_adjusted = number_or_nan(source, "p_adjusted");
  test.p_mann_whitney = number_or_nan(source, "p_mann_whitney");
  test.cles = number_or_nan(source, "cles");
  test.pairs = count_in(source, "pairs");
  test.dropped = count_in(source, "dropped");
  test.ties = count_in(source, "ties");
  if (const auto needed = source.number("pairs_needed")) {
    test.pairs_needed = static_cast<std::size_t>(*needed);
  }
  test.notes = source.texts("notes");
  return metric;
}

compare::OpChange read_op(const json::LineObject& source) {
  compare::OpChange op{.name = source.text("op"),
                       .shapes = source.text("shapes"),
                       .phase = source.text("phase"),
                       .base_calls = source.number("base_calls_per_step").value_or(0),
                       .candidate_calls = source.number("candidate_calls_per_step").value_or(0),
                       .base_share = source.number("base_share").value_or(0),
                       .candidate_share = source.number("candidate_share").value_or(0),
                       .change_ns = source.number("change_ns")};
  if (op.change_ns) op.range_ns = interval_in(source, "change_ns");
  return op;
}

compare::CaseResult read_case(const json::LineObject& source) {
  compare::CaseResult one{.case_id = source.text("case_id"),
                          .candidate_case_id = source.text("candidate_case_id"),
                          .workload = source.text("workload"),
                          .options = options_in(source)};
  for_each_object(source, "metrics", [&](const json::LineObject& metric) {
    one.metrics.push_back(read_metric(metric));
  });
  for_each_object(source, "cause", [&](const json::LineObject& cause) {
    one.cause.push_back({.phase = cause.text("phase"),
                         .ranks = ranks_in(cause),
                         .all_ranks = cause.flag("all_ranks"),
                         .base_ns = number_or_nan(cause, "base_ns"),
                         .candidate_ns = number_or_nan(cause, "candidate_ns"),
                         .change_ns = number_or_nan(cause, "change_ns"),
                         .interval_ns = interval_in(cause, "change_ns"),
                         .share = number_or_nan(cause, "share")});
  });
  one.who_waits = source.texts("who_waits");
  for_each_object(source, "ops",
                  [&](const json::LineObject& op) { one.ops.push_back(read_op(op)); });
  if (const auto difference = source.object("fingerprint_difference")) {
    one.fingerprint =
        compare::FingerprintDifference{.name = difference->text("name"),
                                       .base = number_or_nan(*difference, "base"),
                                       .candidate = number_or_nan(*difference, "candidate"),
                                       .relative = number_or_nan(*difference, "relative"),
                                       .limit = number_or_nan(*difference, "limit"),
                                       .precision = difference->text("precision")};
  }
  one.notes = source.texts("notes");
  one.ended_at = count_in(source, "ended_at_pairs");
  one.without_data = source.text("without_data");
  return one;
}

std::vector<compare::MissingCase> read_missing(const json::LineObject& source,
                                               std::string_view field) {
  std::vector<compare::MissingCase> missing;
  for_each_object(source, field, [&](const json::LineObject& one) {
    missing.push_back({.case_id = one.text("case_id"),
                       .workload = one.text("workload"),
                       .options = options_in(one)});
  });
  return missing;
}

compare::Gate read_gate(const json::LineObject& source) {
  return {
      .name = source.text("name"),
      .case_id = source.text("case_id"),
      .state =
          one_of<compare::GateState>(source.text("state")).value_or(compare::GateState::kWarning),
      .value = number_or_nan(source, "value"),
      .warns_at = source.number("warns_at"),
      .fails_at = source.number("fails_at"),
      .text = source.text("text"),
      .allowed = source.flag("allowed")};
}

compare::EnvironmentDifference read_difference(const json::LineObject& source) {
  return {.field = source.text("field"),
          .base = source.text("base"),
          .candidate = source.text("candidate"),
          .field_class = one_of<compare::FieldClass>(source.text("class"))
                             .value_or(compare::FieldClass::kInformative),
          .allowed = source.flag("allowed"),
          .cases = count_in(source, "cases")};
}

compare::Comparison read_one(const json::LineObject& source) {
  compare::Comparison comparison{.base = source.text("base"),
                                 .candidate = source.text("candidate"),
                                 .swept = source.texts("swept")};
  comparison.exit_code = source.count("exit_code");
  comparison.verdict =
      one_of<compare::Verdict>(source.text("verdict")).value_or(compare::Verdict::kInconclusive);
  compare::VerdictRule& rule = comparison.rule;
  rule.design =
      one_of<compare::Design>(source.text("design")).value_or(compare::Design::kSequential);
  rule.q = source.number("q").value_or(rule.q);
  rule.confidence = source.number("confidence").value_or(rule.confidence);
  if (source.find("seed")) {
    comparison.seed = static_cast<std::uint64_t>(source.integer("seed"));
    if (const auto looks = source.array("looks")) {
      for (const json::JsonView& look : *looks) {
        comparison.looks.push_back(static_cast<std::size_t>(look.integer().value_or(0)));
      }
    }
  }
  comparison.tested = count_in(source, "tested");
  comparison.rejected_slower = count_in(source, "rejected_slower");
  comparison.rejected_faster = count_in(source, "rejected_faster");
  if (const auto control = source.object("aa_control")) {
    using State = compare::AaControl::State;
    comparison.aa_control = {
        .state = one_of<State>(control->text("state")).value_or(State::kTooFew),
        .pooled_quads = count_in(*control, "quads"),
        .p = number_or_nan(*control, "p"),
        .change = control->number("change")};
    if (comparison.aa_control.change) {
      comparison.aa_control.interval = interval_in(*control, "change");
    }
  }
  for_each_object(source, "gates", [&](const json::LineObject& gate) {
    comparison.gates.push_back(read_gate(gate));
  });
  for_each_object(source, "environment", [&](const json::LineObject& difference) {
    comparison.environment.push_back(read_difference(difference));
  });
  comparison.warnings = source.texts("warnings");
  comparison.machine = source.text("machine");
  for_each_object(source, "cases",
                  [&](const json::LineObject& one) { comparison.cases.push_back(read_case(one)); });
  comparison.only_base = read_missing(source, "only_base");
  comparison.only_candidate = read_missing(source, "only_candidate");
  return comparison;
}

}  // namespace

std::vector<compare::Comparison> read_comparisons(std::string_view json) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(json, json::LineParser::Padding::kNone).object;
  const std::string schema = source.text("schema");
  const std::string version = source.text("version");
  if (schema != kVerdictSchema && schema != kVerdictsSchema) {
    throw json::LineError("schema '" + schema + "' is no verdict of `compare` or `ab`");
  }
  if (!version.starts_with("1.")) {
    throw json::LineError("written in " + schema + ' ' + version + "; this program reads 1.x");
  }
  if (const std::string error = source.text("error"); !error.empty()) {
    throw json::LineError("holds no verdict: " + error);
  }
  if (schema == kVerdictSchema) return {read_one(source)};
  std::vector<compare::Comparison> comparisons;
  for_each_object(source, "comparisons",
                  [&](const json::LineObject& one) { comparisons.push_back(read_one(one)); });
  return comparisons;
}

}  // namespace stepbench::report
