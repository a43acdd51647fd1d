// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/ab_header.h"

#include <random>
#include <string>
#include <string_view>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/run/data_digest.h"
#include "harness/run/resume.h"

namespace stepbench::campaign {
namespace {

constexpr std::string_view kMarginField = "ab_margin_";

std::uint64_t random_seed() {
  std::random_device device;
  // Below 2^53, so that every JSON reader preserves it.
  return (std::uint64_t{device()} << 21U) ^ device();
}

// Default of a field that is missing in the header of a campaign from before metrics were recorded.
std::string as_before(const std::string& field) {
  return field == "ab_metrics" ? compare::default_metrics().names() : "";
}

std::string describe(const std::string& field) {
  if (field == "ab_metrics") return "--metric";
  if (field == "ab_pairs") return "--pairs";
  if (field == "arm_a_build_id") return "the build of arm A's worker";
  if (field == "arm_b_build_id") return "the build of arm B's worker";
  if (field == "arm_b_data_digest") return "the data of arm B";
  return "--margin " + field.substr(kMarginField.size());
}

}  // namespace

void describe_campaign(const AbArms& arms, std::int64_t pairs, const compare::TestedMetrics& tested,
                       std::uint64_t seed, record::RunRow& header) {
  header.plan_digest = digest(arms.a.plan.digest + '\n' + arms.b.plan.digest);
  header.context["ab_seed"] = static_cast<std::int64_t>(seed);
  header.context["ab_pairs"] = pairs > 0 ? std::to_string(pairs) : std::string{"looks"};
  header.context["ab_metrics"] = tested.names();
  for (const compare::TestedMetric& metric : tested.metrics) {
    const bool automatic = metric.kind == compare::MetricKind::kPeak && !metric.margin;
    header.context[std::string(kMarginField) + metric.name] =
        automatic ? Value{std::string{"auto"}}
                  : Value{metric.margin.value_or(compare::kDefaultMargin)};
  }
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    header.context["arm_" + arm->name] = arm->words;
    header.context["arm_" + arm->name + "_worker"] = arm->worker.path.string();
    header.context["arm_" + arm->name + "_build_id"] = arm->worker.build_id;
    header.context["arm_" + arm->name + "_data_digest"] =
        run::data_digest(arm->plan, arm->catalogue);
  }
}

void check_same_campaign(const record::Results& earlier, const record::RunRow& now,
                         const AbArms& arms) {
  std::vector<std::string> fields = {"ab_metrics", "ab_pairs", "arm_a_build_id", "arm_b_build_id",
                                     "arm_b_data_digest"};
  for (const auto& [name, value] : now.context) {
    if (name.starts_with(kMarginField)) fields.push_back(name);
  }
  for (const record::RunRow& then : earlier.runs) {
    if (text_of(then.context, "ab_seed").empty()) {
      throw ConfigError("--resume", "not an A/B campaign: `stepbench run` made this folder");
    }
    for (const std::string& name : fields) {
      const std::string was = text_of(then.context, name, as_before(name));
      const std::string is = text_of(now.context, name);
      if (was == is) continue;
      throw ConfigError("--resume", "this is not the same campaign: " + describe(name) + " was `" +
                                        was + "` and is now `" + is +
                                        "`; start a new one without --resume");
    }
  }
  for (const AbArm* arm : {&arms.a, &arms.b}) {
    run::check_same_experiment(earlier, now, arm->plan, arm->catalogue);
  }
}

std::uint64_t seed_for(std::optional<std::uint64_t> asked, const record::Results& earlier) {
  for (const record::RunRow& run : earlier.runs) {
    const auto found = run.context.find("ab_seed");
    if (found == run.context.end()) continue;
    const auto* seed = std::get_if<std::int64_t>(&found->second);
    if (seed == nullptr) break;
    if (asked && *asked != static_cast<std::uint64_t>(*seed)) {
      throw ConfigError("--seed", "the campaign to resume has seed " + std::to_string(*seed));
    }
    return static_cast<std::uint64_t>(*seed);
  }
  return asked ? *asked : random_seed();
}

}  // namespace stepbench::campaign
