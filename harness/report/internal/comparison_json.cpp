// SPDX-License-Identifier: Apache-2.0
#include "harness/report/verdicts.h"

#include <limits>

#include "harness/json/fields.h"

// fields() must be in the namespace of its types to be found.
namespace stepbench::verdict {

constexpr json::FieldRule kNanWhereNull{.null_is = std::numeric_limits<double>::quiet_NaN()};

template <typename V>
void bounds(V& v, const std::string& of, auto& interval) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  v(of + "_low", interval.low, {.null_is = -kInfinity});
  v(of + "_high", interval.high, {.null_is = kInfinity});
}

template <typename V>
void fields(V& v, json::Of<MetricResult> auto& metric) {
  auto& test = metric.test;
  v("name", metric.name, json::kNeeded)("metric", metric.metric)("unit", metric.unit);
  if constexpr (V::kReads) {  // for files before 1.2
    metric.timed = metric.unit != "bytes";
    metric.of_step = metric.name == "step";
  }
  v("primary", metric.primary)("margin", metric.margin)("timed", metric.timed);
  v("of_step", metric.of_step)("decides", metric.decides);
  v("verdict", test.verdict, json::kNeeded)("reason", test.reason, {.known = false});
  v("slower", test.slower);
  v("base_median", test.base_median, kNanWhereNull);
  v("candidate_median", test.candidate_median, kNanWhereNull)("change", test.change);
  bounds(v, "change", test.interval);
  v("corrected_change", test.corrected_change);
  bounds(v, "sign_test", test.sign_interval);
  v("mean_change", test.mean_change);
  bounds(v, "mean_change", test.mean_interval);
  v("slow_base", test.slow_base)("slow_candidate", test.slow_candidate);
  v("slow_share_below", test.slow_share_below)("p", test.p, kNanWhereNull);
  v("p_adjusted", test.p_adjusted, kNanWhereNull);
  v("p_mann_whitney", test.p_mann_whitney, kNanWhereNull)("cles", test.cles, kNanWhereNull);
  v("pairs", test.pairs)("base_launches", test.base_launches);
  v("candidate_launches", test.candidate_launches)("dropped", test.dropped)("ties", test.ties);
  v("pairs_needed", test.pairs_needed)("notes", test.notes);
}

template <typename V>
void fields(V& v, json::Of<OpChange> auto& op) {
  v("op", op.name)("shapes", op.shapes)("phase", op.phase);
  v("base_calls_per_step", op.base_calls)("candidate_calls_per_step", op.candidate_calls);
  v("base_share", op.base_share)("candidate_share", op.candidate_share);
  v("change_ns", op.change_ns, json::kSparse);
  if (op.change_ns) bounds(v, "change_ns", op.range_ns);
}

template <typename V>
void fields(V& v, json::Of<FingerprintDifference> auto& difference) {
  v("name", difference.name)("base", difference.base, kNanWhereNull);
  v("candidate", difference.candidate, kNanWhereNull);
  v("relative", difference.relative, kNanWhereNull)("limit", difference.limit, kNanWhereNull);
  v("precision", difference.precision);
}

template <typename V>
void fields(V& v, json::Of<PhaseChange> auto& change) {
  v("phase", change.phase)("ranks", change.ranks, json::kSparse);
  v("all_ranks", change.all_ranks, {.written = !change.ranks.empty()});
  v("base_ns", change.base_ns, kNanWhereNull)("candidate_ns", change.candidate_ns, kNanWhereNull);
  v("change_ns", change.change_ns, kNanWhereNull);
  bounds(v, "change_ns", change.interval_ns);
  v("share", change.share, kNanWhereNull);
}

template <typename V>
void fields(V& v, json::Of<FaultChange> auto& change) {
  v("base_per_step", change.base)("candidate_per_step", change.candidate);
}

template <typename V>
void fields(V& v, json::Of<CaseResult> auto& one) {
  v("case_id", one.case_id, json::kNeeded)("candidate_case_id", one.candidate_case_id);
  v("workload", one.workload);
  v("options", one.options)("ended_at_pairs", one.ended_at, json::kSparse);
  v("fingerprint_difference", one.fingerprint, json::kSparse);
  v("metrics", one.metrics)("cause", one.cause)("who_waits", one.waiting_ranks, json::kSparse);
  v("page_faults", one.page_faults, json::kSparse);
  v("ops", one.ops, json::kSparse)("without_data", one.without_data, json::kSparse);
  v("notes", one.notes);
}

template <typename V>
void fields(V& v, json::Of<MissingCase> auto& one) {
  v("case_id", one.case_id)("workload", one.workload)("options", one.options);
}

template <typename V>
void fields(V& v, json::Of<Gate> auto& gate) {
  v("name", gate.name)("case_id", gate.case_id)("state", gate.state)("allowed", gate.allowed);
  v("value", gate.value, kNanWhereNull)("warns_at", gate.warns_at)("fails_at", gate.fails_at);
  v("text", gate.text)("doubt", gate.doubt, json::kSparse);
  if constexpr (V::kReads) {  // files before 1.9 have no short forms
    const bool missing = gate.state != GateState::kPassed && gate.doubt.empty();
    if (missing && gate.name == "noise") gate.doubt = "an arm's own launches differ";
    if (missing && gate.name == "drift") gate.doubt = "the machine drifted";
  }
}

template <typename V>
void fields(V& v, json::Of<EnvironmentDifference> auto& difference) {
  v("field", difference.field)("class", difference.field_class, {.known = false});
  v("base", difference.base)("candidate", difference.candidate);
  v("allowed", difference.allowed)("cases", difference.cases);
}

template <typename V>
void fields(V& v, json::Of<AaControl> auto& control) {
  v("state", control.state)("quads", control.pooled_quads)("p", control.p, kNanWhereNull);
  v("change", control.change, json::kSparse);
  if (control.change) bounds(v, "change", control.interval);
}

template <typename V>
void fields(V& v, json::Of<Comparison> auto& comparison) {
  auto& rule = comparison.rule;
  v.constant("schema", report::kVerdictSchema).constant("version", report::kVerdictVersion);
  v("exit_code", comparison.exit_code)("verdict", comparison.verdict, json::kNeeded);
  v("design", rule.design);
  v("base", comparison.base)("candidate", comparison.candidate)("swept", comparison.swept);
  std::optional<std::int64_t> seed = comparison.seed;  // all 64 bits are used
  v("seed", seed, json::kSparse);
  if constexpr (V::kReads) comparison.seed = seed;
  v("looks", comparison.looks, {.written = seed.has_value()});
  v("q", rule.q)("confidence", rule.confidence)("tested", comparison.tested);
  v("rejected_slower", comparison.rejected_slower)("rejected_faster", comparison.rejected_faster);
  v("aa_control", comparison.aa_control)("gates", comparison.gates);
  v("environment", comparison.environment)("warnings", comparison.warnings);
  v("machine", comparison.machine, json::kSparse)("cases", comparison.cases, json::kNeeded);
  v("only_base", comparison.only_base)("only_candidate", comparison.only_candidate);
}

}  // namespace stepbench::verdict

namespace stepbench::report {

std::string error_json(int exit_code, std::string_view message) {
  json::JsonText json;
  json.open_object().text("schema", kVerdictSchema).text("version", kVerdictVersion);
  json.integer("exit_code", exit_code).text("verdict", "error").text("error", message);
  json.close_object();
  return json.take() + '\n';
}

std::string comparison_json(const verdict::Comparison& comparison) {
  return json::object_text(comparison) + '\n';
}

std::string verdict_json(std::span<const verdict::Comparison> comparisons) {
  if (comparisons.size() == 1) return comparison_json(comparisons.front());
  const verdict::Comparison& worst = comparisons[verdict::worst_of(comparisons)];
  json::JsonText json;
  json.open_object().text("schema", kVerdictsSchema).text("version", kVerdictsVersion);
  json.integer("exit_code", worst.exit_code).text("verdict", name_of(worst.verdict));
  json.text("base", comparisons.front().base).number("q", worst.rule.q);
  json.integer("tested", static_cast<std::int64_t>(worst.tested)).open_array("comparisons");
  for (const verdict::Comparison& each : comparisons) json.json({}, json::object_text(each));
  json.close_array().close_object();
  return json.take() + '\n';
}

std::vector<verdict::Comparison> read_comparisons(std::string_view json) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(json, json::LineParser::Padding::kNone).object;
  const bool several = source.text("schema") == kVerdictsSchema;
  const std::string_view version = several ? kVerdictsVersion : kVerdictVersion;
  const int minor =
      json::minor_version(source, several ? kVerdictsSchema : kVerdictSchema, version);
  if (const std::string error = source.text("error"); !error.empty()) {
    throw json::LineError("contains no verdict: " + error);
  }
  std::vector<verdict::Comparison> comparisons;
  json::FieldReader reader(source);
  if (several) {
    reader("comparisons", comparisons, json::kNeeded);
  } else {
    fields(reader, comparisons.emplace_back());
  }
  const std::string newer = json::newer_version_text(minor, version);
  if (!newer.empty() && !comparisons.empty()) {
    comparisons.front().warnings.push_back("the file " + newer);
  }
  return comparisons;
}

}  // namespace stepbench::report
