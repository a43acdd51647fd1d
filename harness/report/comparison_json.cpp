// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison_json.h"

#include <limits>

#include "harness/json/json_text.h"

namespace stepbench::report {
namespace {

void write_count(json::JsonText& json, std::string_view key, std::size_t count) {
  json.integer(key, static_cast<std::int64_t>(count));
}

void write_interval(json::JsonText& json, const std::string& key, const stats::Interval& interval) {
  json.number(key + "_low", interval.low).number(key + "_high", interval.high);
}

void write_metric(json::JsonText& json, const compare::MetricResult& metric) {
  const compare::TestResult& test = metric.test;
  json.open_object();
  json.text("name", metric.name).text("metric", metric.metric).text("unit", metric.unit);
  json.flag("primary", metric.primary).number("margin", metric.margin);
  json.flag("timed", metric.timed).flag("of_step", metric.of_step);
  json.flag("decides", metric.decides);
  json.text("verdict", name_of(test.verdict)).text("reason", name_of(test.reason));
  json.flag("slower", test.slower);
  json.number("base_median", test.base_median);
  json.number("candidate_median", test.candidate_median);
  json.number("change", test.change);
  write_interval(json, "change", test.interval);
  json.number("corrected_change", test.corrected_change);
  write_interval(json, "sign_test", test.sign_interval);
  json.number("mean_change", test.mean_change);
  write_interval(json, "mean_change", test.mean_interval);
  write_count(json, "slow_base", test.slow_base);
  write_count(json, "slow_candidate", test.slow_candidate);
  json.number("slow_share_below", test.slow_share_below);
  json.number("p", test.p).number("p_adjusted", test.p_adjusted);
  json.number("p_mann_whitney", test.p_mann_whitney).number("cles", test.cles);
  write_count(json, "pairs", test.pairs);
  write_count(json, "base_launches", test.base_launches);
  write_count(json, "candidate_launches", test.candidate_launches);
  write_count(json, "dropped", test.dropped);
  write_count(json, "ties", test.ties);
  if (test.pairs_needed) {
    write_count(json, "pairs_needed", *test.pairs_needed);
  } else {
    json.null("pairs_needed");
  }
  json.texts("notes", test.notes);
  json.close_object();
}

void write_ops(json::JsonText& json, const std::vector<compare::OpChange>& ops) {
  if (ops.empty()) return;
  json.open_array("ops");
  for (const compare::OpChange& change : ops) {
    json.open_object().text("op", change.name).text("shapes", change.shapes);
    json.text("phase", change.phase);
    json.number("base_calls_per_step", change.base_calls);
    json.number("candidate_calls_per_step", change.candidate_calls);
    json.number("base_share", change.base_share).number("candidate_share", change.candidate_share);
    if (change.change_ns) {
      json.number("change_ns", *change.change_ns);
      write_interval(json, "change_ns", change.range_ns);
    }
    json.close_object();
  }
  json.close_array();
}

void write_fingerprint(json::JsonText& json,
                       const std::optional<compare::FingerprintDifference>& difference) {
  if (!difference) return;
  json.open_object("fingerprint_difference").text("name", difference->name);
  json.number("base", difference->base).number("candidate", difference->candidate);
  json.number("relative", difference->relative).number("limit", difference->limit);
  json.text("precision", difference->precision).close_object();
}

void write_case(json::JsonText& json, const compare::CaseResult& one) {
  json.open_object();
  json.text("case_id", one.case_id).text("candidate_case_id", one.candidate_case_id);
  json.text("workload", one.workload);
  json.values("options", one.options);
  if (one.ended_at > 0) write_count(json, "ended_at_pairs", one.ended_at);
  write_fingerprint(json, one.fingerprint);
  json.open_array("metrics");
  for (const compare::MetricResult& metric : one.metrics) write_metric(json, metric);
  json.close_array().open_array("cause");
  for (const compare::PhaseChange& change : one.cause) {
    json.open_object().text("phase", change.phase);
    if (!change.ranks.empty()) {
      json.integers("ranks", change.ranks).flag("all_ranks", change.all_ranks);
    }
    json.number("base_ns", change.base_ns).number("candidate_ns", change.candidate_ns);
    json.number("change_ns", change.change_ns);
    write_interval(json, "change_ns", change.interval_ns);
    json.number("share", change.share).close_object();
  }
  json.close_array();
  if (!one.who_waits.empty()) json.texts("who_waits", one.who_waits);
  write_ops(json, one.ops);
  if (!one.without_data.empty()) json.text("without_data", one.without_data);
  json.texts("notes", one.notes).close_object();
}

void write_missing(json::JsonText& json, std::string_view key,
                   const std::vector<compare::MissingCase>& cases) {
  json.open_array(key);
  for (const compare::MissingCase& one : cases) {
    json.open_object().text("case_id", one.case_id).text("workload", one.workload);
    json.values("options", one.options);
    json.close_object();
  }
  json.close_array();
}

void write_limit(json::JsonText& json, std::string_view key, const std::optional<double>& limit) {
  if (limit) {
    json.number(key, *limit);
  } else {
    json.null(key);
  }
}

void write_gates(json::JsonText& json, const std::vector<compare::Gate>& gates) {
  json.open_array("gates");
  for (const compare::Gate& gate : gates) {
    json.open_object().text("name", gate.name).text("case_id", gate.case_id);
    json.text("state", name_of(gate.state)).flag("allowed", gate.allowed);
    json.number("value", gate.value);
    write_limit(json, "warns_at", gate.warns_at);
    write_limit(json, "fails_at", gate.fails_at);
    json.text("text", gate.text).close_object();
  }
  json.close_array();
}

}  // namespace

std::string error_json(int exit_code, std::string_view message) {
  json::JsonText json;
  json.open_object().text("schema", kVerdictSchema).text("version", kVerdictVersion);
  json.integer("exit_code", exit_code).text("verdict", "error").text("error", message);
  json.close_object();
  return json.take() + '\n';
}

std::string verdict_json(std::span<const compare::Comparison> comparisons) {
  if (comparisons.size() == 1) return comparison_json(comparisons.front());
  const compare::Comparison& worst = comparisons[compare::worst_of(comparisons)];
  json::JsonText json;
  json.open_object().text("schema", kVerdictsSchema).text("version", kVerdictsVersion);
  json.integer("exit_code", worst.exit_code).text("verdict", name_of(worst.verdict));
  json.text("base", comparisons.front().base).number("q", worst.rule.q);
  write_count(json, "tested", worst.tested);
  json.open_array("comparisons");
  for (const compare::Comparison& comparison : comparisons) {
    std::string object = comparison_json(comparison);
    object.pop_back();  // its line end
    json.json({}, object);
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

std::string comparison_json(const compare::Comparison& comparison) {
  json::JsonText json;
  json.open_object().text("schema", kVerdictSchema).text("version", kVerdictVersion);
  json.integer("exit_code", comparison.exit_code);
  json.text("verdict", name_of(comparison.verdict));
  json.text("design", name_of(comparison.rule.design));
  json.text("base", comparison.base).text("candidate", comparison.candidate);
  json.texts("swept", comparison.swept);
  if (comparison.seed) {
    json.integer("seed", static_cast<std::int64_t>(*comparison.seed));
    json.integers("looks",
                  std::vector<std::int64_t>(comparison.looks.begin(), comparison.looks.end()));
  }
  json.number("q", comparison.rule.q).number("confidence", comparison.rule.confidence);
  write_count(json, "tested", comparison.tested);
  write_count(json, "rejected_slower", comparison.rejected_slower);
  write_count(json, "rejected_faster", comparison.rejected_faster);
  json.open_object("aa_control").text("state", name_of(comparison.aa_control.state));
  write_count(json, "quads", comparison.aa_control.pooled_quads);
  json.number("p", comparison.aa_control.p);
  if (comparison.aa_control.change) {
    json.number("change", *comparison.aa_control.change);
    write_interval(json, "change", comparison.aa_control.interval);
  }
  json.close_object();
  write_gates(json, comparison.gates);
  json.open_array("environment");
  for (const compare::EnvironmentDifference& difference : comparison.environment) {
    json.open_object().text("field", difference.field);
    json.text("class", name_of(difference.field_class));
    json.text("base", difference.base).text("candidate", difference.candidate);
    json.flag("allowed", difference.allowed);
    write_count(json, "cases", difference.cases);
    json.close_object();
  }
  json.close_array().texts("warnings", comparison.warnings);
  if (!comparison.machine.empty()) json.text("machine", comparison.machine);
  json.open_array("cases");
  for (const compare::CaseResult& one : comparison.cases) write_case(json, one);
  json.close_array();
  write_missing(json, "only_base", comparison.only_base);
  write_missing(json, "only_candidate", comparison.only_candidate);
  json.close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
